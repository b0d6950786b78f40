"""Double-Vein on a server with real bots: results, failures during play, and a person."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.conftest import ROOT, entered, result_of, run_module
from tests.endpoint import completion, serving
from tests.scenarios.test_contract_games import assert_failed_with_record, assert_one_clear_line
from voxpolis import analysis
from voxpolis.bridge import Bridge
from voxpolis.records import events, read_record
from voxpolis.records.reader import RunReader
from voxpolis.scenarios.double_vein import POLICIES, DoubleVein
from voxpolis.server import Rcon
from voxpolis.server.state import read_password
from voxpolis.worlds.protocol import Account, ActionLog

SCENARIO = "scenarios.double_vein"
SERVER_OPTIONS = ["--speed", "5"]
RUN_TIMEOUT_S = 280  # a generous limit
# Game seconds for the test's own client; an equally generous limit at the server's speed.
LONG_S = 5 * RUN_TIMEOUT_S


def play(out, *options, **environment):
    return run_module(SCENARIO, "--out", str(out), *options, timeout=RUN_TIMEOUT_S, **environment)


# --- The result ----------------------------------------------------------------------------------


async def test_contract_1_reaches_the_highest_welfare(server, tmp_path):
    result = result_of(play(tmp_path, "--contract", "1", "--seed", "3", "--json"))
    (run,) = result["runs"]
    assert run["agents"] == {
        "Gizmo": {"iron": 12, "diamond": 0, "value": 48, "transfer": -11, "reward": 37},
        "Glitch": {"iron": 0, "diamond": 6, "value": 30, "transfer": 11, "reward": 41},
    }
    assert (run["welfare"], round(run["gini"], 2), run["seed"]) == (78, 0.05, 3)
    assert [fault for fault in run["faults"] if "too fast for this machine" not in fault] == []
    outer = {"scenario", "world", "mind", "contract", "seed", "run_dir", "welfare_optimum"}
    assert outer | {"runs", "mean", "sd", "condition", "faults"} <= set(result)
    assert (result["world"], result["mind"]) == ("minecraft", "scripted")

    record = read_record(Path(result["run_dir"]))
    assert record.problems == []
    assert record.result == result
    assert {call["model"] for call in record.calls} == {"scripted"}
    dug = [(event.agent, event.block) for event in record.of(events.BlockDug)]
    assert dug.count(("Gizmo", "iron_ore")) == 12
    assert dug.count(("Glitch", "diamond_ore")) == 6
    assert sum(event.amount for event in record.of(events.Transfer)) == 0
    assert record.events[-1].reason == "done"
    (measured,) = record.of(events.PaceMeasured)
    assert run["pace"] == measured.model_dump(include={"speed", "load", "lost", "longest_ms"})
    assert 0 <= measured.lost <= 0.25
    assert set(measured.longest_ms) == {"server", "bots", "python"}

    # The players have left; a player who returns keeps its items, according to the server.
    async with entered(server, "Gizmo", "Glitch") as world:
        held = await world.inventories(["Gizmo", "Glitch"])
    counted = DoubleVein().count(Account(held, {}, ActionLog()))
    for agent, outcome in run["agents"].items():
        assert counted[agent] == {"iron": outcome["iron"], "diamond": outcome["diamond"]}


def test_contract_2_passes_the_pickaxe_on_and_server_log_names_who_acted(server, tmp_path):
    result = result_of(play(tmp_path, "--contract", "2", "--json"))
    rewards = {name: agent["reward"] for name, agent in result["runs"][0]["agents"].items()}
    assert rewards == {"Gizmo": 39, "Glitch": 39}
    assert result["mean"]["gini"] == 0
    record = read_record(Path(result["run_dir"]))
    (handed_over,) = record.of(events.Signal)
    (last_iron,) = [e for e in record.of(events.BlockDug) if e.block == "iron_ore"][-1:]
    first_diamond = next(e for e in record.of(events.BlockDug) if e.block == "diamond_ore")
    assert (handed_over.agent, handed_over.to) == ("Gizmo", "Glitch")
    assert last_iron.t < handed_over.t < first_diamond.t
    entries = record.of(events.LedgerEntry)
    moved = [(e.agent, e.action, e.item) for e in entries if e.action in ("took", "put")]
    assert moved == [
        ("Gizmo", "took", "iron_pickaxe"),
        ("Gizmo", "put", "iron_pickaxe"),
        ("Glitch", "took", "iron_pickaxe"),
    ]
    dug = Counter()
    for entry in entries:
        dug[entry.agent, entry.item] += entry.count * (entry.action == "dug")
    assert (dug["Gizmo", "iron_ore"], dug["Glitch", "diamond_ore"]) == (12, 6)
    replayed(record.folder, tmp_path)


# --- With a language model -----------------------------------------------------------------------


def judgement(amount):
    """Return a judge's answer that makes Gizmo pay Glitch."""
    payments = [{"from": "Gizmo", "to": "Glitch", "amount": amount}]
    first = {"term": 1, "reason": "It was kept.", "payments": []}
    second = {"term": 2, "reason": "It was kept.", "payments": payments}
    return json.dumps({"findings": [first, second], "critiques": []})


def replayed(folder, tmp_path):
    """Return the result of a replay without server, network or key, with identical events."""
    nowhere = {"VOXPOLIS_SERVER": str(tmp_path / "none"), "OPENAI_API_KEY": ""}
    again = result_of(play(tmp_path, "--replay", str(folder), "--json", **nowhere))
    events_again = Path(again["run_dir"], "events.jsonl").read_bytes()
    assert events_again == (folder / "events.jsonl").read_bytes()
    return again


def spoken(move):
    """Return a negotiator's answer."""
    note = "My secret is the number 4711."
    return json.dumps({"note": note, "message": None, "move": move})


def test_run_with_a_language_model_replays_byte_for_byte(server, tmp_path):
    """The run has a negotiation, compiled clauses, a failed program, a second attempt, two episodes
    and a judge."""
    programs = []

    def reply(request):
        text = "\n".join(message["content"] for message in request["messages"])
        if "You negotiate for" in text:
            standing = re.findall(r"(?m)^You may accept proposal (\d+)\.$", text)
            if standing:
                move = {"do": "accept", "proposal": int(standing[0])}
            else:
                terms = ["Gizmo pays Glitch five.", "All else is free."]
                move = {"do": "propose", "terms": terms, "clauses": []}
            return 200, completion(spoken(move))
        if "You turn a contract" in text:
            amount = "5 * min(1, dug(Gizmo, iron))"
            clause = {"payer": "Gizmo", "receiver": "Glitch", "amount": amount, "condition": None}
            return 200, completion(json.dumps({"clauses": [clause]}))
        if "You are Judy" in text:
            return 200, completion(judgement(4))
        if "You judge how well" in text:
            return 200, completion('{"success": false, "critique": "Try ore that exists."}')
        programs.append(request["messages"][-1]["content"])
        broken = "\n  await mineBlock(bot, 'unobtainium')"
        code = broken if len(programs) == 1 else "bot.chat('Here I am.')"
        code = f"async function main(bot) {{{code}\nawait bot.waitForTicks(25)\n}}"
        return 200, completion(f"My plan.\n```javascript\n{code}\n```")

    with serving(reply) as endpoint:
        options = ["--contract", "negotiate", "--compile", "--episodes", "2", "--renegotiate"]
        options += ["--judge", "both", "--model", "local", "--base-url", endpoint.url, "--json"]
        result = result_of(play(tmp_path, *options, OPENAI_API_KEY="secret-key"))
    assert result["mind"] == "openai"
    assert [run["episode"] for run in result["runs"]] == [1, 2]
    assert [run["attempts"] for run in result["runs"]] == [2, 1]
    assert all("As clauses:\n1. Gizmo pays Glitch 5 *" in run["contract"] for run in result["runs"])
    (again,) = [text for text in programs if "no block named unobtainium" in text]
    assert "line 2, column" in again
    assert "Try ore that exists." in again
    # The judge model is compared with the exact settlement: nothing was dug.
    assert [(run["judged"], run["judge_error"]) for run in result["runs"]] == [("exact", 4)] * 2
    assert {own["transfer"] for run in result["runs"] for own in run["agents"].values()} == {0}
    folder = Path(result["run_dir"])
    record = read_record(folder)
    assert {one.error for one in record.of(events.Judgement)} == {4}
    assert len(record.of(events.CodeFailed)) == 1
    assert "secret-key" not in "".join(path.read_text() for path in folder.iterdir())
    asked = [c["messages"][-1]["content"] for c in record.calls if c["role"] == "negotiator"]
    assert sum("Episode 1. The contract" in text for text in asked) == 2
    assert not any("4711" in text for text in asked), "a hidden note was shown"
    again = replayed(folder, tmp_path)
    assert (again["mind"], again["runs"]) == (result["mind"], result["runs"])

    # A truncated record replays up to its end; for a modified record, the first difference is
    # named.
    lines = (folder / "events.jsonl").read_text().splitlines(keepends=True)
    (folder / "events.jsonl").write_text("".join(lines[: len(lines) // 2]))
    done = play(tmp_path, "--replay", str(folder))
    assert (done.returncode, "the record ends here" in done.stderr) == (1, True), done.stderr
    changed = [line.replace('"value":0.0', '"value":9.0') for line in lines]
    (folder / "events.jsonl").write_text("".join(changed))
    done = play(tmp_path, "--replay", str(folder))
    assert (done.returncode, "the replay differs at event" in done.stderr) == (1, True), done.stderr


# --- Failures during play -------------------------------------------------------------------------


class Run:
    """A run whose policies have started."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self.process = process
        self.folder = folder
        self.children = psutil.Process(process.pid).children(recursive=True)
        assert self.children

    def end(self) -> tuple[int, str]:
        """Return exit code and standard error; the run must end soon, without leftover process."""
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


async def test_disconnected_bot_is_a_fault(server, tmp_path):
    with running(tmp_path) as run:
        async with Rcon(server.host, server.rcon_port, read_password()) as rcon:
            await rcon.command("kick Glitch out of here")
        code, error = run.end()
    assert_failed_with_record(code, error, tmp_path, where="bot")
    assert "Glitch" in error


def test_killed_node_is_a_fault(server, tmp_path):
    with running(tmp_path) as run:
        (node,) = run.children
        node.kill()
        code, error = run.end()
    assert_failed_with_record(code, error, tmp_path, where="bridge")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_terminated_run_leaves_a_record_and_no_process(server, tmp_path, how):
    with running(tmp_path) as run:
        run.process.send_signal(how)
        code, error = run.end()
    assert code == (130 if how == signal.SIGTERM else -signal.SIGKILL)
    assert "Traceback" not in error
    record = read_record(run.folder)
    assert record.of(events.CodeStarted)
    if how == signal.SIGTERM:
        assert record.problems == []
        assert record.events[-1].reason == "interrupted"


def test_resumed_run_keeps_finished_repetitions_and_repeats_the_rest(server, tmp_path):
    """In Minecraft only the interrupted repetition is played again."""
    with running(tmp_path, "--runs", "2") as run:
        wait_for_lines(run, "episode_started", 2)
        run.process.send_signal(signal.SIGINT)
        assert run.end()[0] == 130
    before = read_record(run.folder)
    assert (before.problems, before.events[-1].reason) == ([], "interrupted")
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
    """Run Double-Vein with a person in Glitch's seat; yield the process while it waits for the
    person."""
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
    """Act as the person in Glitch's seat and as a stranger; return the result."""
    async with waiting_for_a_person(server, out) as playing, Bridge(server.clock()) as clients:
        stranger = await clients.spawn("Mallory", server.host, server.port)
        await stranger.run("bot.chat('[accept]')", LONG_S)
        await happened(out, "stranger_said")
        async with Rcon(server.host, server.rcon_port, read_password()) as console:
            await console.command("say The river is clean.")  # the console is not a stranger
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


async def test_person_plays_against_scripted_gizmo(server, tmp_path):
    """Glitch is a separate client that joins, accepts Gizmo's offer, digs, and is judged; a
    stranger who types the same words is ignored.
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
    # The run may end before it reports this.
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


# --- A separate server ---------------------------------------------------------------------------


def test_killed_server_is_a_fault(own_server, tmp_path):
    with running(tmp_path) as run:
        psutil.Process(own_server.pid).kill()
        code, error = run.end()
    assert_failed_with_record(code, error, tmp_path, where="bot")
    refused = play(tmp_path)
    assert_one_clear_line(refused)
    assert "does not answer" in refused.stderr
