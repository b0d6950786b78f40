"""Persons who play by forms and keys, in every loop of a game: asked, read, recorded, replayed."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections import deque

import pytest

from bots.agents.by_form import AWAY_S, MOST_MISSED, FormModel, keys, next_step
from bots.models import Account, AccountedModel
from experiments.command import main
from experiments.registry import experiment
from records import RunReader, events, find_runs, read_record
from records.questions import ANSWERS, QUESTIONS, Choice, Desk, OpenQuestions, answer
from tests.conftest import ROOT
from tests.cooperation_values import ballot
from tests.negotiating import accept, said
from tests.taking_part import answering, answering_here, play


def replays_alike(scenario, folder, out):
    """Replay a run without anybody, and return whether its events are the same, byte for byte."""
    code, again = play(scenario, out, replay=folder)
    assert code == 0
    return (again / "events.jsonl").read_bytes() == (folder / "events.jsonl").read_bytes()


def result_of(folder):
    return json.loads((folder / "result.json").read_text())


#: Accepts the second proposal.
DEAL = accept(2).text()


class Miner:
    """Plays Double-Vein by keys: bargains, fetches the iron pickaxe, and digs a diamond."""

    def __init__(self):
        self.said = deque([DEAL.replace("2", "9"), said("A better one?").text(), DEAL])

    def __call__(self, question):
        if question["role"] == "negotiator":
            return self.said.popleft()
        text = question["text"]
        wanted = "diamond" if re.search(r"You hold: .*iron_pickaxe", text) else "iron_pickaxe"
        if re.search(r"You hold: .*diamond", text):
            return "Escape"
        by_text = {one["text"]: one["key"] for one in question["choices"]}
        if (dig := by_text.get(f"pick up {wanted}")) is not None:
            return dig
        goal = cell(re.search(rf"- \d+ {wanted} (.*)", text)[1])
        moves = {key: cell(text) for text, key in by_text.items() if text.startswith("go to")}
        return min(moves, key=lambda key: sum(abs(a - b) for a, b in zip(moves[key], goal)))  # noqa: B905


def cell(text):
    row, column = re.search(r"\((-?\d+), (-?\d+)\)", text).groups()
    return int(row), int(column)


def test_a_person_negotiates_and_digs_on_the_grid_and_the_run_is_replayed(tmp_path):
    options = {"world": "grid", "condition": "negotiate", "human": ("Glitch",)}
    with answering(tmp_path / "runs", Miner()) as asked:
        code, folder = play("double_vein", tmp_path / "runs", **options)
    record, result = read_record(folder), result_of(folder)
    assert code == 0
    assert result["agents_kinds"] == {"Gizmo": "code_writer", "Glitch": "human"}
    assert result["people"] == ["Glitch"]
    (run,) = result["runs"]
    assert run["agents"]["Glitch"]["diamond"] == 1
    assert run["acted"] == ["Gizmo", "Glitch"]
    assert "proposal" in asked[1]["complaint"]
    moves = [(event.agent, event.accepts) for event in record.of(events.NegotiationMessage)]
    assert moves[1:] == [("Glitch", False), ("Gizmo", False), ("Glitch", True)]
    dug = [
        e.item for e in record.of(events.LedgerEntry) if (e.agent, e.action) == ("Glitch", "dug")
    ]
    assert dug == ["diamond_ore"]
    assert [event.agent for event in record.of(events.SeatTaken)] == ["Glitch"]
    assert RunReader(folder).facts()["mind"] == "scripted, human"
    assert replays_alike("double_vein", folder, tmp_path / "again")


def test_a_person_takes_the_turns_of_a_commons(tmp_path):
    """Apples that the person goes to are eaten by its agent; one turn passes unanswered."""
    turns = deque(["1", None, "stay put"])
    options = {"condition": "coop", "human": ("Laura",), "settings": ("rounds=3",)}
    with answering(tmp_path / "runs", lambda _: turns.popleft()) as asked:
        code, folder = play("commons", tmp_path / "runs", **options, answer_within=1.0)
    assert code == 0
    record = read_record(folder)
    first = asked[0]["choices"][0]["text"]
    taken = [event.action for event in record.of(events.TurnTaken) if event.agent == "Laura"]
    assert taken == [first, "stay put", "stay put"]
    assert first.startswith("go to position")
    assert any(event.agent == "Laura" for event in record.of(events.AppleEaten))
    failed = [(event.agent, event.role) for event in record.of(events.MindFailed)]
    assert failed == [("Laura", "step")]
    decisions = result_of(folder)["decisions"]["agents"]["Laura"]
    assert decisions == {"asked": 3, "failed": {"step: no answer in time": 1}}
    assert replays_alike("commons", folder, tmp_path / "again")
    lines = (folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "events.jsonl").write_bytes(b"".join(lines[:-1]))
    patience = {"resume": folder, "answer_within": 2.0, "json_output": True}
    assert main(experiment("commons"), patience) == 0, "who goes on with it says how patient it is"


def test_a_person_is_one_voter_of_a_village_and_all_else_is_scripted(tmp_path):
    """Only Ada's opinion and ballot are a person's; its ballot counts."""

    def say(question):
        if question["role"] == "feedback":
            return '{"opinion": "Let it be a tenth."}'
        if not question["complaint"]:
            return '{"votes": []}'
        amendments = question["schema"]["properties"]["votes"]["minItems"]
        return ballot(*["no"] * amendments).text()

    options = {"condition": "full", "human": ("Ada:feedback", "Ada:ballot"), "runs": 1}
    settings = ("stances=anti", "agents=8", "length_s=130", "first_season_s=10", "feedback_s=30",
                "amendments_s=50", "vote_s=70", "tally_s=90", "enactment_s=100",
                "season_every_s=60")  # fmt: skip
    with answering(tmp_path / "runs", say) as asked:
        code, folder = play("taxation", tmp_path / "runs", **options, settings=settings)
    assert code == 0
    assert [(one["role"], bool(one["complaint"])) for one in asked] == [
        ("feedback", False), ("ballot", False), ("ballot", True)
    ]  # fmt: skip
    record = read_record(folder)
    said = {event.agent: event.text for event in record.of(events.FeedbackGiven)}
    assert said["Ada"] == "Let it be a tenth."
    (cast,) = [event.choices for event in record.of(events.BallotCast) if event.agent == "Ada"]
    assert set(cast) == {"no"}
    assert {call["agent"] for call in record.calls} == {"Ada"}
    assert result_of(folder)["people"] == ["Ada:feedback", "Ada:ballot"]
    assert replays_alike("taxation", folder, tmp_path / "again")


def test_a_person_lives_in_a_village(tmp_path):
    speech = "Pay less, all of you."
    decision = {"action": {"do": "WORK"}, "about": "the tax", "expects": None}
    words = {"decide": json.dumps(decision), "talk": json.dumps({"say": speech})}
    options = {"condition": "frozen", "human": ("Ada",), "runs": 1}
    settings = ("stances=none", "agents=6", "length_s=40", "first_season_s=10")
    with answering(tmp_path / "runs", lambda one: words[one["role"]]) as asked:
        code, folder = play("taxation", tmp_path / "runs", **options, settings=settings)
    assert code == 0
    record = read_record(folder)
    assert {one["role"] for one in asked} == {"decide", "talk"}
    decided = {event.action for event in record.of(events.Decided) if event.agent == "Ada"}
    assert decided == {"WORK"}
    assert any(event.text == speech for event in record.of(events.Spoke))
    assert [event.agent for event in record.of(events.SeatTaken)] == ["Ada"]
    assert replays_alike("taxation", folder, tmp_path / "again")


@pytest.mark.parametrize("seats", [["Ada"], ["Ada:ballot", "Ada:feedback"]], ids=" ".join)
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_ended_while_a_person_is_asked_ends_in_order(tmp_path, seats, how):
    """What was asked is in the record as cut off, and nothing but one line is printed."""
    command = [sys.executable, "-W", "error", "-m", "scenarios.taxation", "--runs", "1"]
    options = [*(f"--human={seat}" for seat in seats), "--set", "first_season_s=10", "--set",
               "feedback_s=30", "--out", str(tmp_path)]  # fmt: skip
    with subprocess.Popen([*command, *options], cwd=ROOT, stderr=subprocess.PIPE, text=True,
                          stdout=subprocess.PIPE) as run:  # fmt: skip
        until = time.monotonic() + 100
        while not any(OpenQuestions(folder).now() for folder in find_runs([tmp_path])):
            assert run.poll() is None
            assert time.monotonic() < until
            time.sleep(0.05)
        run.send_signal(how)
        printed, complained = run.communicate(timeout=60)
    (folder,) = find_runs([tmp_path])
    assert run.returncode == 130
    assert "Traceback" not in printed + complained
    assert complained.splitlines()[-1] == "interrupted; the record holds what happened so far"
    record = read_record(folder)
    assert [event.reason for event in record.of(events.RunEnded)] == ["interrupted"]
    assert record.calls[-1]["cut_off"]
    assert OpenQuestions(folder).now() == []


# --- The desk ------------------------------------------------------------------------------------


CHOICES = (Choice("stay", "."), Choice("go to (0, 1)", "ArrowDown"))


async def test_who_does_not_answer_leaves_it_to_the_default_and_is_not_waited_for_long(tmp_path):
    model = AccountedModel(FormModel(Desk(tmp_path), 0.1), Account())
    for _ in range(MOST_MISSED + 1):
        began = time.monotonic()
        assert await next_step(model, "Ada", "You stand at (0, 0).", CHOICES) is None
        waited = time.monotonic() - began
    assert waited > AWAY_S
    assert model.account.as_json()["failed"] == MOST_MISSED + 1
    assert OpenQuestions(tmp_path).now() == []


async def test_answers_are_taken_by_key_or_words_once_and_for_their_own_question(tmp_path):
    (tmp_path / QUESTIONS).write_text('{"name": "old", "until": 9e12}\n')
    (tmp_path / ANSWERS).write_text("nonsense\n")
    asking = OpenQuestions(tmp_path)
    assert [one["name"] for one in asking.now()] == ["old"]
    model = FormModel(Desk(tmp_path), 60)
    assert asking.now() == []
    with pytest.raises(ValueError, match="nobody waits"):
        answer(tmp_path, "old", ".")
    said = deque([".", "go to (0, 1)", "fly", "ArrowDown"])
    with answering_here(tmp_path, said) as asked:
        assert await next_step(model, "Ada", "Here.", CHOICES) == CHOICES[0]
        assert await next_step(model, "Ada", "Here.", CHOICES) == CHOICES[1]
        assert await next_step(model, "Ada", "Here.", CHOICES) == CHOICES[1]
    assert [bool(one["complaint"]) for one in asked] == [False, False, False, True]
    assert {one["text"] for one in asked} == {"Here."}
    with pytest.raises(ValueError, match="at most"):
        answer(tmp_path, "old", "x" * 20_001)


def test_every_choice_has_a_key_of_its_own_as_long_as_there_are_any():
    given = [key for key, _ in zip(keys(), range(40), strict=False)]
    named = [key for key in given if key]
    assert len(set(named)) == len(named) == 34
    assert given[34:] == [""] * 6
