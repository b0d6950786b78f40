"""A village with trades: sites, actions with inputs and products, tools, hunger, a market.

All rules are data (``village.yaml``, :class:`worlds.trades.rules.Trades`). The world's state
accounts for everything (:class:`worlds.trades.village.TradeVillage`), and
:func:`worlds.trades.verbs.verbs` derives agents' possible decisions. The scenario of any society
can use such a village.
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
