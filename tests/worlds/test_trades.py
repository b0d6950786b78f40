"""The village with trades: its data, its accounting of work, and possible decisions."""

from __future__ import annotations

import json
import math
import random
from collections import Counter, deque
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import ROOT
from tests.worlds.test_village import Hand
from voxpolis.bots.agents.piano.actions import ActionSet, Decide, Known
from voxpolis.bots.agents.piano.task import Action, Decision, Task
from voxpolis.bots.models.typed import AnswerError, read_answer
from voxpolis.records.yaml_text import load_yaml
from voxpolis.worlds.society import WALKING_SPEED
from voxpolis.worlds.trades import HUNGRY, Stock, Trades, open_village, read_trades, settle, verbs
from voxpolis.worlds.trades.village import Shelf

# The shipped file, read without our parser.
RAW = load_yaml((ROOT / "worlds" / "trades" / "village.yaml").read_text())


def village(hand, *names, together=50, **changes):
    trades = Trades(**{**read_trades(), **changes})
    plan = settle(trades, names, together, seed=0, hearing_blocks=16.0)
    return open_village(plan, hand.now, seed=0)


def do(here, hand, name, action):
    """Let a person do an action at its place; return the report."""
    target = here.target(name, action)
    body = here.body(name)
    if target is not None and not body.is_at(target):
        hand.time += body.head_for(target)
        assert body.is_at(target)
    report = here.carry_on(name, action)
    assert report is None
    for _ in range(200):
        hand.time += 1.0
        report = here.carry_on(name, action)
        if report is not None:
            return report
    raise AssertionError(f"{action} never ends")


# --- Data -----------------------------------------------------------------------------------------


def picking(count, left=0):
    """Return an action that uses some pieces of moss and leaves some."""
    leaves = {"leaves": {"moss": left}} if left else {"makes": {"moss": 1}}
    return {"at": "den", "takes_s": 2, "uses": {"moss": count}} | leaves


def only(**own):
    """Return a village with tilling as the only action, modified as given."""
    return {"actions": {"TILL": {"at": "cave", "takes_s": 1} | own}}


def also(name, **own):
    """Return the village with an additional action at the market."""
    return {"actions": {**RAW["actions"], name: {"at": "market", "takes_s": 2} | own}}


def with_moss(action, stock, **tended):
    """Return the village with moss in a den, and an action that uses some of the moss."""
    sites = {**RAW["sites"], "den": {"at": [9, 9], "holds": {"moss": stock}}}
    return {"sites": sites, "actions": {**RAW["actions"], **tended, "GATHER moss": action}}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"market": "moon"}, "the market 'moon' is not a site"),
        ({"actions": {"DANCE": {"at": "market", "takes_s": 1}}}, "there is no verb 'DANCE'"),
        (only(at="moon"), "there is no site 'moon'"),
        (only(takes_s=0), "greater than 0"),
        (only(needs={"gold": 1}), "no action makes what it needs: gold"),
        (only(tools=["spoon"]), "no action makes any of its tools: spoon"),
        (only(uses={"gold": 1}), "there is never any gold at cave"),
        (only(at="away", leaves={"hole": 1}), "so it must be done at a site"),
        (only(makes={"x": 0}), "from 1 to 10000"),
        ({"verbs": {"GIVE": {"announced": "give"}}}, "other than EAT, GIVE"),
        ({"verbs": {**RAW["verbs"], "BRÄU": {"announced": "brew"}}}, "in capitals, A to Z"),
        ({"verbs": {"TILL": {"announced": "("}}}, "not a regular expression: missing"),
        ({"sites": {"cave": {"at": [math.nan, 2e6]}}}, r"cave.at.0\n[^\0]*cave.at.1"),
        (also("CRAFT dark-beer", makes={"bread": 1}), "item 'dark-beer' must be small letters"),
        (also("CRAFT beer", makes={"Beer": 1}), "item 'Beer' must be small letters"),
        ({"hunger": {"every_s": 0}}, "greater than 0"),
        ({"wages": {}}, "Extra inputs"),
        ({"verbs": {**RAW["verbs"], "DO": {"announced": "do"}}}, "verb 'DO'.* other than EAT"),
        ({"wears": {"wooden_hoe": 0}}, "greater than or equal to 1"),
        ({"wears": {"wodden_hoe": 5}}, "wears: no action makes wodden_hoe"),
        ({"hunger": {"foods": ["unicorn"]}}, "hunger.foods: no action makes unicorn"),
        (with_moss(picking(1), {"count": 3, "most": 2}), "3 at first, which must be at most 2"),
        (also("CRAFT club", makes={"club": 2}, tools=["club"]), "CRAFT club is never possible"),
        (also("CRAFT club", makes={"club": 2}, needs={"club": 1}), "CRAFT club is never possible"),
        (with_moss(picking(1), {"count": 0}), "GATHER moss: there is never any moss at den"),
        (
            with_moss(picking(1), {"count": 0, "most": 0, "every_s": 3}),
            "GATHER moss: there is never any moss at den",
        ),
        (with_moss(picking(4), {"count": 3}), "there is never more than 3 moss at den"),
        (
            with_moss(picking(8), {"count": 3, "most": 7, "every_s": 3}),
            "GATHER moss: there is never more than 7 moss",
        ),
        (with_moss(picking(4), {"count": 3}, TILL=picking(1, 1)), "never more than 3 moss"),
        (
            with_moss(picking(5), {"count": 3}, TILL=picking(4, 6)),
            "action TILL is never possible",
        ),
        ({"sites": {**RAW["sites"], "a\nb": {"at": [9, 9]}}}, "site .*: a name must be one line"),
        (
            {"actions": {name: {"at": "cave", "takes_s": 1} for name in ("MINE", "MINE x")}},
            "have an item in all actions, or in none",
        ),
    ],
)
def test_invalid_village_is_reported(change, told):
    with pytest.raises(ValueError, match=told):
        Trades(**{**RAW, **change})


def test_action_may_use_more_than_the_initial_stock_if_another_adds_to_it():
    sites = {**RAW["sites"], "den": {"at": [9, 9], "holds": {"moss": {"count": 3}}}}
    actions = {**RAW["actions"], "GATHER straw": picking(1, 2), "GATHER moss": picking(9)}
    assert "GATHER moss" in Trades(**{**RAW, "sites": sites, "actions": actions}).rules


def test_site_and_person_cannot_share_a_name():
    with pytest.raises(ValueError, match="site name 'ada' is also the name of a person"):
        village(Hand(), "Ada", sites={**RAW["sites"], "ada": {"at": [5, 5]}})


def test_invalid_file_is_reported(tmp_path):
    (tmp_path / "list.yaml").write_text("- 1\n")
    (tmp_path / "broken.yaml").write_text("a: [1\n")
    for name, told in (("none", "cannot read"), ("list", "a mapping of fields"), ("broken", "no")):
        with pytest.raises(ValueError, match=told):
            read_trades(Path(tmp_path / f"{name}.yaml"))


def test_recipes_match_minecraft():
    """Copied by hand from Minecraft's recipe book."""
    rules = Trades(**read_trades()).rules
    for item, needs, count in (
        ("oak_planks", {"oak_log": 1}, 4),
        ("wooden_pickaxe", {"oak_planks": 3, "stick": 2}, 1),
        ("fishing_rod", {"stick": 3, "string": 2}, 1),
        ("oak_fence", {"oak_planks": 4, "stick": 2}, 3),
        ("torch", {"coal": 1, "stick": 1}, 4),
        ("bread", {"wheat": 3}, 1),
        ("painting", {"stick": 8, "white_wool": 1}, 1),
    ):
        assert (rules[f"CRAFT {item}"].needs, rules[f"CRAFT {item}"].makes) == (
            needs,
            {item: count},
        )


# --- The world's account --------------------------------------------------------------------------


def live_at_random(here, hand, chance, names):
    """Let people try a hundred things in random order."""
    for _ in range(120):
        name, turn = chance.choice(names), chance.random()
        held = [item for item, count in here.residents[name].holds.items() if count > 0]
        if turn < 0.1 and held:
            here.give(name, chance.randint(1, 5), chance.choice(held), chance.choice(names))
        elif turn < 0.2 and held:
            here.put(name, chance.randint(1, 5), chance.choice(held))
        elif turn < 0.3:
            here.take(name, chance.randint(1, 5), chance.choice(here.trades.items))
        else:
            ready = [a for a in here.trades.rules if not here.lacks(name, a)]
            action = chance.choice(ready if chance.random() < 0.8 else list(here.trades.rules))
            do(here, hand, name, action)


def recipe(report):
    """Return an action's inputs and products according to the file; empty for mere moves."""
    if not report.ok or report.verb in ("GIVE", "PUT", "TAKE"):
        return {}, {}
    if report.verb == "EAT":
        return {report.item: 1}, {}
    raw = RAW["actions"][report.action]
    return raw.get("needs", {}), raw.get("makes", {})


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6))
def test_items_are_never_created_from_nothing(seed):
    """Whatever three people try in any order, everything they hold was made exactly once."""
    chance, hand, names, reports = random.Random(seed), Hand(), ("Ada", "Ben", "Cora"), []
    here = village(hand, *names)
    here.listeners.append(reports.append)
    live_at_random(here, hand, chance, names)
    balance = Counter()
    for one in reports:
        needs, makes = recipe(one)
        assert one.verb in ("GIVE", "PUT", "TAKE") or (one.spent, one.gained) == (needs, makes)
        balance.update(makes)
        balance.subtract(needs)
    everywhere = Counter(here.store("Ada"))
    for name in names:
        assert min(here.residents[name].holds.values(), default=0) >= 0
        everywhere.update(here.residents[name].holds)
    for item in {*balance, *everywhere}:
        assert everywhere[item] <= balance[item]
        assert everywhere[item] == balance[item] or item in RAW["wears"]
    assert here.log.total() == len(reports)
    mined = sum(one.ok for one in reports if one.action == "MINE coal")
    at_first = RAW["sites"]["cave"]["holds"]["coal_ore"]["count"]
    assert here.shelf("Ada", "cave").counts(hand.time)["coal_ore"] == at_first - mined


def test_bread_can_be_made_from_an_empty_inventory():
    """The test follows the chain step by step; each product appears when due."""
    hand = Hand()
    here = village(hand, "Ada")
    held = here.residents["Ada"].holds
    chain = ["GATHER oak_log"] * 2 + ["CRAFT oak_planks"] * 2 + ["CRAFT stick", "CRAFT wooden_hoe"]
    chain += ["GATHER wheat_seeds"] * 2 + ["TILL"] * 2 + ["PLANT"] * 2
    for action in chain:
        assert do(here, hand, "Ada", action).ok, action
    assert +held == {"oak_log": 2, "oak_planks": 4, "stick": 2, "wooden_hoe": 1}
    assert do(here, hand, "Ada", "HARVEST").reason == "there is no wheat left at farmland"
    hand.time += 60
    assert do(here, hand, "Ada", "HARVEST").ok
    assert do(here, hand, "Ada", "CRAFT bread").reason == "it takes 3 wheat, and you hold 2"
    assert do(here, hand, "Ada", "HARVEST").ok
    assert do(here, hand, "Ada", "CRAFT bread").ok
    assert here.is_hungry("Ada")
    assert do(here, hand, "Ada", "EAT bread").ok
    assert not here.is_hungry("Ada")
    assert held["bread"] == 0


def test_only_one_of_two_gets_the_last_item():
    hand = Hand()
    site = {"at": [0, 0], "radius": 8, "holds": {"pearl": {"count": 1}}}
    actions = {
        "FISH pearl": {"at": "pond", "takes_s": 5, "uses": {"pearl": 1}, "makes": {"pearl": 1}}
    }
    here = village(
        hand, "Ada", "Ben", sites={**RAW["sites"], "pond": site}, actions=actions,
        hunger={"foods": []}, wears={},
    )  # fmt: skip
    for name in ("Ada", "Ben"):
        assert here.carry_on(name, "FISH pearl") is None
    hand.time = 5.0
    found = [here.carry_on(name, "FISH pearl") for name in ("Ben", "Ada")]
    assert [one.ok for one in found] == [True, False]
    assert found[1].reason == "there is no pearl left at pond"


def test_hungry_people_walk_and_work_at_half_speed():
    hand = Hand()
    here = village(hand, "Ada")
    body = here.body("Ada")
    body.head_for("cave")
    hand.time = 120.0
    far = math.dist(here.at(0), here.residents["Ada"].places["market"])
    assert body.head_for("market") == pytest.approx(far / WALKING_SPEED)
    assert body.notices().feels == ""
    body.stop()
    hand.time = 120.5
    assert body.notices().feels == HUNGRY
    assert body.head_for("market") == pytest.approx(2 * far / WALKING_SPEED)
    here.carry_on("Ada", "GATHER poppy")
    hand.time += 2 * 8 - 0.1
    assert here.carry_on("Ada", "GATHER poppy") is None
    hand.time += 0.2
    assert here.carry_on("Ada", "GATHER poppy").ok


def test_tools_wear_and_break():
    hand = Hand()
    here = village(hand, "Ada", wears={"wooden_pickaxe": 3}, hunger={"every_s": 1e6})
    here.residents["Ada"].holds.update(wooden_pickaxe=2)
    left = []
    for _ in range(6):
        assert do(here, hand, "Ada", "MINE coal").ok
        left.append(here.residents["Ada"].holds["wooden_pickaxe"])
    assert left == [2, 2, 1, 1, 1, 0]
    assert not do(here, hand, "Ada", "MINE coal").ok


@given(
    st.integers(0, 5), st.integers(5, 9), st.integers(1, 40),
    st.lists(st.tuples(st.integers(0, 120), st.booleans()), max_size=20),
)  # fmt: skip
def test_growth_follows_its_rate(count, most, every, visits):
    """Compared with growth that advances in steps of a quarter of a second."""
    shelf = Shelf({"x": Stock(count=count, most=most, every_s=every / 4)})
    now, held, growing = 0, count, 0
    for wait, takes in visits:
        for _ in range(wait):
            growing = growing + 1 if held < most else 0
            if growing == every:
                held, growing = held + 1, 0
        now += wait
        assert shelf.counts(now / 4)["x"] == held
        if takes and held:
            shelf.take({"x": 1}, now / 4)
            held -= 1


def test_distant_villages_share_nothing():
    hand = Hand()
    here = village(hand, "Ada", "Ben", "Cora", together=1)
    assert here.body("Ada").near() == []
    here.residents["Ada"].holds.update(bread=2)
    here.put("Ada", 2, "bread")
    assert here.take("Ben", 1, "bread").reason == "there is no bread in the market"
    assert here.body("Ada").notices().things == {"bread": 2}
    assert here.body("Ben").place() == "market"
    before = here.shelf("Cora", "cave").counts(0.0)
    here.residents["Ada"].holds.update(wooden_pickaxe=1)
    assert do(here, hand, "Ada", "MINE coal").ok
    assert here.shelf("Cora", "cave").counts(hand.time)["coal_ore"] == before["coal_ore"]
    assert here.shelf("Ada", "cave").counts(hand.time)["coal_ore"] == before["coal_ore"] - 1


# --- Decisions ------------------------------------------------------------------------------------

DECISIONS = {
    "MINE coal": {"do": "MINE", "item": "coal"},
    "TILL": {"do": "TILL"},
    "EAT bread": {"do": "EAT", "item": "bread"},
    "PUT 12 wheat": {"do": "PUT", "count": 12, "item": "wheat"},
    "TAKE 1 bread": {"do": "TAKE", "count": 1, "item": "bread"},
    "GIVE 2 bread to Ben": {"do": "GIVE", "count": 2, "item": "bread", "person": "Ben"},
}
KNOWN = Known("Ada", people=["Ada", "Ben"])


def read(action):
    kind = ActionSet(verbs(village(Hand(), "Ada", "Ben"))).decision(KNOWN)
    found = read_answer(kind, json.dumps({"action": action}))
    return Decide.model_validate(found.model_dump()).action


@pytest.mark.parametrize("meant", DECISIONS)
def test_decision_prints_the_name_that_it_was_given(meant):
    assert str(read(DECISIONS[meant])) == meant


@pytest.mark.parametrize(
    ("action", "told"),
    [
        ({"do": "MINE", "item": "gold"}, "cobblestone"),
        ({"do": "CRAFT", "item": "pickaxe"}, "wooden_pickaxe"),
        ({"do": "GIVE", "count": 1, "item": "bread"}, "person"),
        ({"do": "GIVE", "count": 1, "item": "bread", "person": "Ada"}, "Ben"),
        ({"do": "PUT", "count": 0, "item": "bread"}, "greater than or equal to 1"),
        ({"do": "PUT", "count": 65, "item": "bread"}, "less than or equal to 64"),
        ({"do": "FLY"}, "GIVE"),
    ],
)
def test_invalid_decisions_are_refused(action, told):
    with pytest.raises(AnswerError, match=told):
        read(action)


async def test_person_carries_out_a_decision_and_notices_the_result():
    hand, standing, outcomes, told = Hand(), {}, deque(), []
    here = village(hand, "Ada", "Ben")
    actions = ActionSet(verbs(here))
    task = Task(
        "Ada", here.body("Ada"), hand, told.append, lambda *_, **__: None, standing, outcomes
    )

    async def carry_out(verb, *needs):
        task.begin(Decision(hand.time, Action(verb, *needs), ""))
        for _ in range(400):
            await actions.carry_out(task)
            if task.is_done:
                outcome = outcomes.popleft()
                standing[outcome.subject] = outcome.holds
                return outcome.text
            hand.time += 1.0
        raise AssertionError(f"{verb} never ends")

    assert await carry_out("GATHER", 0, "oak_log") == "GATHER oak_log: +2 oak_log"
    assert here.body("Ada").place() == "forest"
    began = hand.time
    assert "did not work: it takes wooden_pickaxe or" in await carry_out("MINE", 0, "coal")
    assert hand.time - began < 10  # the person does not walk for an impossible action
    assert await carry_out("GIVE", 1, "oak_log", "Ben") == "GIVE oak_log to Ben: -1 oak_log"
    assert here.residents["Ben"].holds == {"oak_log": 1}
    assert "there is no Zoe" in await carry_out("GIVE", 1, "oak_log", "Zoe")
    assert standing["work"].lately(hand.time) == ["MINE coal", "GIVE oak_log"]
    assert "Lately did not work: MINE coal." in standing["work"].text(hand.time)
    assert await carry_out("EXPLORE") == "EXPLORE: done"
    assert math.dist(here.at(0), (0.0, 0.0)) > 50
