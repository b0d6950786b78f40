"""Institutions: negotiation, contracts and their settlement."""

from judge.case_text import Case
from judge.contract import Contract, ContractError, Outcome, Rule, Terms, read_contract_file
from judge.formal import FormalContract, parse_clauses
from judge.negotiation import Negotiation, negotiate
from judge.settlement import JudgeKind, Settlement, settle

__all__ = [
    "Case",
    "Contract",
    "ContractError",
    "FormalContract",
    "JudgeKind",
    "Negotiation",
    "Outcome",
    "Rule",
    "Settlement",
    "Terms",
    "negotiate",
    "parse_clauses",
    "read_contract_file",
    "settle",
]
