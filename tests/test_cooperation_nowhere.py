"""Claims about what does not exist: left out or asked for again; never true."""

from __future__ import annotations

import pytest

from tests.cooperating import Mixed, of, played
from tests.test_commons_river_cooperation import history as river_history
from tests.test_cooperation_rules import LONELY, eaten, ended, history
from voxpolis.bots.agents.cooperation.exchanges import Ask, Replied, Spoken
from voxpolis.bots.agents.cooperation.requests import Hypothesis, Induced, Predicted, Prediction
from voxpolis.bots.agents.cooperation.wording import Said
from voxpolis.bots.models import AccountedModel
from voxpolis.bots.models.accounted import Account
from voxpolis.judge.deeds.acts import EVERYONE, Act, ActHistory, ActRule, Amount, LastRound
from voxpolis.judge.deeds.claims import NotThereError, check_there
from voxpolis.records import events
from voxpolis.scenarios.commons.persons import Person
from voxpolis.scenarios.double_vein import IRON
from voxpolis.worlds.commons.claims import (
    BY_TREES,
    EatenRule,
    GrassRule,
    GrowthRule,
    Near,
    SiteGrowth,
    TreeState,
)
from voxpolis.worlds.commons.river_claims import Dirt, RiverGrowth, RiverState

BRINGS = Act("brought", "brings", "things")


@pytest.mark.parametrize("claim", [TreeState(99, is_alive=False), SiteGrowth((9999, 1), hours=10)])
def test_claims_about_what_does_not_exist_are_left_out_of_lists_and_asked_for_again_alone(claim):
    """A valid claim beside one stays; where none is left, the answer fails in the end."""

    def answers(claims):
        said = [Said(statement=str(one), test=BY_TREES.say(one)) for one in claims]
        return {
            "induce": Induced(hypotheses=[Hypothesis(**dict(one)) for one in said]),
            "predict": Predicted(
                predictions=[Prediction(test=BY_TREES.say(one), percent=90) for one in claims]
            ),
            "speak": Spoken(act=Ask(to="", message="?")),
            "reply": Replied(trust=[], message="It is so.", claims=said),
        }

    asked = []

    def run_of(claims):
        def model(own):
            asked.append(AccountedModel(Mixed(own, answers(claims)), Account()))
            return asked[-1]

        people = dict.fromkeys(("Juan", "Laura", "Pedro"), Person("sparing"))
        settings = {"rounds": 3, "understand_every": 1, "hearing": 40}
        run, _ = played(people, condition="full", model=model, **settings)
        assert len(of(run, events.RoundEnded)) == 3
        kinds = (events.HypothesisMade, events.PredictionMade, events.ClaimChecked)
        return [{one.test for one in of(run, kind)} for kind in kinds]

    assert run_of([claim]) == [set()] * 3
    assert {one.role for one in asked[0].pending} == {"induce", "predict", "reply"}
    valid = TreeState(1, is_alive=True)
    assert run_of([claim, valid]) == [{str(valid)}] * 3
    assert asked[1].pending == []


@pytest.mark.parametrize(
    ("happened", "claim"),
    [
        *(
            (history(), claim)
            for claim in (
                TreeState(3, is_alive=True),
                TreeState(99999, is_alive=False),
                SiteGrowth((0, 0), hours=10),
                EatenRule(apples=1, radius=99, cell=(0, 5), hours=9),
                SiteGrowth((6, 10), hours=10),
                GrassRule(Near(2, False, 2), stays=True),
                GrowthRule(Near(2, True, 2), grows=True, hours=9),
                EatenRule(apples=0, radius=2, cell=(1, 1), hours=9),
                EatenRule(apples=13, radius=2, cell=(1, 1), hours=5),
                EatenRule(apples=1, radius=2, cell=(6, 9), hours=5),
            )
        ),
        *(
            (river_history(), claim)
            for claim in (
                RiverState(Dirt(101, or_more=False)),
                RiverState(Dirt(0, or_more=True)),
                RiverGrowth(Dirt(101, or_more=True), grows=False, hours=5),
                SiteGrowth((9999, 1), hours=10),
            )
        ),
        *(
            (ActHistory(), claim)
            for claim in (
                Amount("Ada", IRON, 0),
                LastRound(Amount("Ada", IRON, 0)),
                ActRule(Amount("Ada", IRON, 1), Amount("Bo", IRON, 0)),
                Amount("Ada", IRON, 12, at_least=False),
                Amount(EVERYONE, IRON, 13),
            )
        ),
    ],
)
def test_claims_about_nothing_and_claims_that_are_always_so_are_refused(happened, claim):
    with pytest.raises(NotThereError):
        check_there(claim, happened)


@pytest.mark.parametrize(
    ("happened", "claim"),
    [
        (history(), TreeState(2, is_alive=False)),
        (history(), SiteGrowth((5, 9), hours=10)),
        (history(), GrassRule(Near(1, False, 2), stays=True)),
        (history(), EatenRule(apples=12, radius=2, cell=(1, 1), hours=5)),
        (river_history(), RiverState(Dirt(100, or_more=False))),
        (river_history(), RiverGrowth(Dirt(0, or_more=True), grows=True, hours=9)),
        (ActHistory(), ActRule(Amount("Ada", IRON, 0), Amount("Bo", IRON, 2, at_least=False))),
    ],
)
def test_other_claims_are_taken_whether_or_not_they_are_so(happened, claim):
    check_there(claim, happened)


def test_what_nobody_ever_did_in_a_round_is_so_of_everybody():
    so_far = ActHistory()
    for claim in (
        Amount("Ada", BRINGS, 1, at_least=False),
        Amount(EVERYONE, BRINGS, 9, at_least=False),
    ):
        with pytest.raises(NotThereError, match="nobody knows yet"):
            check_there(claim, so_far)
    so_far.rounds.append({"Ada": {"brought": 3}, "Bo": {"brought": 2}})
    for claim, is_so in (
        (Amount("Ada", BRINGS, 3, at_least=False), False),
        (Amount("Ada", BRINGS, 4, at_least=False), True),
        (Amount(EVERYONE, BRINGS, 5, at_least=False), False),
        (Amount(EVERYONE, BRINGS, 6, at_least=False), True),
    ):
        if is_so:
            with pytest.raises(NotThereError, match="nobody ever did more"):
                check_there(claim, so_far)
        else:
            check_there(claim, so_far)


def test_the_last_round_is_nothing_before_the_first():
    claim = LastRound(Amount("Ada", IRON, 3, at_least=False))
    check_there(claim, ActHistory())
    assert claim.holds(ActHistory()) is None


def test_grass_that_is_not_there_cannot_be_gone():
    def rule(cell, hours):
        return EatenRule(apples=1, radius=99, cell=cell, hours=hours)

    for cell in ((6, 9), (1, 4)):  # ground on which nothing ever grew
        assert list(rule(cell, 9).tests(history(*LONELY), 0)) == []
    later = history(*LONELY, eaten("Ada", 5, 9, 2, 21), ended(4, 22))
    assert list(rule((1, 1), 1).tests(later, 0)) == [False, True]  # at 21 it had been gone
