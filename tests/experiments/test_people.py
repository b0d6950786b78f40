"""Persons who take part in a run, without a server: messages, questions and answers."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
import time
from collections import deque

import pytest

from tests.conftest import ROOT
from tests.taking_part import answering, answering_here, play
from voxpolis.analysis.report.gallery import cards_of
from voxpolis.bots.agents.form_model import AWAY_S, MOST_MISSED, FormModel, next_step
from voxpolis.bots.agents.person import BEGUN, DONE, GO, READY, Person, PersonLeftError, Seat
from voxpolis.bots.agents.protocol import NOT_RUN, AgentSetup, Briefing, Review
from voxpolis.bots.models import Account, AccountedModel, ScriptedModel
from voxpolis.experiments.people.people import HUMAN, LATE, person_model, seats_of
from voxpolis.experiments.run.command import main, plan
from voxpolis.experiments.run.model_choice import RoutedModel, priced
from voxpolis.experiments.run.options import UsageError
from voxpolis.experiments.run.registry import scenario as experiment
from voxpolis.judge.contracts.contract import Terms
from voxpolis.judge.contracts.negotiation import Accept, Propose, Talk, TurnAnswer, negotiate
from voxpolis.judge.law.constitution import Ballot, Vote
from voxpolis.records import RunReader, RunWriter, events, find_runs, read_record
from voxpolis.records.questions import (
    ANSWERS,
    QUESTIONS,
    Choice,
    HumanInputQueue,
    OpenQuestions,
    answer,
)
from voxpolis.worlds.minecraft.people import People, PersonBody


def said(message=None, move=None):
    """Return a turn's answer; without a move it only says something."""
    return TurnAnswer(note=None, message=message, move=move or Talk())


def offer(term, message=None):
    return said(message, Propose(terms=[term], clauses=[]))


def accept(number):
    return said(move=Accept(proposal=number))


TERMS = Terms(("Gizmo", "Glitch"), {"iron": 12, "diamond": 6})
BRIEFINGS = {"Gizmo": "Iron is worth 4.", "Glitch": "Diamonds are worth 5."}


class Chat:
    """A seat whose person types the next line of a script whenever the game waits for it."""

    def __init__(self, *typed):
        self.seat = Seat("Glitch")
        self.told = []
        self.comes_back = False
        self.seat.attach(self._tell)
        for line in typed:
            self.seat.hear(line)

    async def _tell(self, text):
        self.told.append(text)
        if self.comes_back and "It is your turn to speak" in text:
            self.seat.hear("[accept]")


async def negotiation(person, *gizmo, within_s=60.0):
    calls, answers = [], deque(gizmo)
    scripted = ScriptedModel(lambda _: answers.popleft())
    model = RoutedModel(scripted, {"Glitch": person_model(person.seat, within_s, calls.append)})
    return await negotiate(model, BRIEFINGS, TERMS, 4, lambda _: None), calls


OFFER = offer("Gizmo pays Glitch 3 emeralds.", message="I pay you.")


async def test_person_accepts_in_chat():
    person = Chat("[ACCEPT]")
    found, calls = await negotiation(person, OFFER)
    assert found.agreed is not None
    assert found.agreed.text == "1. Gizmo pays Glitch 3 emeralds."
    briefing, asked = person.told
    assert briefing == BRIEFINGS["Glitch"]
    assert "Gizmo made proposal 1:\n> 1. Gizmo pays Glitch 3 emeralds." in asked
    assert "3 messages are left" in asked
    (call,) = calls
    assert (call["role"], call["agent"], call["model"]) == ("negotiator", "Glitch", HUMAN)


async def test_person_is_told_about_invalid_answer_and_repeats_it():
    clause = ["[contract]", "1. I pay.", "[clauses]", "Glitch pays Gizmo lots", "[clauses end]"]
    person = Chat("[accept]", *clause, "[contract end]", "[send]", "I see.", "[send]", "[accept]")
    found, calls = await negotiation(person, said("Hm."), OFFER)
    assert found.agreed is not None
    assert found.moves[1].message == "I see."
    assert person.told[2] == "There is no proposal of another player to accept."
    assert '"lots" is not an amount' in person.told[3]
    assert len(calls) == 3
    # The briefing is sent once; after that, only messages since the person's last message are sent.
    assert person.told.count(BRIEFINGS["Glitch"]) == 1
    assert "Hm." not in person.told[4]


async def test_person_who_sends_nothing_in_time_passes_and_can_accept_later():
    person = Chat("I am still th")
    answers = iter([OFFER, offer("Gizmo pays Glitch 5 emeralds.")])

    def gizmo(_request):
        if len(person.told) > 1:  # lines that come too late must not belong to the next message
            person.seat.hear("inking.")
            person.comes_back = True
        return next(answers)

    calls = []
    own = person_model(person.seat, 0.2, calls.append)
    model = AccountedModel(RoutedModel(ScriptedModel(gizmo), {"Glitch": own}), Account())
    found = await negotiate(model, BRIEFINGS, TERMS, 4, lambda _: None)
    assert found.agreed is not None
    assert "5 emeralds" in found.agreed.text
    (failed,) = model.take_failures(BRIEFINGS)
    assert failed.agent == "Glitch"
    assert failed.message == "no answer in time"
    assert person.told.count(LATE) == 1
    assert json.loads(calls[-1]["answer"])["move"] == {"do": "accept", "proposal": 2}


@pytest.mark.parametrize("when", ["asked", "asks"])
async def test_run_does_not_wait_for_a_person_who_left(when):
    person = Chat("wait")
    if when == "asked":
        asyncio.get_running_loop().call_later(0.2, person.seat.leave)
    else:
        person.seat.leave()
    with pytest.raises(PersonLeftError, match="Glitch has left the game"):
        await asyncio.wait_for(negotiation(person, OFFER), 10)
    person.seat.enter()
    person.seat.hear(READY)
    await asyncio.wait_for(person.seat.until(READY), 10)


class World:
    """A server that answers questions about players."""

    def __init__(self):
        self.commands = []
        self.players = {}

    async def ask(self, line):
        self.commands.append(line)

    async def has(self, name):
        return name in self.players

    async def inventory(self, name):
        return self.players[name][1]

    async def position(self, name):
        return self.players[name][0]


async def test_run_briefs_person_waits_for_it_and_tells_it_the_outcome():
    world, person, noted = World(), Chat("hello", READY.upper(), "what now?", DONE), []
    world.players["Glitch"] = ((0.4, 151.0, 2.0), {"iron_pickaxe": 1})
    body = PersonBody(world, "Glitch", person.seat)
    briefing = Briefing("Glitch", "Dig.", "Gizmo pays.")
    own = Person(AgentSetup(briefing, body, None, lambda kind, **_: noted.append(kind)))
    assert not own.is_ready
    assert await own.prepare(await body.observe()) == ""
    assert person.told[0] == "Dig."
    assert "Gizmo pays." in person.told[1]
    assert person.told[2] == f"You are at (0, 151, 2). You hold: 1 iron_pickaxe.\n{GO}"
    assert body.last is None
    await own.live()
    assert noted == [events.SeatTaken]
    assert person.told[3] == BEGUN
    assert body.last is not None
    assert body.last.status == "done"
    assert await own.review(Review("You got 5.", ["Gizmo kept it."], NOT_RUN)) is None
    assert person.told[-1] == "It is over.\nYou got 5.\nGizmo kept it."
    body.begin(60, 1)
    assert body.last is None
    with pytest.raises(RuntimeError, match="without programs"):
        await body.act("")


async def test_waiting_message_names_the_person():
    world, told, seat = World(), [], Seat("Glitch")
    people = People(world, {"Glitch": seat}, "127.0.0.1:25565", told.append)
    waiting = asyncio.create_task(people.are_here())
    while not told:
        await asyncio.sleep(0)
    world.players["Glitch"] = ((0, 0, 0), {})
    await waiting
    assert told == ["waiting for a person to join 127.0.0.1:25565 as Glitch, with Minecraft 1.20.4"]
    await seat.tell('He said "§kno"\n' + "x" * 250)
    lines = [line.partition(" {")[2] for line in world.commands]
    assert [line.count("x") for line in lines] == [1, 201, 51]
    assert "\\u00a7" not in lines[0]


def heard(event, seats):
    return People(World(), seats, "", print).heard(event, ["Gizmo"])


def test_chat_of_bots_persons_and_strangers_is_distinguished():
    seat = Seat("Glitch")
    seats = {"Glitch": seat}

    def typed(name):
        told = events.StrangerSaid(t=1, episode=0, agent="Gizmo", name=name, text="[accept]")
        return heard(told, seats)

    assert typed("Gizmo") is None
    stranger = typed("Mallory")
    assert (stranger.kind, stranger.agent, stranger.name) == ("stranger_said", None, "Mallory")
    person = typed("Glitch")
    assert (person.kind, person.agent, person.text) == ("chat", "Glitch", "[accept]")
    assert asyncio.run(asyncio.wait_for(seat.line(), 5)) == "[accept]"
    for kind in (events.PlayerJoined, events.PlayerLeft):
        has_seat = {}
        for name in ("Gizmo", "Glitch", "Mallory"):
            found = heard(kind(t=1, episode=0, agent="Gizmo", name=name), seats)
            has_seat[name] = found and found.has_seat
        assert has_seat == {"Gizmo": None, "Glitch": True, "Mallory": False}
    other = events.Chat(t=1, episode=0, agent="Gizmo", text="hi")
    assert heard(other, seats) is other


@pytest.mark.parametrize(
    ("name", "values", "told"),
    [
        ("double_vein", {"human": ("Bob",)}, "there is no agent 'Bob'"),
        ("double_vein", {"human": ("Gizmo:nobody",)}, "there is no role 'nobody'"),
        ("double_vein", {"human": ("Gizmo",), "agent": ("Gizmo=voyager",)}, "two kinds for Gizmo"),
        ("taxation", {"human": ("Ada:balot",)}, "did you mean ballot?"),
        (
            "crafting_tree",
            {"human": ("Ada",), "world": "minecraft"},
            "persons and .* need --tree ada",
        ),
    ],
)
def test_person_who_cannot_play_is_reported_in_one_line(name, values, told):
    with pytest.raises(UsageError, match=told):
        plan(experiment(name), values, priced)


def test_run_with_a_person_is_not_replayed(tmp_path):
    played = plan(experiment("double_vein"), {"human": ("Glitch",)}, priced)
    with RunWriter(tmp_path, played.manifest()) as writer:
        writer.event(events.RunEnded, reason="done")
    with pytest.raises(UsageError, match="cannot be replayed"):
        plan(experiment("double_vein"), {"replay": tmp_path}, priced)


def test_person_gets_a_seat_and_other_agents_keep_their_kinds():
    run = plan(experiment("harvest"), {"human": ("Gizmo",)}, priced)
    assert run.prepared.notes(run.choice)[0] == "Gizmo is played by a person, who sends no signals."
    assert set(run.seats) == {"Gizmo"} == set(seats_of(run.agents))
    assert run.agents["Glitch"] == "code_writer"


def replays_alike(scenario, folder, out):
    """Replay a run without persons; return whether its events are identical."""
    code, again = play(scenario, out, replay=folder)
    assert code == 0
    return (again / "events.jsonl").read_bytes() == (folder / "events.jsonl").read_bytes()


def result_of(folder):
    return json.loads((folder / "result.json").read_text())


# Accepts the second proposal.
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


def test_person_negotiates_and_digs_on_the_grid_and_run_replays(tmp_path):
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


def test_person_plays_the_crafting_tree_step_by_step(tmp_path):
    """The person picks up what it stands on, or goes to the first listed thing."""

    def pick(question):
        keys = {one["text"]: one["key"] for one in question["choices"]}
        if picks := [key for text, key in keys.items() if text.startswith("pick up")]:
            return picks[0]
        goal = cell(re.search(r"- \d+ \w+ (.*)", question["text"])[1])
        moves = {key: cell(text) for text, key in keys.items() if text.startswith("go to")}
        return min(moves, key=lambda key: sum(abs(a - b) for a, b in zip(moves[key], goal)))  # noqa: B905

    options = {"world": "grid", "condition": "adasociety", "human": ("Ada",)}
    with answering(tmp_path, pick) as asked:
        code, folder = play("crafting_tree", tmp_path, **options, settings=["time_limit_s=20"])
    assert code == 0
    result = result_of(folder)
    assert (result["people"], result["agents_kinds"]) == (["Ada"], {"Ada": "human"})
    assert result["decisions"]["agents"]["Ada"] == {"asked": len(asked), "failed": {}}
    assert result["runs"][0]["agents"]["Ada"]["items"] > 0


def test_person_plays_turns_of_a_commons(tmp_path):
    """The person's agent eats the apples that it goes to; one turn has no answer."""
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
    (card,) = cards_of({"one": folder})
    assert card.minds == "scripted, and a person"
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


def test_person_can_be_one_voter_among_scripted_villagers(tmp_path):
    """Only Ada's opinion and ballot come from a person; the ballot counts."""

    def say(question):
        if question["role"] == "feedback":
            return '{"opinion": "Let it be a tenth."}'
        if not question["complaint"]:
            return '{"votes": []}'
        amendments = question["schema"]["properties"]["votes"]["minItems"]
        numbers = range(1, amendments + 1)
        return Ballot(votes=[Vote(amendment=n, vote="no") for n in numbers]).text()

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


@pytest.mark.parametrize(
    ("seats", "how"),
    [(["Ada"], signal.SIGINT), (["Ada:ballot", "Ada:feedback"], signal.SIGTERM)],
)
def test_run_that_ends_while_it_waits_for_a_person_shuts_down_cleanly(tmp_path, seats, how):
    """The record marks the question as cut off, and only one line is printed."""
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


# --- Form questions -------------------------------------------------------------------------------


CHOICES = (Choice("stay", "."), Choice("go to (0, 1)", "ArrowDown"))


async def test_missing_answer_uses_the_default_after_a_short_wait(tmp_path):
    model = AccountedModel(FormModel(HumanInputQueue(tmp_path), 0.1), Account())
    for _ in range(MOST_MISSED + 1):
        began = time.monotonic()
        assert await next_step(model, "Ada", "You stand at (0, 0).", CHOICES) is None
        waited = time.monotonic() - began
    assert waited > AWAY_S
    assert model.account.as_json()["failed"] == MOST_MISSED + 1
    assert OpenQuestions(tmp_path).now() == []


async def test_question_accepts_one_answer_by_key_or_text(tmp_path):
    (tmp_path / QUESTIONS).write_text('{"name": "old", "until": 9e12}\n')
    (tmp_path / ANSWERS).write_text("nonsense\n")
    asking = OpenQuestions(tmp_path)
    assert [one["name"] for one in asking.now()] == ["old"]
    model = FormModel(HumanInputQueue(tmp_path), 60)
    assert asking.now() == []
    with pytest.raises(ValueError, match="no longer open"):
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
