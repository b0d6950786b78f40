"""Double-Vein where something breaks in the middle, and where a person takes part."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.conftest import ROOT, run_module
from tests.endpoint import completion, serving
from tests.test_double_vein import (
    LONG_S,
    RUN_TIMEOUT_S,
    SCENARIO,
    SERVER_OPTIONS,
    assert_one_clear_line,
    play,
)
from voxpolis import analysis
from voxpolis.bridge import Bridge
from voxpolis.records import events, read_record
from voxpolis.records.reader import RunReader
from voxpolis.scenarios.double_vein import POLICIES
from voxpolis.server import Rcon
from voxpolis.server.state import read_password

__all__ = ["SERVER_OPTIONS"]

# --- What breaks in the middle -------------------------------------------------------------------


class Run:
    """A run whose policies have started."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self.process = process
        self.folder = folder
        self.children = psutil.Process(process.pid).children(recursive=True)
        assert self.children

    def end(self) -> tuple[int, str]:
        """Exit code and standard error; the run must end soon and leave no process behind."""
        _, error = self.process.communicate(timeout=120)
        _, alive = psutil.wait_procs(self.children, timeout=60)
        assert alive == []
        return self.process.returncode, error


@contextlib.contextmanager
def running(out: Path, *options: str) -> Iterator[Run]:
    command = [sys.executable, "-m", SCENARIO, "--contract", "1", "--out", str(out), *options]
    process = subprocess.Popen(
        command, cwd=ROOT, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        yield Run(process, wait_for_policies(process, out))
    finally:
        process.kill()
        process.communicate()


def wait_for_policies(process, out):
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        assert process.poll() is None, process.communicate()
        for record in out.glob("double_vein/*/events.jsonl"):
            if record.read_text().count('"code_started"') == 2:
                return record.parent
        time.sleep(0.1)
    raise AssertionError("the policies did not start")


def assert_failed_with_record(code, error, out, where):
    assert code == 1, error
    assert len([line for line in error.splitlines() if line.startswith("error: ")]) == 1
    assert "Traceback" not in error
    (folder,) = out.glob("double_vein/*")
    record = read_record(folder)
    assert record.problems == []
    assert where in {fault.where for fault in record.of(events.Fault)}
    assert record.events[-1].reason == "fault"
    assert record.result["error"]


async def test_a_bot_that_is_disconnected(server, tmp_path):
    with running(tmp_path) as run:
        async with Rcon(server.host, server.rcon_port, read_password()) as rcon:
            await rcon.command("kick Glitch out of here")
        code, error = run.end()
    assert_failed_with_record(code, error, tmp_path, where="bot")
    assert "Glitch" in error


def test_node_is_killed(server, tmp_path):
    with running(tmp_path) as run:
        (node,) = run.children
        node.kill()
        code, error = run.end()
    assert_failed_with_record(code, error, tmp_path, where="bridge")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_leaves_a_valid_record(server, tmp_path, how):
    with running(tmp_path) as run:
        run.process.send_signal(how)
        code, error = run.end()
    assert code == 130
    assert "Traceback" not in error
    record = read_record(run.folder)
    assert record.problems == []
    assert record.events[-1].reason == "interrupted"


def test_a_resumed_run_keeps_what_it_had_and_plays_the_rest_as_a_new_attempt(server, tmp_path):
    """In Minecraft: a repetition that was cut off is played again, and only that one."""
    with running(tmp_path, "--runs", "2") as run:
        wait_for_lines(run, "episode_started", 2)
        run.process.send_signal(signal.SIGINT)
        assert run.end()[0] == 130
    before = read_record(run.folder)
    (first,) = before.result["runs"]
    words = ["--resume", str(run.folder)]
    done = run_module(SCENARIO, *words, "--json", timeout=280)
    assert done.returncode == 0, done.stderr
    record = read_record(run.folder)
    assert record.result["runs"][0] == first
    assert len(record.result["runs"]) == 2
    started = [(e.run, e.attempt, e.episode) for e in record.of(events.EpisodeStarted)]
    assert started == [(0, 1, 0), (1, 1, 1), (1, 2, 2)]
    runs = analysis.load(run.folder)
    assert runs.attempts()["counts"].tolist() == [True, False, True]
    assert len(runs.rewards()) == 4  # two players, two repetitions
    assert runs.problems.empty
    files = {path: path.read_bytes() for path in run.folder.rglob("*") if path.is_file()}
    done = run_module(SCENARIO, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: {run.folder} is finished: there is nothing to resume\n"
    assert {path: path.read_bytes() for path in files} == files


def wait_for_lines(run: Run, kind: str, count: int) -> None:
    deadline = time.monotonic() + 200
    while (run.folder / "events.jsonl").read_text().count(f'"{kind}"') < count:
        assert run.process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_killed_run_is_readable_and_leaves_no_process(server, tmp_path):
    with running(tmp_path) as run:
        run.process.kill()
        code, _ = run.end()
    assert code == -signal.SIGKILL
    assert read_record(run.folder).of(events.CodeStarted)


def test_a_disk_that_is_full(server, tmp_path):
    limit = 20_000

    def limit_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    command = [sys.executable, "-m", SCENARIO, "--contract", "1", "--runs", "9"]
    done = subprocess.run(
        [*command, "--out", str(tmp_path)],
        cwd=ROOT,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=RUN_TIMEOUT_S,
        preexec_fn=limit_files,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "cannot write the record" in done.stderr
    assert "Traceback" not in done.stderr
    (folder,) = tmp_path.glob("double_vein/*")
    assert read_record(folder).of(events.CodeStarted)


def test_the_server_is_killed(own_server, tmp_path):
    with running(tmp_path) as run:
        psutil.Process(own_server.pid).kill()
        code, error = run.end()
    assert_failed_with_record(code, error, tmp_path, where="bot")
    refused = play(tmp_path)
    assert_one_clear_line(refused)
    assert "does not answer" in refused.stderr


# --- A person takes part -------------------------------------------------------------------------


async def happened(folder, kind, agent=None, timeout_s=RUN_TIMEOUT_S):
    """Wait until the record of the run in a folder has an event, and return it."""
    async with asyncio.timeout(timeout_s):
        while True:
            for path in folder.glob("double_vein/*/events.jsonl"):
                for line in path.read_text().split("\n")[:-1]:
                    event = json.loads(line)
                    if event["kind"] == kind and agent in (None, event["agent"]):
                        return event
            await asyncio.sleep(0.1)


@contextlib.asynccontextmanager
async def waiting_for_a_person(server, out, *more):
    """Run Double-Vein with a person in Glitch's seat, whom it waits for; yield the process."""
    command = [sys.executable, "-m", SCENARIO, "--human", "Glitch", "--condition", "negotiate"]
    options = ["--seed", "3", "--json", "--out", str(out), "--time-limit", str(LONG_S), *more]
    playing = await asyncio.create_subprocess_exec(
        *command, *options, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    try:
        told = [b"the run begins"]
        while b"waiting for a person" not in told[-1]:
            told.append(await asyncio.wait_for(playing.stderr.readline(), RUN_TIMEOUT_S))
            assert told[-1], f"the run ended before it waited for anybody: {told}"
        assert f"join {server.host}:{server.port} as Glitch, with Minecraft 1.20.4" in str(told[-1])
        yield playing
    finally:
        if playing.returncode is None:
            playing.kill()
            await playing.wait()


async def play_as_a_person(server, out):
    """Be that person and a stranger, and return the result."""
    async with waiting_for_a_person(server, out) as playing, Bridge(server.clock()) as clients:
        stranger = await clients.spawn("Mallory", server.host, server.port)
        await stranger.run("bot.chat('[accept]')", LONG_S)
        await happened(out, "stranger_said")
        async with Rcon(server.host, server.rcon_port, read_password()) as console:
            await console.command("say The river is clean.")  # which is no stranger's
        person = await clients.spawn("Glitch", server.host, server.port)
        await happened(out, "negotiation_message", "Gizmo")
        await person.run("bot.chat('[accept]')", LONG_S)
        await happened(out, "perceived", "Glitch")
        await stranger.run("bot.chat('[ready]')", LONG_S)
        await person.run("bot.chat('[READY]')", LONG_S)
        await happened(out, "seat_taken", "Glitch")
        dug = await person.run((POLICIES / "contract_1.js").read_text(), LONG_S)
        assert dug.status == "done", dug
        await person.run("bot.chat('[done]')", LONG_S)
        printed, complaints = await asyncio.wait_for(playing.communicate(), RUN_TIMEOUT_S)
    assert playing.returncode == 0, complaints
    return json.loads(printed)


async def test_a_person_plays_against_a_scripted_gizmo(server, tmp_path):
    """Glitch is a client of its own that joins, accepts what Gizmo offers, digs, and is judged; a
    stranger who types the same words counts nowhere.
    """
    result = await play_as_a_person(server, tmp_path)
    assert result["agents_kinds"] == {"Gizmo": "code_writer", "Glitch": "human"}
    (run,) = result["runs"]
    assert (run["agents"]["Gizmo"]["iron"], run["agents"]["Glitch"]["diamond"]) == (12, 6)
    assert run["acted"] == ["Gizmo", "Glitch"]
    assert run["judged"] == "exact"
    transfers = [own["transfer"] for own in run["agents"].values()]
    assert transfers[0] < 0 == sum(transfers)

    record = read_record(Path(result["run_dir"]))
    assert record.problems == []
    moves = [(event.agent, event.accepts) for event in record.of(events.NegotiationMessage)]
    assert moves == [("Gizmo", False), ("Glitch", True)]
    said = [(event.agent, event.text) for event in record.of(events.Chat)]
    # The run may be over, and nobody listen any more, before it says that it has done.
    assert [text for agent, text in said if agent == "Glitch"][:2] == ["[accept]", "[READY]"]
    strangers = [(event.agent, event.name, event.text) for event in record.of(events.StrangerSaid)]
    assert strangers == [(None, "Mallory", "[accept]"), (None, "Mallory", "[ready]")]
    joined = {event.name: event.has_seat for event in record.of(events.PlayerJoined)}
    assert joined == {"Mallory": False, "Glitch": True}
    ledger = [(e.agent, e.item) for e in record.of(events.LedgerEntry) if e.action == "dug"]
    assert ("Glitch", "diamond_ore") in ledger
    places = [event.position for event in record.of(events.PositionSampled)
              if event.agent == "Glitch"]  # fmt: skip
    assert len(set(places)) > 2
    assert RunReader(Path(result["run_dir"])).facts()["mind"] == "scripted, human"
    asked = [call for call in record.calls if call["model"] == "human"]
    assert [(call["role"], call["agent"]) for call in asked] == [("negotiator", "Glitch")]


async def test_a_person_who_is_late_passes_and_one_who_leaves_ends_the_run(server, tmp_path):
    """Glitch joins and says nothing to Gizmo's offer in time; then it leaves."""
    async with (
        waiting_for_a_person(server, tmp_path, "--answer-within", "2") as playing,
        Bridge(server.clock()) as clients,
    ):
        person = await clients.spawn("Glitch", server.host, server.port)
        await happened(tmp_path, "negotiation_message", "Glitch")
        await person.quit()
        _, complaints = await asyncio.wait_for(playing.communicate(), RUN_TIMEOUT_S)
    assert playing.returncode == 1, complaints
    (line,) = [line for line in complaints.decode().splitlines() if "failed" in line]
    assert "Glitch has left the game" in line
    (folder,) = (tmp_path / "double_vein").iterdir()
    record = read_record(folder)
    (fault,) = record.of(events.Fault)
    assert (fault.where, "Glitch has left the game" in fault.message) == ("person", True)
    failed = record.of(events.MindFailed)
    assert {event.message.split(":")[0] for event in failed} == {"no answer in time"}


# --- A model that cannot be asked ----------------------------------------------------------------


def test_an_endpoint_that_refuses_ends_the_run_and_its_bots_with_its_record(server, tmp_path):
    with serving(lambda _request: (401, b"<html>nonsense</html>")) as endpoint:
        done = play(tmp_path, "--base-url", endpoint.url, OPENAI_API_KEY="key")
    assert_failed_with_record(done.returncode, done.stderr, tmp_path, where="model")


@pytest.mark.parametrize("status", [500, 200], ids=["fails", "nonsense"])
def test_an_endpoint_that_does_not_work_ends_the_run_with_its_record(tmp_path, status):
    with serving(lambda _request: (status, b"<html>nonsense</html>")) as endpoint:
        options = ["--world", "grid", "--base-url", endpoint.url]
        done = play(tmp_path, *options, OPENAI_API_KEY="key")
    assert_failed_with_record(done.returncode, done.stderr, tmp_path, where="model")


def test_an_endpoint_that_is_slow_ends_the_run_with_its_record(tmp_path):
    def reply(_request):
        time.sleep(3)
        return 200, completion("late")

    with serving(reply) as endpoint:
        options = ["--world", "grid", "--base-url", endpoint.url, "--request-timeout", "0.2"]
        done = play(tmp_path, *options, OPENAI_API_KEY="key")
    assert "did not answer in time" in done.stderr
    assert_failed_with_record(done.returncode, done.stderr, tmp_path, where="model")
