"""``server up --replays``: films of clients' stays for ReplayMod, read by others' means."""

from __future__ import annotations

import json
import struct
import subprocess
import time
import uuid
import zipfile

import pytest

from environment import node_executable
from records import events, read_record
from tests.conftest import ROOT, UP, run_module


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A run of Double-Vein on a server that films: its record, and the films by agent."""
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


# --- The format, read by its description ----------------------------------------------------------


#: What a replay's file says of itself, by type. Source: ReplayStudio, ``ReplayMetaData``.
META = {"singleplayer": bool, "serverName": str, "duration": int, "date": int, "mcversion": str,
        "fileFormat": str, "fileFormatVersion": int, "protocol": int, "generator": str,
        "selfId": int, "players": list}  # fmt: skip
#: After which packet a connection is in the next state. Source: Minecraft's protocol 765.
NEXT = {("login", "success"): "configuration", ("configuration", "finish_configuration"): "play"}


def names_of_packets():
    """By state, from a packet's number to its name, of minecraft-data for 1.20.4."""
    data = ROOT / "node_modules/minecraft-data/minecraft-data/data"
    folder = json.loads((data / "dataPaths.json").read_text())["pc"]["1.20.4"]["protocol"]
    protocol = json.loads((data / folder / "protocol.json").read_text())
    found = {}
    for state in ("login", "configuration", "play"):
        kinds = protocol[state]["toClient"]["types"]["packet"][1]
        (numbers,) = [field["type"][1]["mappings"] for field in kinds if field["name"] == "name"]
        found[state] = {int(number, 16): name for number, name in numbers.items()}
    return found


def var_int(data, at):
    """Minecraft's numbers of 7 bits a byte, and where they end."""
    value = shift = 0
    while True:
        byte = data[at]
        at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
        if byte < 128:
            return value, at
        assert shift < 35


def read_by_description(film):
    """A ``.mcpr`` as ReplayStudio's ``ReplayInputStream`` takes it: what it says, and its packets.

    Packets are time (ms), state, name, and the bytes behind the number. Each has its time and its
    length before it, four bytes each, the highest first.
    """
    with zipfile.ZipFile(film) as archive:
        meta = json.loads(archive.read("metaData.json"))
        data = archive.read("recording.tmcpr")
    names, state, at, packets = names_of_packets(), "login", 0, []
    while at < len(data):
        ms, length = struct.unpack_from(">ii", data, at)
        assert ms >= 0
        assert 0 < length <= len(data) - at - 8, "a packet is whole"
        number, start = var_int(data, at + 8)
        name = names[state][number]
        packets.append((ms, state, name, data[start : at + 8 + length]))
        state, at = NEXT.get((state, name), state), at + 8 + length
    return meta, packets


@pytest.mark.parametrize("agent", ["Gizmo", "Glitch"])
def test_a_film_is_a_file_as_replay_mod_describes_it(played, agent):
    meta, packets = read_by_description(played[1][agent])
    assert {name: type(value) for name, value in meta.items()} == META
    assert (meta["fileFormat"], meta["fileFormatVersion"]) == ("MCPR", 14)
    assert (meta["mcversion"], meta["protocol"]) == ("1.20.4", 765)
    assert meta["duration"] == max(ms for ms, *_ in packets)
    ago_s = time.time() - meta["date"] / 1000
    assert 0 < ago_s < 3600, "in milliseconds since 1970, and not by the game's clock"
    assert all(str(uuid.UUID(one)) == one for one in meta["players"])
    _, state, name, fields = packets[0]
    assert (state, name) == ("login", "success"), "from format 14 on files begin with the login"
    assert str(uuid.UUID(bytes=fields[:16])) in meta["players"]
    length, at = var_int(fields, 16)
    assert fields[at : at + length].decode() == agent
    states = [state for _, state, *_ in packets]
    assert states == sorted(states, key=["login", "configuration", "play"].index)
    in_play = [(name, fields) for _, state, name, fields in packets if state == "play"]
    assert in_play[0][0] == "login"
    bodies = {var_int(fields, 0)[0]: str(uuid.UUID(bytes=fields[var_int(fields, 0)[1] :][:16]))
              for name, fields in in_play if name == "spawn_entity"}  # fmt: skip
    (own,) = struct.unpack_from(">i", in_play[0][1])
    assert meta["selfId"] == own
    assert bodies[own] in meta["players"]
    drawn = {name for name, _ in in_play}
    assert {"map_chunk", "entity_teleport", "block_change", "player_info"} <= drawn
    assert "keep_alive" not in drawn


# --- What it shows --------------------------------------------------------------------------------


@pytest.mark.parametrize(("agent", "other"), [("Gizmo", "Glitch"), ("Glitch", "Gizmo")])
def test_a_film_shows_what_the_record_says(played, tmp_path, agent, other):
    record, films = played
    assert set(films) == {"Gizmo", "Glitch"}
    meta, packets = packets_of(films[agent], tmp_path)
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
    assert bodies[meta["selfId"]] == own, "who is filmed has a body"
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
        assert min(near) < 0.5, f"{name} comes to where it was last"
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
    """A block of a section: its state in the upper bits, then x, z and y of four bits each."""
    x, z, y = block >> 8 & 15, block >> 4 & 15, block & 15
    return corner[0] + x, corner[1] + y, corner[2] + z
