"""Specialisation: measures recover the rates of scripted citizens; ablations match published
findings."""

from __future__ import annotations

import math
from collections import Counter, deque

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from tests.conftest import ROOT
from tests.saying import answered, read_from
from tests.scenarios.test_society_minds import played, prepare
from voxpolis.analysis import load
from voxpolis.analysis.figure_styles import Format
from voxpolis.analysis.figures import save_all
from voxpolis.analysis.figures import specialisation as drawn
from voxpolis.bots.agents.piano import (
    FULL,
    GoalRequest,
    ProfilesRequest,
)
from voxpolis.bots.agents.piano.agent import Seen
from voxpolis.bots.agents.piano.digest import Digest
from voxpolis.bots.agents.piano.task import Action, Decision
from voxpolis.bots.models import ChatRequest
from voxpolis.bots.models.typed import AnswerError
from voxpolis.experiments.run.agents import names
from voxpolis.experiments.run.runner import play
from voxpolis.experiments.study import record_reading
from voxpolis.records import events
from voxpolis.scenarios import specialisation
from voxpolis.scenarios.specialisation.measures import (
    RoleRequest,
    SynonymsRequest,
    communities,
    entropy,
    exclusiveness,
    persistence,
    role_of,
    roles,
)
from voxpolis.scenarios.specialisation.reading import READING, judge_roles
from voxpolis.scenarios.specialisation.scripted import (
    CitizenParams,
    Citizens,
)
from voxpolis.worlds.trades import Trades, read_trades

# --- Whole villages -----------------------------------------------------------------------------

SHORT = ("agents=6", "length_s=150", "trades.scale=0.3", "ways.talkative=1")
PEOPLE = 6
MODULES = specialisation.Specialisation().modules


async def lived(out, *settings, condition="normal", mind=None):
    values = {"settings": (*SHORT, *settings), "runs": 1, "out": out, "condition": condition}
    return await played(prepare(specialisation.Specialisation, values), mind)


def deeds(record):
    """Return people's actions and results, without their words."""
    return [e.model_dump(exclude={"id"}) for e in record.of(events.ActionDone)]


@pytest.fixture(scope="module")
async def whole(tmp_path_factory):
    return await lived(tmp_path_factory.mktemp("whole"))


async def test_thinking_alone_does_not_count_as_acting(tmp_path):
    """No answer failed either, because no question led to an action."""
    values = {"settings": (*SHORT, "length_s=40", "modules={goals: 5}"), "runs": 1,
              "out": tmp_path, "condition": "normal"}  # fmt: skip
    code, result = await play(prepare(specialisation.Specialisation, values))
    assert (code, "conditions" in result) == (1, False)
    assert result["runs"][0]["acted"] == []
    assert result["error"].endswith("no mind was asked to act")


async def test_result_matches_the_record(whole):
    entry, record = whole
    last = {event.agent: event.role for event in record.of(events.RoleTaken)}
    assert Counter(last.values()) == entry["roles"]
    assert entry["entropy"] == pytest.approx(bits(list(last.values())), abs=1e-6)
    for event in record.of(events.RoleTaken):
        assert 1 <= len(event.goals) <= 5
        assert role_of(event.goals) == event.role
    done = record.of(events.ActionDone)
    assert sum(not event.ok for event in done) == entry["actions_failed"]
    assert sum(event.ok for event in done) == entry["actions_done"]
    assert len(done) > PEOPLE * 5
    assert not entry["faults"]
    assert record.problems == []
    said = {event.about for event in record.of(events.ProfileWritten)}
    assert said == set(names(PEOPLE))


def test_figures_match_the_record(whole, tmp_path):
    """The test counts the role of each action independently, with plain loops."""
    _, record = whole
    runs = load(record.folder)
    role, done = {}, Counter()
    for event in record.events:
        if isinstance(event, events.RoleTaken):
            role[event.agent] = event.role
        elif isinstance(event, events.ActionDone) and event.ok and event.agent in role:
            done[role[event.agent], f"{event.action} {event.item}".strip()] += 1
    often = Counter()
    for (_, action), count in done.items():
        often[action] += count
    kept = {action for action, count in often.items() if count >= drawn.FEWEST_DONE}
    of_role = Counter()
    for (name, action), count in done.items():
        of_role[name] += count * (action in kept)
    shares = drawn.shares_of(runs, "normal")
    assert set(shares.index) == kept
    for action in kept:
        within = {name: done[name, action] / of_role[name] for name in of_role if of_role[name]}
        for name, share in within.items():
            assert shares.loc[action, name] == pytest.approx(share / sum(within.values()))
    files = {path.stem for path in save_all(record.folder, tmp_path, formats=[Format.PNG])}
    assert files == {"roles_over_time", "roles_at_the_end", "entropy_of_roles", "actions_by_role"}


# Nothing in this village hurts or rings, so reflexes have nothing to do.
IDLE = "reflexes"


# Modules whose effect takes longer than a short life: they retrieve from long-term memory.
LASTING = ("memory", "self_reflection")


def without(modules, name):
    left = {one: period for one, period in modules.items() if one != name}
    return f"modules={left}".replace("'", "")


@pytest.mark.parametrize("module", [name for name in FULL if name not in (IDLE, *LASTING)])
async def test_every_module_affects_citizens(module, whole, tmp_path):
    _, record = await lived(tmp_path, without(MODULES, module))
    assert deeds(record) != deeds(whole[1])


# --- A judge -------------------------------------------------------------------------------------


def test_roles_and_synonyms_from_a_judge_are_parsed():
    asked = RoleRequest(("You dig.",))
    assert read_from(asked, {"role": "Miner"}) == "miner"
    for bad in ("a miner", "", "they dig, so a miner"):
        with pytest.raises(AnswerError):
            read_from(asked, {"role": bad})
    merging = SynonymsRequest(("farmer", "grower", "miner", "digger"))

    def read(*pairs):
        return read_from(merging, {"merges": [{"word": a, "into": b} for a, b in pairs]})

    both = ("grower", "farmer"), ("digger", "miner")
    merged = {"farmer": "farmer", "grower": "farmer", "miner": "miner", "digger": "miner"}
    assert read(*both) == read(*both, ("king", "farmer")) == merged  # other words stay
    assert set(read().values()) == set(merging.words)
    with pytest.raises(AnswerError, match="replace each other"):
        read(("farmer", "grower"), ("grower", "farmer"))


class Judge:
    """Uses its own word for what people gather, and one synonym."""

    def __init__(self):
        self.asked = 0

    async def complete(self, request):
        self.asked += 1
        if request.role == "synonyms":
            return answered({"merges": [{"word": "grower", "into": "farmer"}]})
        word = role_of(request.about.goals)
        is_other = word == "farmer" and self.asked % 2
        return answered({"role": "grower" if is_other else word})


async def test_judge_reads_each_set_of_goals_once(whole):
    entry, record = whole
    judge = Judge()
    found = await judge_roles(judge, record)
    sets = {tuple(event.goals) for event in record.of(events.RoleTaken)}
    assert found["asked"] == found["read"] == len(sets) == judge.asked - 1
    assert found["agreement"] == 1
    assert found["merged"] == {"grower": "farmer"}
    (episode,) = found["episodes"]
    assert episode["entropy"] == entry["entropy"]
    assert episode["persistence"] == entry["persistence"]


def test_lexicon_reads_roles_without_a_model(whole):
    _, record = whole
    done = CliRunner().invoke(record_reading.command(READING), [str(record.folder), "--json"])
    assert done.exit_code == 0, done.output
    assert '"mind": "scripted"' in done.output
    done = CliRunner().invoke(record_reading.command(READING), [str(ROOT / "docs")])
    assert done.exit_code == 2
    assert "docs is not a run of specialisation" in done.stderr


# --- Roles of known citizens are recovered --------------------------------------------------------

VILLAGE = Trades(**read_trades())
# Of 12 intervals of 95 %, at least 10 contain the true value in 98 of 100 cases.
SEEDS = range(12)
MINUTES = 8


def empty(t, **more):
    """Return a digest with nothing but the time."""
    fields = {name: {} for name in ("standing", "met", "sights", "beliefs", "profiles")}
    fields |= dict.fromkeys(("plan", "notices", "happened", "memories"), ())
    fields |= {"seen": Seen(), "goal": "", "is_done": True}
    return Digest(t=t, **{**fields, "decision": Decision(0.0, Action("REST"), ""), **more})


class Talkers:
    """Citizens whose modules are asked without a world; all citizens see each other, every 30 s."""

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
        """Let all citizens see others' actions, each of which belongs to a single trade."""
        role = {name: one.role for name, one in self.citizens.people.items()}
        doing = {name: roles()[role[name]].actions[0] for name in self.names}
        for name in self.names:
            others = {other: act for other, act in doing.items() if other != name}
            answer = self.ask(name, ProfilesRequest(name, "", (), others, self.profiles[name]))
            self.profiles[name].update({one.name: one.profile for one in answer.about})


@pytest.fixture(scope="module")
def villages():
    """Return twelve villages each: normal, without social awareness, and ignoring others."""
    kinds = {"full": {}, "ablated": {"aware": False}, "careless": {"avoidance": 0.0}}
    return {kind: [Talkers(seed, **of).live() for seed in SEEDS] for kind, of in kinds.items()}


def bits(found):
    """Return the entropy of roles by its definition: - sum p log2 p."""
    shares = np.array(list(Counter(found).values())) / len(found)
    return float(-(shares * np.log2(shares)).sum())


# --- Measures -----------------------------------------------------------------------------------


def test_measures_match_their_formulas():
    assert entropy(["a"] * 5) == 0
    assert entropy(["a", "b", "c", "d"]) == 2
    assert entropy(["a", "a", "b"]) == pytest.approx(math.log2(3) - 2 / 3, abs=1e-6)
    assert entropy([]) is None
    assert persistence([["a", "a", "b", "b"], ["c"]]) == pytest.approx(2 / 3, abs=1e-6)
    assert persistence([["a"], []]) is None
    assert exclusiveness({"x": {"dig": 4}, "y": {"fish": 9}}) == 1
    assert exclusiveness({"x": {"dig": 1, "fish": 1}, "y": {"dig": 5, "fish": 5}}) == 0.5


# --- Recovery -----------------------------------------------------------------------------------


def test_roles_and_their_distribution_are_recovered(villages):
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


def test_rate_of_switching_is_recovered(villages):
    """A village keeps roles in a share 1 - s of steps, within its binomial interval."""
    switching = CitizenParams().switching
    found = [persistence(list(one.measured.values())) for one in villages["full"]]
    steps = 30 * (MINUTES * 2 - 1)
    # 0.01 allows for delayed reading
    margin = 1.96 * math.sqrt(switching * (1 - switching) / steps) + 0.01
    assert sum(abs(one - (1 - switching)) <= margin for one in found) >= 10, found
    assert np.mean(found) == pytest.approx(1 - switching, abs=0.03)


@pytest.mark.parametrize("without", ["ablated", "careless"])
def test_citizens_who_ignore_others_resemble_them_and_switch_more(villages, without):
    for measure in (
        lambda here: entropy([here.measured[name][-1] for name in here.names]),
        lambda here: persistence(list(here.measured.values())),
    ):
        whole = [measure(here) for here in villages["full"]]
        less = [measure(here) for here in villages[without]]
        assert np.mean(less) < np.mean(whole)
        assert stats.ttest_rel(whole, less).pvalue < 0.01
