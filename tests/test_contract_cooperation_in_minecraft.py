"""Modules of cooperation in a contract game on a running server."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from tests.conftest import result_of, run_module
from voxpolis.records import events, read_record

SERVER_OPTIONS = ("--speed", "5")
NAMES = ("Gizmo", "Glitch")


def test_what_counts_for_promises_and_the_law_is_what_the_server_counted(server, tmp_path):
    """Gizmo heeds the law, Glitch breaks what it promised in the second episode."""
    manners = ("--set", "manners.Gizmo.heeds=1", "--set", "manners.Gizmo.keeps=1",
               "--set", "manners.Glitch.heeds=1", "--set", "manners.Glitch.keeps=0")  # fmt: skip
    options = ("--world", "minecraft", "--modules", "all", "--episodes", "2", *manners)
    limits = ("--set", "time_limit_s=60", "--out", str(tmp_path), "--json")
    done = run_module("scenarios.double_vein", *options, *limits, timeout=280)
    result = result_of(done)
    record = read_record(Path(result["run_dir"]))
    counted = {one.episode: one for one in record.of(events.ActsCounted)}
    assert sorted(counted) == [0, 1]
    for episode, one in counted.items():
        dug = Counter()
        for entry in record.of(events.LedgerEntry):
            if entry.episode == episode and entry.action == "dug":
                dug[entry.agent, entry.item] += entry.count
        assert one.acts == {
            name: {"iron_dug": dug[name, "iron_ore"], "diamonds_dug": dug[name, "diamond_ore"]}
            for name in NAMES
        }
    assert counted[0].acts["Glitch"]["iron_dug"] == 0
    assert counted[1].acts["Glitch"]["iron_dug"] > 0
    kept = {one.agent: one.kept for one in record.of(events.PromiseSettled)}
    assert kept["Glitch"] is False
    fines = [(one.episode, one.agent) for one in record.of(events.ArticleBroken)]
    assert (1, "Glitch") in fines
    assert not [one for one in fines if one[0] == 0]
    second = result["runs"][1]["agents"]
    assert sum(own["transfer"] for own in second.values()) == 0
    again = run_module("scenarios.double_vein", "--replay", result["run_dir"], "--json")
    assert json.loads(again.stdout)["runs"] == result["runs"], again.stderr
