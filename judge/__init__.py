"""Institutions: negotiation, contracts, their settlement, and the measures of what came of it."""

from judge.case_text import Case
from judge.contract import Contract, ContractError, Outcome, Rule, Terms, read_contract_file
from judge.formal import FormalContract, parse_clauses
from judge.metrics import known_mean_and_sd, mean_and_ci95, mean_and_sd
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
    "known_mean_and_sd",
    "mean_and_ci95",
    "mean_and_sd",
    "negotiate",
    "parse_clauses",
    "read_contract_file",
    "settle",
]
