"""Specialisation: measures recover the truth of scripted citizens; ablations what is published."""

from __future__ import annotations

import math
from collections import Counter, deque
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from click.testing import CliRunner
from scipy import stats
from typer.main import get_command

from analysis import load
from analysis.figure_styles import Format
from analysis.figures import save_all
from analysis.figures import specialisation as drawn
from bots.agents.piano import FULL, DecideRequest, GoalRequest, SocialRequest
from bots.agents.piano.agent import Seen
from bots.agents.piano.body import Surroundings
from bots.agents.piano.digest import Digest
from bots.agents.piano.task import Action, Decision
from bots.models import ChatRequest, Completion
from bots.structured import AnswerError
from experiments.command import command
from records import events
from scenarios import specialisation
from scenarios.specialisation.measures import entropy, exclusiveness, persistence, summary
from scenarios.specialisation.questions import RoleRequest, SynonymsRequest
from scenarios.specialisation.reading import app, judge_roles
from scenarios.specialisation.roles import OTHER, communities, role_of, roles
from scenarios.specialisation.scenario import names
from scenarios.specialisation.scripted import CitizenParams, Citizens
from tests.conftest import ROOT
from tests.test_society_minds import played, prepare
from worlds.trades import Trades, read_trades

VILLAGE = Trades(**read_trades())
#: Seeds of a recovery: of 20 intervals of 95 % at least 18 hold the truth in 92 of 100 tries, and
#: of 100 at least 88 in 99.8 of 100.
SEEDS, MORE_SEEDS = range(20), range(100)
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
    fields |= {"notices": (), "happened": (), "recalled": ()}
    return Digest(t=t, **{**fields, **more})


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
                goals[name] = answer.removeprefix("GOAL: ")
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
            answer = self.ask(name, SocialRequest(name, "", (), {}, others, self.profiles[name]))
            for line in answer.splitlines():
                about, _, text = line.removeprefix("ABOUT ").partition(": ")
                self.profiles[name][about] = text


@pytest.fixture(scope="module")
def villages():
    """Twenty villages each: as they are, without social awareness, and not heeding others."""
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


def test_the_lexicon_reads_goals_as_a_person_does():
    labelled = yaml.safe_load((ROOT / "tests" / "data" / "role_goals.yaml").read_text())
    wrong = [(goal, role, role_of([goal])) for goal, role in labelled if role_of([goal]) != role]
    assert len(wrong) / len(labelled) <= 0.05, wrong


def test_the_role_of_five_goals_is_what_most_of_them_show():
    farm, dig, idle = "You farm.", "You dig.", "You sing."
    assert role_of([dig, farm, farm, dig, farm]) == "farmer"
    assert role_of([idle, idle, idle, idle, dig]) == "miner"
    assert role_of([idle] * 5) == OTHER
    assert role_of([]) == OTHER


def test_each_goal_of_scripted_citizens_shows_its_own_role_only():
    for name, role in roles().items():
        for goal in role.goals:
            assert [other for other in roles() if roles()[other].words.search(goal)] == [name]
    trade = {action for role in roles().values() for action in role.actions}
    assert trade <= set(VILLAGE.actions)
    for one in communities().values():
        assert sum(one.needs.values()) == pytest.approx(1)


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
    assert near >= 18


@pytest.mark.parametrize("switching", [0.05, 0.15])
def test_the_rate_of_switching_is_recovered(villages, switching):
    """Of each village the share of steps that keep a role: 1 - s, within its binomial interval."""
    ways = {"switching": switching}
    here = villages["full"] if switching == 0.05 else [Talkers(s, **ways).live() for s in SEEDS]
    found = [persistence(list(one.measured.values())) for one in here]
    steps = 30 * (MINUTES * 2 - 1)
    margin = 1.96 * math.sqrt(switching * (1 - switching) / steps) + 0.01  # 0.01: read late
    assert sum(abs(one - (1 - switching)) <= margin for one in found) >= 18, found
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


def test_the_share_of_ones_own_trade_is_recovered():
    """``devotion``: of the trades' actions that somebody decides on, how many are its own."""
    tools = {"wooden_hoe": 1, "wooden_pickaxe": 1, "stone_pickaxe": 1, "iron_pickaxe": 1}
    held = {**tools, "wooden_sword": 1, "wheat_seeds": 9, "oak_planks": 20, "stick": 20}
    shares = []
    hits, rate, each = 0, 0.8, 16
    for seed in MORE_SEEDS:
        here = Talkers(seed, devotion=rate, spare=100)
        counts = Counter()
        for name in here.names:
            here.ask(name, GoalRequest(name, "", {}, empty(0.0), {}))
            role, last = here.citizens.people[name].role, Decision(0.0, Action("REST"), "")
            for k in range(each if role in OWN else 0):
                seen = Seen("market", (), held)
                state = empty(float(k), seen=seen, decision=last)
                request = DecideRequest(name, "", (), None, state)
                action = here.ask(name, request).splitlines()[0].removeprefix("ACTION: ")
                verb, _, item = action.partition(" ")
                last = Decision(float(k), Action(verb, item), "")
                counts[action in OWN[role]] += 1
        share, total = counts[True] / counts.total(), counts.total()
        hits += abs(share - rate) <= 1.96 * math.sqrt(rate * (1 - rate) / total)
        shares.append(share)
    assert np.mean(shares) == pytest.approx(rate, abs=0.01)
    assert hits >= 88


@pytest.mark.parametrize(
    ("kind", "special", "foreign"),
    [
        ("martial", {"scout", "strategist"}, {"curator", "collector", "artist"}),
        ("art", {"curator", "collector"}, {"scout", "strategist", "guard"}),
        ("normal", {"farmer"}, {"scout", "strategist", "curator", "collector", "artist"}),
    ],
)
def test_special_roles_come_in_their_own_villages_only(kind, special, foreign):
    found = set()
    for seed in range(4):
        here = Talkers(seed, kind).live(minutes=8)
        found |= {role for measured in here.measured.values() for role in measured}
    assert special <= found
    assert not foreign & found


def test_who_knows_that_others_farm_does_something_else():
    profiles = {f"P{k}": "works as a farmer" for k in range(10)}
    drawn = Counter()
    for seed in range(200):
        here = Talkers(seed, agents=1)
        here.ask("Ada", GoalRequest("Ada", "", {}, empty(0.0), profiles))
        drawn[here.citizens.people["Ada"].role] += 1
    assert drawn["farmer"] == 0
    assert len(drawn) > 5


# --- People --------------------------------------------------------------------------------------


def decided(held, around, sights=None, **ways):
    """What a farmer decides that holds some things and notices others."""
    here = Talkers(0, agents=1, **ways)
    here.citizens.people["Ada"].role = "farmer"
    seen = Seen("market", ("Ben",), held, around)
    state = empty(9.0, seen=seen, sights=sights or {})
    return here.ask("Ada", DecideRequest("Ada", "", (), None, state)).splitlines()[0]


def test_the_hungry_eat_or_fetch_and_products_go_to_the_market():
    hungry = Surroundings(feels="hungry")
    assert decided({"cod": 2}, hungry) == "ACTION: EAT cod"
    offers = Surroundings(feels="hungry", things={"mutton": 3})
    assert decided({}, offers) == "ACTION: TAKE 2 mutton"
    assert decided({"bread": 6}, Surroundings()) == "ACTION: PUT 4 bread"
    assert decided({"wheat": 9}, Surroundings()) != "ACTION: PUT 7 wheat"  # it takes wheat itself


# --- Whole villages ------------------------------------------------------------------------------

SHORT = ("agents=6", "length_s=150", "trades.scale=0.3", "ways.talkative=1")
PEOPLE = 6


async def lived(out, *settings, condition="normal", mind=None):
    values = {"settings": (*SHORT, *settings), "runs": 1, "out": out, "condition": condition}
    return await played(prepare(specialisation.EXPERIMENT, values), mind)


def deeds(record):
    """What people did and said, and what came of it."""
    kinds = (events.ActionDone, events.Spoke)
    return [e.model_dump(exclude={"id"}) for e in record.events if isinstance(e, kinds)]


@pytest.fixture(scope="module")
async def whole(tmp_path_factory):
    return await lived(tmp_path_factory.mktemp("whole"))


def test_villages_in_which_nobody_acted_are_in_no_mean():
    """There all goals show no role: that is no village of one role which lasts."""
    entry = {"condition": "normal", "entropy": 2.0, "persistence": 0.9, "roles": {"farmer": 2}}
    idle = {**entry, "entropy": 0.0, "persistence": 1.0, "roles": {"other": 2}, "acted": []}
    found = summary([{**entry, "acted": ["Ada"]}, idle])["conditions"]["normal"]
    assert (found["runs"], found["entropy"]["mean"], list(found["roles"])) == (1, 2.0, ["farmer"])
    found = summary([idle])["conditions"]["normal"]
    assert (found["runs"], found["entropy"]["mean"], found["roles"]) == (0, None, {})


async def test_the_result_is_what_the_record_says(whole):
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


async def test_nothing_that_anybody_holds_was_given(whole):
    """What the record's actions brought and took is never less than nothing, for anybody."""
    _, record = whole
    held = {name: Counter() for name in names(PEOPLE)}
    for event in record.of(events.ActionDone):
        held[event.agent].update(event.gained)
        held[event.agent].subtract(event.spent)
        if event.to:
            held[event.to].update(event.spent)
        assert min(held[event.agent].values(), default=0) >= 0, event


def test_figures_count_what_the_record_says(whole, tmp_path):
    """Whose each action is, counted here with plain loops."""
    _, record = whole
    runs = load(record.folder)
    role, done = {}, Counter()
    for event in record.events:
        if isinstance(event, events.RoleTaken):
            role[event.agent] = event.role
        elif isinstance(event, events.ActionDone) and event.ok and event.agent in role:
            done[role[event.agent], f"{event.action} {event.item}".strip()] += 1
    of_role, often = Counter(), Counter()
    for (name, action), count in done.items():
        of_role[name] += count
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


#: Nothing in this village hurts or rings, so reflexes have nothing to do.
IDLE = "reflexes"


@pytest.mark.parametrize("module", [name for name in FULL if name != IDLE])
async def test_every_module_matters_to_what_citizens_do(module, whole, tmp_path):
    kept = dict(specialisation.Specialisation().modules)
    del kept[module]
    _, record = await lived(tmp_path, f"modules={kept}".replace("'", ""))
    assert deeds(record) != deeds(whole[1])


async def test_without_social_awareness_nobody_has_profiles(tmp_path):
    entry, record = await lived(tmp_path, condition="ablated")
    assert not record.of(events.ProfileWritten)
    assert entry["roles"]


class Wood:
    """A model that always wants the same."""

    async def complete(self, request):
        prompt = request.messages[-1]["content"]
        for words, answer in (
            ("ACTION: MINE item", "ACTION: GATHER oak_log\nABOUT: wood"),
            ("what you want to do for the community", "GOAL: You gather wood."),
            ("You saw what others did", "ABOUT Ben: gathers wood"),
        ):
            if words in prompt:
                return Completion(text=answer, model="wood")
        return Completion(text="Wood!", model="wood")


async def test_a_model_that_always_wants_the_same_has_one_role(tmp_path):
    entry, record = await lived(tmp_path, mind=Wood())
    assert entry["faults"] == {}
    assert (entry["entropy"], entry["persistence"]) == (0, 1)
    assert entry["roles"] == {"gatherer": PEOPLE}
    assert entry["actions"]["gatherer"]["GATHER oak_log"] > 10
    assert record.of(events.ProfileWritten)
    assert record.manifest["mind"] == "openai"


class Chatter:
    """A model that decides, and answers nothing else in form."""

    async def complete(self, request):
        if "ACTION: MINE item" in request.messages[-1]["content"]:
            return Completion(text="ACTION: EXPLORE", model="chatter")
        return Completion(text="Certainly!\nI would be happy to help.", model="chatter")


async def test_a_model_whose_answers_cannot_be_read_is_counted(tmp_path):
    entry, _ = await lived(tmp_path, "length_s=60", mind=Chatter())
    assert all(faults["nonsense"] > 0 for faults in entry["faults"].values())
    assert len(entry["faults"]) >= PEOPLE - 1
    assert set(entry["roles"]) <= {OTHER}


def test_another_village_is_a_file(tmp_path):
    path = tmp_path / "village.yaml"
    raw = yaml.safe_load((ROOT / "worlds" / "trades" / "village.yaml").read_text())
    raw["actions"]["SMELT glass"] = {"at": "market", "takes_s": 5, "makes": {"glass": 1}}
    path.write_text(yaml.safe_dump(raw))
    made = command(specialisation.EXPERIMENT)
    shown = CliRunner().invoke(made, ["--set", f"trades={path}", "--show-prompts"])
    assert "glass" in shown.output
    assert "glass" not in CliRunner().invoke(made, ["--show-prompts"]).output


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--world", "moon"], "there is no world 'moon' for specialisation"),
        (["--condition", "anarchy"], "there is no condition 'anarchy'"),
        (["--set", "trades=none.yaml"], "cannot read none.yaml"),
        (["--set", "trades.market=moon"], "the market 'moon' is no site"),
        (["--set", "ways.doubt=0"], "greater than or equal to 1"),
    ],
)
def test_bad_input_is_one_clear_line(options, told):
    done = CliRunner().invoke(command(specialisation.EXPERIMENT), options)
    assert done.exit_code == 2
    assert told in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert len(done.stderr) < 400


# --- A judge --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "role"),
    [
        ("farmer", "farmer"),
        ("**Farmer**", "farmer"),
        ("Role: a miner.", "miner"),
        ("I think that they dig a lot.\n\nminer", "miner"),
        ('{"role": "guard"}', "guard"),
    ],
)
def test_a_judges_word_is_read(answer, role):
    assert RoleRequest(("You dig.",)).read(answer) == role


def test_what_a_judge_merges_is_read():
    asked = SynonymsRequest(("farmer", "grower", "miner", "digger"))
    answer = "MERGE grower: farmer\n- MERGE digger: miner\nMERGE king: farmer"
    assert asked.read(answer) == {
        "farmer": "farmer", "grower": "farmer", "miner": "miner", "digger": "miner"
    }  # fmt: skip
    assert set(asked.read("NONE").values()) == set(asked.words)
    turn = "MERGE farmer: grower\nMERGE grower: farmer"
    assert asked.read(turn)["farmer"] == "farmer"
    for bad in ("All differ.", ""):
        with pytest.raises(AnswerError, match="MERGE word"):
            asked.read(bad)


class Judge:
    """Names what people gather with a word of its own, and one synonym."""

    def __init__(self):
        self.asked = 0

    async def complete(self, request):
        self.asked += 1
        if request.role == "synonyms":
            return Completion(text="MERGE grower: farmer", model="judge")
        word = role_of(request.about.goals)
        is_other = word == "farmer" and self.asked % 2
        return Completion(text="grower" if is_other else word, model="judge")


async def test_a_judge_reads_each_set_of_goals_once(whole):
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


async def test_what_a_judge_does_not_say_is_missing(whole):
    """A step from or to a role that nobody knows is none; words that were not merged are said."""
    _, record = whole
    noted = record.of(events.RoleTaken)[:1]
    row = [
        noted[0].model_copy(update={"goals": [word], "agent": "Ada"})
        for word in ("mine ore", "mine coal ore", "unreadable", "dig ore", "catch fish")
    ]
    started = record.of(events.ConditionStarted)

    async def complete(request):
        if request.role == "synonyms" or request.about.goals == ("unreadable",):
            return Completion(text="I cannot tell, there are two of them.", model="judge")
        return Completion(text=role_of(request.about.goals), model="judge")

    judge = SimpleNamespace(complete=complete)
    found = await judge_roles(judge, replace(record, events=[*started, *row]))
    assert (found["asked"], found["read"]) == (5, 4)
    assert found["merged"] is None
    (episode,) = found["episodes"]
    assert episode["persistence"] == 0.5  # miner to miner, miner to fisher
    assert episode["roles"] == {"fisher": 1}


def test_without_a_model_the_reading_says_that_no_judge_read(whole):
    _, record = whole
    done = CliRunner().invoke(get_command(app), [str(record.folder)])
    assert "as the lexicon, in a judge's place, names them" in " ".join(done.stdout.split())
    assert "same role" not in done.stdout
    assert "no model is named: a scripted reader takes its place" in done.stderr


def test_without_a_model_the_lexicon_reads(whole):
    _, record = whole
    done = CliRunner().invoke(get_command(app), [str(record.folder), "--json"])
    assert done.exit_code == 0, done.output
    assert '"mind": "scripted"' in done.output
    done = CliRunner().invoke(get_command(app), [str(ROOT / "docs")])
    assert done.exit_code == 2
    assert "docs is no run of specialisation" in done.stderr
