"""Institutions: contracts, their settlement, and the measures of what came of it."""

from judge.contract import Contract, ContractError, read_contract_file
from judge.metrics import gini, mean_and_sd, welfare
from judge.settlement import Settlement, settle

__all__ = [
    "Contract",
    "ContractError",
    "Settlement",
    "gini",
    "mean_and_sd",
    "read_contract_file",
    "settle",
    "welfare",
]
