"""A village with trades: sites, actions with inputs and products, tools, hunger, a market.

All rules are data (``village.yaml``, :class:`worlds.trades.rules.Trades`), accounted by the world's
state (:class:`worlds.trades.village.TradeVillage`); :func:`worlds.trades.verbs.verbs` derives
agents' possible decisions. Any society's scenario can use one.
"""

from voxpolis.worlds.trades.rules import (
    HUNGRY,
    NOT_ALL_MADE,
    Report,
    Rule,
    Site,
    Stock,
    Trades,
    TradeWorld,
    read_trades,
)
from voxpolis.worlds.trades.verbs import WorkKnowledge, verbs
from voxpolis.worlds.trades.village import TradePlan, TradeVillage, open_village, settle

__all__ = [
    "HUNGRY",
    "NOT_ALL_MADE",
    "Report",
    "Rule",
    "Site",
    "Stock",
    "TradePlan",
    "TradeVillage",
    "TradeWorld",
    "Trades",
    "WorkKnowledge",
    "open_village",
    "read_trades",
    "settle",
    "verbs",
]
