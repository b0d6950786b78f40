"""Institutions: the negotiation of contracts, and their settlement."""

from voxpolis import as_room

as_room(__name__)

from voxpolis.judge.contracts.clauses import FormalContract, parse_clauses
from voxpolis.judge.contracts.contract import (
    Contract,
    ContractError,
    Outcome,
    Rule,
    Terms,
    read_contract_file,
)
from voxpolis.judge.contracts.negotiation import Negotiation, negotiate
from voxpolis.judge.contracts.settlement import Case, JudgeKind, Settlement, settle

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
