"""Minds of a taxed village: every module matters, and decisions depend only on prompts."""

from __future__ import annotations

import random
from collections import Counter, deque
from dataclasses import replace

import pytest
from pydantic import ValidationError

from voxpolis.bots.agents.piano.actions import ActionSet
from voxpolis.bots.agents.piano.society import FULL
from voxpolis.bots.agents.piano.task import Action, Decision, Task
from voxpolis.experiments.run.command import prepare
from voxpolis.experiments.run.runner import play
from voxpolis.judge.law.constitution import Amendment, Constitution, changes, enact, tally
from voxpolis.records import events, read_record
from voxpolis.scenarios import taxation
from voxpolis.scenarios.taxation import verbs
from voxpolis.scenarios.taxation.referendum import (
    MOST_AMENDMENTS,
    SEASON,
    AmendmentsRequest,
    CompileRequest,
    TaxSeason,
)
from voxpolis.worlds.society import Resident, VillagePlan
from voxpolis.worlds.village import Village

# The experiment compressed into four minutes.
SHORT = (
    *("agents=8", "influencers=2", "stances=anti", "radius_blocks=8", "length_s=240"),
    *("first_season_s=20", "season_every_s=40", "feedback_s=45", "amendments_s=55"),
    *("vote_s=65", "tally_s=75", "enactment_s=85", "goods=[30, 70]"),
)


async def live(out, *settings, mind=None):
    """Run one village in this process; return its entry and its record."""
    values = {"settings": (*SHORT, *settings), "runs": 1, "out": out, "condition": "full"}
    return await played(prepare(taxation.Taxation, values), mind)


async def played(run, mind):
    """Play a run; if there is a mind, all people are ``piano`` agents with a language model."""
    if mind is not None:
        run.choice = replace(run.choice, kind="openai", is_language_model=True, live=mind)
    code, result = await play(run)
    assert code == 0, result.get("error")
    return result["runs"][0], read_record(run.folder)


# --- Modules -------------------------------------------------------------------------------------


def behaviour(record):
    """Return people's actions, words, payments and votes, without modules' notes."""
    kinds = (events.Decided, events.Spoke, events.TaxPaid, events.BallotCast)
    mine = (event for event in record.events if isinstance(event, kinds))
    return [event.model_dump(exclude={"id"}) for event in mine]


@pytest.fixture(scope="module")
async def whole(tmp_path_factory):
    _, record = await live(tmp_path_factory.mktemp("whole"), "length_s=150")
    return behaviour(record)


@pytest.mark.parametrize("module", FULL)
async def test_every_module_affects_scripted_persons(module, whole, tmp_path):
    left = {name: period for name, period in FULL.items() if name != module}
    _, record = await live(tmp_path, "length_s=150", f"modules={left}".replace("'", ""))
    assert behaviour(record) != whole


# --- Payments ------------------------------------------------------------------------------------


class Hand:
    """A clock that is advanced by hand."""

    def __init__(self):
        self.time = 0.0

    def now(self):
        return self.time

    def waits_for(self, _seconds):
        return True


async def test_second_payment_in_a_season_and_payment_out_of_season_are_refused():
    """Tested with two hundred random sequences of bells, waits and decisions to pay."""
    for seed in range(200):
        chance, hand, standing = random.Random(seed), Hand(), {}
        person = Resident("Ada", (0.0, 0.0), holds=Counter(wheat=chance.randint(0, 300)))
        world = Village(VillagePlan([person], {"chest": (0.0, 0.0)}), hand.now, seed=0)
        actions, told = ActionSet(verbs(world, 6.0, 20.0)), []
        task = Task(
            "Ada", world.body("Ada"), hand, told.append, lambda *_, **__: None, standing, deque()
        )
        number, closes, paid_in = 0, -1.0, []
        for _ in range(12):
            if chance.random() < 0.3 and hand.time >= closes:
                number, closes = number + 1, hand.time + 20
                standing[SEASON] = TaxSeason(number, hand.time, closes)
            before, said = person.holds.total(), len(told)
            action = Action("PAY", percent=chance.randint(0, 100))
            task.begin(Decision(hand.time, action, ""))
            await actions.carry_out(task)
            assert task.is_done
            assert len(told) == said + 1  # the person always learns the result
            if person.holds.total() != before:
                assert hand.time < closes
                paid_in.append(number)
                assert person.holds.total() == before - round(before * action.share)
            hand.time += chance.choice([1, 3, 12, 25])
        assert len(paid_in) == len(set(paid_in))


# --- Laws in words -------------------------------------------------------------------------------

WORDS = (Amendment(1, "Lowered to 8 percent."), Amendment(2, "The poor pay nothing."))
LAW = Constitution(("All pay.",), {"tax_rate": 0.2}, {"tax_rate": (0.0, 1.0)})


def readings(*found):
    """Return a reader's answer of (amendment, tax rate or None, judged)."""
    return {
        "readings": [
            {
                "amendment": number,
                "sets": [] if rate is None else [{"parameter": "tax_rate", "value": rate}],
                "judged": judged,
            }
            for number, rate, judged in found
        ]
    }


def test_effect_of_an_amendment_in_words_is_shown_on_the_ballot():
    asked = CompileRequest(LAW, WORDS)
    answer = asked.narrow().model_validate(readings((2, None, True), (1, 0.08, False)))
    first, second = asked.read(answer)
    assert (first.sets, first.is_judged) == ({"tax_rate": 0.08}, False)
    assert (second.sets, second.is_judged) == ({}, True)
    assert "It sets tax_rate = 0.08." in str(first)
    assert "A judge applies these words" in str(second)
    own = CompileRequest(LAW, (Amendment(1, "Ten.", {"tax_rate": 0.1}),))
    answer = own.narrow().model_validate(readings((1, 0.5, False)))
    assert own.read(answer)[0].sets == {"tax_rate": 0.1}
    after = enact(LAW, (first, second), tally([("yes", "yes")], 2))
    assert after.is_judged
    assert changes(LAW, after) == (
        "tax_rate was 0.2 and is 0.08", "article 2 is new", "article 3 is new"
    )  # fmt: skip


def proposed(*amendments):
    """Return a manager's answer of (words, tax rate or None)."""
    return {
        "amendments": [
            {
                "words": words,
                "sets": [] if rate is None else [{"parameter": "tax_rate", "value": rate}],
                "judged": False,
            }
            for words, rate in amendments
        ]
    }


def test_invalid_amendment_is_left_out_and_others_stay():
    asked = AmendmentsRequest(LAW, {})
    answer = proposed(("Ten.", 0.1), ("All of it, ten times.", 10), ("Feasts.", None))
    found = asked.read(asked.narrow().model_validate(answer))
    assert [(one.number, one.text) for one in found] == [(1, "Ten."), (2, "Feasts.")]
    many = asked.narrow().model_validate(proposed(*[(f"{n}.", None) for n in range(9)]))
    assert len(asked.read(many)) == MOST_AMENDMENTS
    assert asked.read(asked.narrow().model_validate(proposed())) == []
    with pytest.raises(ValidationError, match="less than or equal to 1"):
        asked.narrow().model_validate(proposed(("All of it.", 10)))
