"""Coherence of words with actions and facts, and the spread of a rumour."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.scenarios.test_society_minds import played, prepare
from tests.scenarios.test_specialisation import empty
from voxpolis.analysis.figure_styles import Format
from voxpolis.analysis.figures import save_all
from voxpolis.bots.agents.piano.actions import NOTHING, ActionSet, Known, Verb, announcement
from voxpolis.bots.agents.piano.agent import Seen
from voxpolis.bots.agents.piano.modules.controller import DecideRequest
from voxpolis.bots.agents.piano.modules.talking import TalkRequest
from voxpolis.bots.agents.piano.society import FULL
from voxpolis.bots.agents.piano.task import Decision
from voxpolis.bots.models import ChatRequest
from voxpolis.experiments.loops.society.statements import Claim, CoherenceMonitor, claims_in
from voxpolis.records import events
from voxpolis.records.measures import announcements, coherence
from voxpolis.scenarios import coherence as scenario
from voxpolis.scenarios.coherence import repeats, show, summary
from voxpolis.scenarios.coherence.scripted import RUMOUR, TalkerParams, Talkers
from voxpolis.worlds.trades import Report, Trades, TradeVillage, read_trades, settle, verbs

HELD = {"bread": 2, "coal": 5, "oak_log": 3, "wooden_pickaxe": 1, "poppy": 1}


async def carry(_task):
    return None


class Watched:
    """Ada's words and actions in a village with trades whose reports are supplied by the test."""

    def __init__(self):
        self.t, self.denied = 0.0, []
        plan = settle(Trades(**read_trades()), ["Ada", "Ben"], 9, seed=0, hearing_blocks=16)
        self.world = TradeVillage(plan, lambda: self.t, seed=0)
        verbs = [Verb(n, NOTHING, carry, announcement(n.lower())) for n in ("MINE", "EAT", "GIVE")]
        self.watch = CoherenceMonitor(
            self.world, ActionSet(verbs), lambda: self.t, lambda *told: self.denied.append(told)
        )

    def report(self, verb, item="", gained=None, spent=None, to="", reason=""):
        report = Report(self.t, "Ada", verb, item, reason, gained or {}, spent or {}, to)
        for listener in self.world.listeners:
            listener(report)


# --- Claims ---


def test_claims_are_about_known_items():
    items = ("oak_log", "bread", "cod", "poppy", "torch")
    assert claims_in("I have 3 oak logs. I made torches!", items) == [
        Claim("has", "oak_log", 3), Claim("made", "torch")]  # fmt: skip
    assert claims_in("I have a dream. I have two poppies", items) == [Claim("has", "poppy", 2)]
    assert claims_in("I have no bread and I am eating", items) == [
        Claim("none", "bread"), Claim("eats")]  # fmt: skip
    assert claims_in("I have codfish", items) == []


# --- Promises ---


def test_promise_is_kept_by_a_gift_within_a_minute():
    one = Watched()
    for wait, given in ((10, True), (59, True), (61, True), (5, False)):
        one.watch.on_utterance("Ada", "Here is one bread for you, Ben.", HELD)
        one.t += wait
        one.report("GIVE", "bread", spent={"bread": 1}, to="Ben", reason="" if given else "no")
        one.t += 100
    assert one.watch.outcome()["promised"] == {"of": 4, "kept": 0.5}


# --- Announcements ---


# Modules that make no difference to talkers in these tests.
IDLE = ("reflexes", "social_awareness", "goals", "planning", "self_reflection")
LEAST = {name: period for name, period in FULL.items() if name not in IDLE}


async def lived(out, condition, *settings, mind=None, seed=0):
    values = {"settings": settings, "runs": 1, "out": out, "condition": condition, "seed": seed}
    return await played(prepare(scenario.Coherence, values), mind)


LONG = ("length_s=2400", "agents=10", "ways.talkative=1", f"modules={LEAST}".replace("'", ""))


@pytest.fixture(scope="module")
async def liars(tmp_path_factory):
    rates = ("ways.lies=0.3", "ways.boasts=0.25", "ways.breaks=0")
    return await lived(tmp_path_factory.mktemp("liars"), "full", *LONG, *rates)


async def test_boasts_are_denied_at_their_rate(liars):
    entry, record = liars
    found = entry["statements"]
    error = (0.25 * 0.75 / found["claimed"]["of"]) ** 0.5
    assert found["claimed"]["denied"] == pytest.approx(0.25, abs=2.5 * error)
    denied = record.of(events.ClaimDenied)
    assert {event.item for event in denied} == {"diamond"}
    assert len(denied) == round(found["claimed"]["denied"] * found["claimed"]["of"])


def talked(seed, **rates):
    """Return measures of one talker that decides and speaks 500 times, once a minute.

    Nothing else happens, so lies, broken promises and boasts depend only on the talker's rates.
    """
    one = Watched()
    actions = ActionSet(verbs(one.world))
    one.watch = CoherenceMonitor(one.world, actions, lambda: one.t, lambda *told: None)
    script = Talkers(["Ada", "Ben"], one.world.trades, TalkerParams(talkative=1, **rates), seed)

    def ask(request):
        return script(ChatRequest([], request.role, "Ada", 0.7, 400, about=request))

    for minute in range(500):
        one.t = 60.0 * minute
        seen = Seen("market", ("Ben",), HELD)
        action = ask(DecideRequest("Ada", "", (), None, empty(one.t, seen=seen), Known())).action
        one.watch.on_decision("Ada", str(action))
        if action.do == "GIVE":
            one.report("GIVE", "bread", spent={"bread": 1}, to="Ben")
        decision = Decision(one.t, action, "")
        one.t += 50
        state = empty(one.t, seen=seen, decision=decision)
        said = ask(TalkRequest("Ada", "", decision, state)).say
        if said:
            one.watch.on_utterance("Ada", said, HELD)
    return one.watch.outcome()


def test_rates_of_talkers_are_recovered():
    """Lies, broken promises and boasts are each within their binomial 95 % interval."""
    rates, hits = {"lies": 0.3, "breaks": 0.4, "boasts": 0.2}, Counter()
    for seed in range(20):
        found = talked(seed, **rates)
        for rate, kind, share in (
            ("lies", "announced", 1 - found["announced"]["kept"]),
            ("breaks", "promised", 1 - found["promised"]["kept"]),
            ("boasts", "claimed", found["claimed"]["denied"]),
        ):
            true, of = rates[rate], found[kind]["of"]
            assert of > 50
            hits[rate] += abs(share - true) <= 1.96 * (true * (1 - true) / of) ** 0.5
    assert min(hits[rate] for rate in rates) >= 18, hits


# --- A rumour ---


@pytest.fixture(scope="module")
async def rumours(tmp_path_factory):
    folder, found = tmp_path_factory.mktemp("rumours"), {}
    for condition in ("rumour", "rumour_unaware"):
        pairs = [
            await lived(folder / f"{condition}{k}", condition, "length_s=780", seed=k)
            for k in range(2)
        ]
        found[condition] = pairs
    return found


async def test_action_awareness_stops_a_rumour(rumours):
    repeat = {name: [entry["repeat"] for entry, _ in pairs] for name, pairs in rumours.items()}
    assert all(np.subtract(repeat["rumour_unaware"], repeat["rumour"]) > 0.2), repeat
    for entry, record in rumours["rumour"]:
        (injected,) = record.of(events.MemoryInjected)
        assert (injected.agent, injected.text) == ("Ada", RUMOUR)
        said = {e.agent for e in record.of(events.Spoke) if repeats(e.text)}
        assert entry["rumour"][-1]["ever"] == len(said) / entry["agents"]
        assert not any(repeats(e.text) and e.t < injected.t for e in record.of(events.Spoke))


async def test_tables_and_figures_show_each_condition(rumours, tmp_path, capsys):
    entries = [entry for pairs in rumours.values() for entry, _ in pairs]
    show({**summary(entries), "runs": entries, "mind": "scripted", "run_dir": "."})
    assert "rumour_unaware" in capsys.readouterr().out
    folders = [record.folder for pairs in rumours.values() for _, record in pairs]
    drawn = {path.stem for path in save_all(folders, tmp_path, formats=[Format.PNG])}
    assert drawn == {"statements", "rumour_over_time"}


def test_shares_of_announcements_match_counts():
    words = {"MINE": announcement("mine"), "EAT": announcement("eat")}
    acts = [
        ("said", "I will mine."),
        ("did", "MINE coal"),
        ("said", "I will eat."),
        ("did", "GO a"),
    ]
    assert announcements(acts, words) == (1, 2)
    assert coherence(acts, words) == 0.5
    assert coherence([], words) is None
    talk = [("did", "EAT bread"), ("said", "I am eating."), ("said", "Nice weather.")]
    assert coherence(talk, words) == 1.0
