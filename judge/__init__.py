"""Institutions: negotiation, contracts and their settlement."""

from voxpolis import as_room

as_room(__name__)

from voxpolis.judge.case_text import Case
from voxpolis.judge.contract import (
    Contract,
    ContractError,
    Outcome,
    Rule,
    Terms,
    read_contract_file,
)
from voxpolis.judge.formal import FormalContract, parse_clauses
from voxpolis.judge.negotiation import Negotiation, negotiate
from voxpolis.judge.settlement import JudgeKind, Settlement, settle

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
