"""``server up --replays``: recordings of clients for ReplayMod, read with independent code."""

from __future__ import annotations

import json
import subprocess
import time
import zipfile

import pytest

from tests.conftest import ROOT, UP, run_module
from voxpolis.environment import node_executable
from voxpolis.records import events, read_record


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Run Double-Vein on a recording server; return its record, and the recordings by agent."""
    folder = tmp_path_factory.mktemp("played")
    films = folder / "films"
    own = {"VOXPOLIS_SERVER": str(folder / "server")}
    options = ["--terrain", "superflat", "--speed", "5", "--replays", str(films)]
    started = run_module("server", *UP, *options, **own)
    assert started.returncode == 0, started.stderr
    try:
        command = ["scenarios.double_vein", "--contract", "1", "--out", str(folder), "--json"]
        done = run_module(*command, **own)
    finally:
        assert run_module("server", "down", **own).returncode == 0
    assert done.returncode == 0, done.stderr
    (run,) = folder.glob("double_vein/*")
    assert {film.suffix for film in films.iterdir()} == {".mcpr"}, "all are whole"
    return read_record(run), {film.name.split("-")[1]: film for film in films.iterdir()}


def packets_of(film, folder):
    with zipfile.ZipFile(film) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["recording.tmcpr", "metaData.json"]
        archive.extract("recording.tmcpr", folder)
        meta = json.loads(archive.read("metaData.json"))
    command = [node_executable(), ROOT / "tests/replay_packets.mjs", folder / "recording.tmcpr"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=True)
    return meta, [json.loads(line) for line in done.stdout.splitlines()]


# Metadata of a replay file, by type. Source: ReplayStudio, ``ReplayMetaData``.
META = {"singleplayer": bool, "serverName": str, "duration": int, "date": int, "mcversion": str,
        "fileFormat": str, "fileFormatVersion": int, "protocol": int, "generator": str,
        "selfId": int, "players": list}  # fmt: skip


@pytest.mark.parametrize(("agent", "other"), [("Gizmo", "Glitch"), ("Glitch", "Gizmo")])
def test_a_recording_matches_the_record(played, tmp_path, agent, other):
    record, films = played
    assert set(films) == {"Gizmo", "Glitch"}
    meta, packets = packets_of(films[agent], tmp_path)
    assert {name: type(value) for name, value in meta.items()} == META
    ago_s = time.time() - meta["date"] / 1000
    assert 0 < ago_s < 3600, "in milliseconds since 1970, not by the game's clock"
    assert all(packet["isWhole"] for packet in packets)
    assert [p["name"] for p in packets[:6]] == [
        *("success", "registry_data", "feature_flags", "tags", "finish_configuration", "login")
    ]
    assert packets[0]["fields"]["username"] == agent
    times = [packet["ms"] for packet in packets]
    assert times == sorted(times)
    assert meta["duration"] == times[-1] > 10_000
    assert (meta["protocol"], meta["fileFormatVersion"], meta["mcversion"]) == (765, 14, "1.20.4")

    def said(name):
        return [packet["fields"] for packet in packets if packet["name"] == name]

    bodies = {one["entityId"]: one["objectUUID"] for one in said("spawn_entity")}
    own = packets[0]["fields"]["uuid"]
    assert bodies[meta["selfId"]] == own, "the recorded player has a body"
    assert set(meta["players"]) <= set(bodies.values())
    assert len(meta["players"]) == 2
    ids = {body: number for number, body in bodies.items()}
    for name, body in (
        (agent, own),
        (other, next(one for one in meta["players"] if one != own)),
    ):
        at = [event.position for event in record.of(events.PositionSampled) if event.agent == name]
        moved = [one for one in said("entity_teleport") if one["entityId"] == ids[body]]
        near = [
            max(abs(one[axis] - place) for axis, place in zip("xyz", at[-1], strict=True))
            for one in moved
        ]
        assert len(moved) > 20
        assert min(near) < 0.5, f"{name} ends at its last position"
    gone = {
        tuple(one["location"][axis] for axis in "xyz")
        for one in said("block_change")
        if one["type"] == 0
    }
    for many in said("multi_block_change"):
        corner = [16 * many["chunkCoordinates"][axis] for axis in "xyz"]
        gone |= {cell_of(block, corner) for block in many["records"] if block >> 12 == 0}
    dug = {tuple(map(int, event.position)) for event in record.of(events.BlockDug)}
    assert len(dug) >= 10
    assert dug <= gone


def cell_of(block, corner):
    """Decode a block: its state in the upper bits, then x, z and y of four bits each."""
    x, z, y = block >> 8 & 15, block >> 4 & 15, block & 15
    return corner[0] + x, corner[1] + y, corner[2] + z
