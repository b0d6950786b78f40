"""A village with trades, for tests: by its shipped file, or with something else in it."""

from __future__ import annotations

from tests.conftest import ROOT
from voxpolis.records.yaml_text import load_yaml
from voxpolis.worlds.trades import Trades, open_village, read_trades, settle

#: The shipped file, read without our reader.
RAW = load_yaml((ROOT / "worlds" / "trades" / "village.yaml").read_text())


def village(hand, *names, together=50, **changes):
    trades = Trades(**{**read_trades(), **changes})
    plan = settle(trades, names, together, seed=0, hearing_blocks=16.0)
    return open_village(plan, hand.now, seed=0)
