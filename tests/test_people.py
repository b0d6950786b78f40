"""Persons who take part, without a server: what they are told, asked and heard as."""

from __future__ import annotations

import asyncio
import json
from collections import deque

import pytest

from bots.agents.person import BEGUN, DONE, GO, READY, Person, PersonLeftError, Seat
from bots.agents.protocol import NOT_RUN, AgentSetup, Briefing, Review
from bots.models import Account, AccountedModel, ChatRequest, ModelError, ScriptedModel
from experiments.command import plan
from experiments.model_choice import RoutedModel, priced
from experiments.people import HUMAN, LATE, person_model, question, seats_of
from experiments.registry import experiment
from experiments.usage import UsageError
from judge.contract import Terms
from judge.negotiation import Move, Turn, negotiate
from records import RunWriter, events
from tests.negotiating import accept, offer, said
from worlds.minecraft.people import People, PersonBody

TERMS = Terms(("Gizmo", "Glitch"), {"iron": 12, "diamond": 6})
BRIEFINGS = {"Gizmo": "Iron is worth 4.", "Glitch": "Diamonds are worth 5."}


class Chat:
    """A seat whose person types the next of some lines whenever it is waited for."""

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


async def test_a_person_accepts_in_chat():
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


async def test_a_person_proposes_clauses_line_by_line():
    person = Chat("How about this?", "[contract]", "1. Glitch pays 2 for each iron.", "[clauses]",
                  "Glitch pays Gizmo 2 * held(Gizmo, iron)", "[clauses end]", "[contract end]",
                  "[send]")  # fmt: skip
    found, _ = await negotiation(person, said("You first."), accept(1))
    assert found.agreed is not None
    assert found.agreed.clauses == ("Glitch pays Gizmo 2 * held(Gizmo, iron)",)
    assert found.moves[1].message == "How about this?"


async def test_a_person_is_told_what_cannot_be_used_and_says_it_again():
    clause = ["[contract]", "1. I pay.", "[clauses]", "Glitch pays Gizmo lots", "[clauses end]"]
    person = Chat("[accept]", *clause, "[contract end]", "[send]", "I see.", "[send]", "[accept]")
    found, calls = await negotiation(person, said("Hm."), OFFER)
    assert found.agreed is not None
    assert found.moves[1].message == "I see."
    assert person.told[2] == "There is no proposal of another player to accept."
    assert '"lots" is no amount' in person.told[3]
    assert len(calls) == 3
    # The briefing comes once, and what was said since one's own last message.
    assert person.told.count(BRIEFINGS["Glitch"]) == 1
    assert "Hm." not in person.told[4]


async def test_who_sends_nothing_in_time_passes_and_can_still_accept_later():
    person = Chat("I am still th")
    answers = iter([OFFER, offer("Gizmo pays Glitch 5 emeralds.")])

    def gizmo(_request):
        if len(person.told) > 1:  # the person was late: what it types now belongs to no message
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
    assert failed.message.startswith("no answer in time")
    assert person.told.count(LATE) == 1
    assert json.loads(calls[-1]["answer"])["move"] == {"do": "accept", "proposal": 2}


@pytest.mark.parametrize("when", ["asked", "asks"])
async def test_nobody_waits_for_a_person_who_has_left(when):
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


def test_a_persons_question_names_a_clause_of_its_own_game():
    moves = (Move("Glitch", message="old"), Move("Gizmo", message="new"))
    asked = question(Turn("Glitch", "", TERMS, moves, 2))
    assert "Gizmo pays Glitch 2 * held(Gizmo, iron)" in asked
    assert "new" in asked
    assert "old" not in asked


async def test_a_person_is_asked_for_nothing_but_words():
    model = person_model(Chat().seat, 60.0, lambda _: None)
    with pytest.raises(ModelError, match="a person cannot be asked for action"):
        await model.complete(ChatRequest([], "action", "Glitch", 0.1, 100))


class World:
    """What the server says of players."""

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


async def test_a_person_is_briefed_waited_for_and_told_what_came_of_it():
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


async def test_one_line_says_which_person_is_waited_for():
    world, said = World(), []
    seat = Seat("Glitch")
    people = People(world, {"Glitch": seat}, "127.0.0.1:25565", said.append)
    waiting = asyncio.create_task(people.are_here())
    while not said:
        await asyncio.sleep(0)
    world.players["Glitch"] = ((0, 0, 0), {})
    await waiting
    assert said == ["waiting for a person to join 127.0.0.1:25565 as Glitch, with Minecraft 1.20.4"]
    await people.are_here()
    assert len(said) == 1
    await seat.tell('He said "§kno"\n' + "x" * 250)
    lines = [line.partition(" {")[2] for line in world.commands]
    assert [line.count("x") for line in lines] == [1, 201, 51]
    assert "\\u00a7" not in lines[0]


def heard(event, seats):
    return People(World(), seats, "", print).heard(event, ["Gizmo"])


def test_words_of_bots_persons_and_strangers_are_told_apart():
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
        ("double_vein", {"human": ("Bob:judge",), "world": "grid"}, "there is no agent 'Bob'"),
        ("double_vein", {"human": ("Gizmo", "Glitch")}, "one agent at least must be a bot"),
        ("double_vein", {"human": ("Gizmo",), "agent": ("Gizmo=voyager",)}, "two kinds for Gizmo"),
        ("taxation", {"human": ("Ada:balot",)}, "did you mean ballot?"),
        (
            "crafting_tree",
            {"human": ("Ada",), "world": "minecraft"},
            "persons and .* only --tree ada",
        ),
    ],
)
def test_where_no_person_can_play_one_line_says_so(name, values, told):
    with pytest.raises(UsageError, match=told):
        plan(experiment(name), values, priced)


@pytest.mark.parametrize(
    ("name", "value"), [("speed", 5.0), ("server", "new"), ("wait_for_minds", True)]
)
@pytest.mark.parametrize("scenario", ["double_vein", "taxation"])
def test_an_option_of_minecrafts_is_refused_elsewhere(scenario, name, value):
    values = {name: value, "world": "grid"}
    with pytest.raises(UsageError, match=f"--{name.replace('_', '-')}.* is for --world minecraft"):
        plan(experiment(scenario), values, priced)
    plan(experiment(scenario), {**values, "world": "minecraft"}, priced)


def test_a_run_that_a_person_took_part_in_is_not_replayed(tmp_path):
    played = plan(experiment("double_vein"), {"human": ("Glitch",)}, priced)
    with RunWriter(tmp_path, played.manifest()) as writer:
        writer.event(events.RunEnded, reason="done")
    with pytest.raises(UsageError, match="cannot be replayed"):
        plan(experiment("double_vein"), {"replay": tmp_path}, priced)


def test_a_person_has_a_seat_and_others_their_kinds():
    run = plan(experiment("harvest"), {"human": ("Gizmo",)}, priced)
    assert run.prepared.notes(run.choice)[0] == "Gizmo is played by a person, who sends no signals."
    assert set(run.seats) == {"Gizmo"} == set(seats_of(run.agents))
    assert run.agents["Glitch"] == "code_writer"
