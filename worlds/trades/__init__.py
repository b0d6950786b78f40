"""A village with trades: sites, actions that turn inputs into products, tools, hunger, and a
market.

All rules are data (``village.yaml``, :class:`worlds.trades.rules.Trades`). The world's state
accounts for all items (:class:`worlds.trades.village.TradeVillage`).
:func:`worlds.trades.verbs.verbs` derives from the rules what agents can decide. The scenario of any
society can use such a village.
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
