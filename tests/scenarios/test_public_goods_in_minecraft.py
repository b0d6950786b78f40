"""Giving and punishing with chests: the server counts what players put in."""

from __future__ import annotations

import filecmp
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import result_of, run_module
from voxpolis.records import RunWriter, events, read_record
from voxpolis.records.clock import Clock
from voxpolis.server.state import read_state
from voxpolis.worlds.minecraft.chests import MinecraftChests
from voxpolis.worlds.minecraft.session import open_session
from voxpolis.worlds.protocol import FaultError

SERVER_OPTIONS = ["--speed", "10"]
pytestmark = pytest.mark.timeout(600)


def play(out, *options):
    done = run_module("scenarios.public_goods", "--out", str(out), "--json", *options, timeout=400)
    return result_of(done)


def test_chests_count_the_same_payments_as_the_grid(server, tmp_path):
    there, here = (
        play(tmp_path, "--world", world, "--set", "rounds=2", "--runs", "2")
        for world in ("minecraft", "grid")
    )
    assert there["runs"] == here["runs"]
    record = read_record(Path(there["run_dir"]))
    assert [built.episode for built in record.of(events.WorldBuilt)] == [0, 1]
    put = Counter()
    for entry in record.of(events.LedgerEntry):
        put[entry.agent] += entry.count
    given = Counter()
    rows = [row for run in there["runs"] for row in run["rounds"]]
    for row in rows:
        given.update(row["given"])
    fined = sum(row["fined"] for row in rows)
    assert fined > 0
    assert put.total() == given.total() + fined

    again = play(tmp_path, "--replay", there["run_dir"])
    assert filecmp.cmp(*(Path(one["run_dir"], "events.jsonl") for one in (there, again)), False)


async def test_chest_with_missing_tokens_is_a_fault(server, tmp_path):
    writer = RunWriter(tmp_path, {}, Clock(10))
    with writer:
        async with open_session(read_state(), writer, ("Ada",)) as session:
            chests = MinecraftChests(session, ["Ada"], ["pot"])
            await chests.build()
            await chests.deal({"Ada": 2})
            assert await chests.put({"Ada": {"pot": 1}}) == {"Ada": {"pot": 1}}
            with pytest.raises(FaultError, match="expected"):
                await chests.put({"Ada": {"pot": 3}})
