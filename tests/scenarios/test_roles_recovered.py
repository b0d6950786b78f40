"""Roles of villages of known citizens are recovered by the measures."""

from __future__ import annotations

import math
from collections import Counter, deque

import numpy as np
import pytest
from scipy import stats

from voxpolis.bots.agents.piano.actions import Known
from voxpolis.bots.agents.piano.agent import Seen
from voxpolis.bots.agents.piano.digest import Digest
from voxpolis.bots.agents.piano.modules.controller import DecideRequest
from voxpolis.bots.agents.piano.modules.goals import GoalRequest
from voxpolis.bots.agents.piano.modules.social_awareness import ProfilesRequest
from voxpolis.bots.agents.piano.task import Action, Decision
from voxpolis.bots.models import ChatRequest
from voxpolis.experiments.run.agents import names
from voxpolis.scenarios.specialisation.measures import (
    communities,
    entropy,
    exclusiveness,
    persistence,
    role_of,
    roles,
)
from voxpolis.scenarios.specialisation.scripted import (
    CitizenParams,
    Citizens,
)
from voxpolis.worlds.trades import Trades, read_trades

VILLAGE = Trades(**read_trades())
#: Of 12 intervals of 95 % at least 10 hold the truth in 98 of 100 tries.
SEEDS = range(12)
MINUTES = 8
#: The trades' actions, by the specification's own table: whose each is.
OWN = {
    "farmer": {"TILL", "PLANT", "HARVEST", "GATHER wheat_seeds", "CRAFT bread"},
    "miner": {"MINE coal", "MINE raw_iron", "MINE diamond"},
    "explorer": {"EXPLORE"},
    "guard": {"GUARD", "PATROL", "CRAFT oak_fence"},
}


def empty(t, **more):
    """A digest of somebody who knows nothing but the time."""
    fields = {
        "seen": Seen(),
        "standing": {},
        "met": {},
        "sights": {},
        "beliefs": {},
        "profiles": {},
    }
    fields |= {
        "goal": "",
        "plan": (),
        "decision": Decision(0.0, Action("REST"), ""),
        "is_done": True,
    }
    fields |= {"notices": (), "happened": (), "memories": ()}
    return Digest(t=t, **{**fields, **more})


def asked(name, state):
    """The question what somebody does in a state."""
    return DecideRequest(name, "", (), None, state, Known())


class Talkers:
    """Citizens who are asked what modules would ask, without a world; all see all, every 30 s."""

    def __init__(self, seed, kind="normal", agents=30, aware=True, **ways):
        self.names = names(agents)
        self.citizens = Citizens(
            self.names, communities()[kind], VILLAGE, CitizenParams(**ways), seed
        )
        self.aware = aware
        self.profiles = {name: {} for name in self.names}
        self.measured = {name: [] for name in self.names}
        self.true = {name: [] for name in self.names}

    def ask(self, name, request):
        return self.citizens(ChatRequest([], request.role, name, 0.7, 400, about=request))

    def live(self, minutes=MINUTES):
        recent = {name: deque(maxlen=5) for name in self.names}
        goals = dict.fromkeys(self.names, "")
        for second in range(6, minutes * 60 + 1, 6):
            for name in self.names:  # a goal every 6 s
                known = self.profiles[name]
                answer = self.ask(name, GoalRequest(name, "", {}, empty(float(second)), known))
                goals[name] = answer.goal
                recent[name].append(goals[name])
            if second % 30 == 0:
                if self.aware:
                    self.look()
                for name in self.names:
                    self.measured[name].append(role_of(list(recent[name])))
                    self.true[name].append(self.citizens.people[name].history[-1][1])
        return self

    def look(self):
        """Everybody sees what others do: something that only their trade does."""
        role = {name: one.role for name, one in self.citizens.people.items()}
        doing = {name: roles()[role[name]].actions[0] for name in self.names}
        for name in self.names:
            others = {other: act for other, act in doing.items() if other != name}
            answer = self.ask(name, ProfilesRequest(name, "", (), others, self.profiles[name]))
            self.profiles[name].update({one.name: one.profile for one in answer.about})


@pytest.fixture(scope="module")
def villages():
    """Twelve villages each: as they are, without social awareness, and not heeding others."""
    kinds = {"full": {}, "ablated": {"aware": False}, "careless": {"avoidance": 0.0}}
    return {kind: [Talkers(seed, **of).live() for seed in SEEDS] for kind, of in kinds.items()}


def bits(found):
    """Entropy of roles, by the definition: - sum p log2 p."""
    shares = np.array(list(Counter(found).values())) / len(found)
    return float(-(shares * np.log2(shares)).sum())


# --- Measures ------------------------------------------------------------------------------------


def test_measures_are_what_their_formulas_say():
    assert entropy(["a"] * 5) == 0
    assert entropy(["a", "b", "c", "d"]) == 2
    assert entropy(["a", "a", "b"]) == pytest.approx(math.log2(3) - 2 / 3, abs=1e-6)
    assert entropy([]) is None
    assert persistence([["a", "a", "b", "b"], ["c"]]) == pytest.approx(2 / 3, abs=1e-6)
    assert persistence([["a"], []]) is None
    assert exclusiveness({"x": {"dig": 4}, "y": {"fish": 9}}) == 1
    assert exclusiveness({"x": {"dig": 1, "fish": 1}, "y": {"dig": 5, "fish": 5}}) == 0.5


# --- Recovery ------------------------------------------------------------------------------------


def test_roles_and_their_spread_are_recovered(villages):
    near = 0
    for here in villages["full"]:
        pairs = [
            (m, t)
            for name in here.names
            for m, t in zip(here.measured[name], here.true[name], strict=True)
        ]
        assert sum(m == t for m, t in pairs) / len(pairs) >= 0.95
        measured = entropy([here.measured[name][-1] for name in here.names])
        near += abs(measured - bits([here.true[name][-1] for name in here.names])) <= 0.1
    assert near >= 10


@pytest.mark.parametrize(
    "switching",
    [
        0.05,
    ],
)
def test_the_rate_of_switching_is_recovered(villages, switching):
    """Of each village the share of steps that keep a role: 1 - s, within its binomial interval."""
    ways = {"switching": switching}
    here = villages["full"] if switching == 0.05 else [Talkers(s, **ways).live() for s in SEEDS]
    found = [persistence(list(one.measured.values())) for one in here]
    steps = 30 * (MINUTES * 2 - 1)
    margin = 1.96 * math.sqrt(switching * (1 - switching) / steps) + 0.01  # 0.01: read late
    assert sum(abs(one - (1 - switching)) <= margin for one in found) >= 10, found
    assert np.mean(found) == pytest.approx(1 - switching, abs=0.03)


@pytest.mark.parametrize("without", ["ablated", "careless"])
def test_who_goes_by_no_others_is_like_them_and_changes_more(villages, without):
    for measure in (
        lambda here: entropy([here.measured[name][-1] for name in here.names]),
        lambda here: persistence(list(here.measured.values())),
    ):
        whole = [measure(here) for here in villages["full"]]
        less = [measure(here) for here in villages[without]]
        assert np.mean(less) < np.mean(whole)
        assert stats.ttest_rel(whole, less).pvalue < 0.01
