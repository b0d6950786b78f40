"""A village with trades: sites, actions with needs and products, tools, hunger, a market.

All of it is data (``village.yaml``, :class:`worlds.trades.rules.Trades`), accounted by the world's
own state (:class:`worlds.trades.village.TradeVillage`); :func:`worlds.trades.verbs.verbs` makes of
it what agents can decide to do. Any society's scenario can live in one.
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
from voxpolis.worlds.trades.verbs import Worked, verbs
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
    "Worked",
    "open_village",
    "read_trades",
    "settle",
    "verbs",
]
