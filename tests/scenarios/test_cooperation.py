"""Cooperation modules with scripted minds in a commons and in contract games."""

from __future__ import annotations

import json
import random
import re
from functools import cache
from itertools import pairwise

import pytest

from tests.conftest import result_of, run_module
from tests.scenarios.commons_playing import (
    AGENTS,
    all_of,
    assert_gone_on_with,
    assert_replayed,
    cooperated,
    of,
    run_of,
)
from voxpolis.bots.agents.cooperation.companion import Companion
from voxpolis.bots.agents.cooperation.hypotheses import Count
from voxpolis.bots.agents.cooperation.requests import Claim
from voxpolis.bots.models import Account, AccountedModel, ModelError
from voxpolis.bots.models.model import Completion
from voxpolis.experiments.loops.cooperation.measures import cooperation_measures
from voxpolis.experiments.loops.cooperation.scripted import Manners
from voxpolis.grid.core.data import GameError
from voxpolis.records import events
from voxpolis.scenarios.cleanup import Cleanup
from voxpolis.scenarios.commons import CommonsHarvest
from voxpolis.scenarios.commons.persons import Person
from voxpolis.scenarios.double_vein import DoubleVein

# Claims that are true by the rules of the world (Melting Pot): no grass or growth without an apple
# within two cells, grass with one apple; with one apple, growth with probability 0.0025 an hour;
# dead trees stay dead.
TRUE = {
    "place with 0 apples within 2 -> grass gone",
    "place with 1 or more apples within 2 -> grass stays",
    "place with 0 apples within 2 -> no apple grows within 20 hours",
    "place with 1 apples within 2 -> no apple grows within 20 hours",
    "tree without apples -> no apple grows within 5 hours",
}
FALSE = {
    "place with 1 or more apples within 2 -> grass gone",
    "place with 0 apples within 2 -> grass stays",
    "place with 0 apples within 2 -> apple grows within 20 hours",
    "place with 1 apples within 2 -> apple grows within 20 hours",
    "tree without apples -> apple grows within 5 hours",
}


# --- Understanding -------------------------------------------------------------------------------


def test_observers_find_all_true_rules_and_no_others_within_twenty_rounds():
    for seed in range(2):
        people = all_of(Person("greedy"))
        run, _ = cooperated(people, seed, modules="understanding", rounds=20)
        made = {(e.agent, e.number): e.test for e in of(run, events.HypothesisMade)}
        for name in AGENTS:
            assert {test for (agent, _), test in made.items() if agent == name} == TRUE | FALSE
            found = run.cooperation.companions[name].hypotheses
            assert {str(one.test) for one in found.of("rule")} == TRUE, seed
            assert {str(one.test) for one in found.of("dropped")} == FALSE, seed
        scenario = CommonsHarvest()
        claims, topics = run.cooperation.claims, scenario.topics("none")

        def judge(test, claims=claims, scenario=scenario):
            return scenario.judge_rule("none", claims[test])

        measures = cooperation_measures(run.events, AGENTS, judge, topics)
        assert (measures["rules_precision"], measures["rules_recall"]) == (1.0, 1.0)
        assert set(measures["rules"]["Juan"]) == TRUE


def test_honest_probabilities_get_the_expected_brier_score():
    """Predicting p for events that happen with probability p scores p (1 - p) on average."""
    scores, expected = [], []
    for seed in range(2):
        people = all_of(Person("pacifist"))
        run, _ = cooperated(people, seed, modules="understanding", rounds=60, trees=1)
        made = {(e.agent, e.number): e for e in of(run, events.PredictionMade)}
        for settled in of(run, events.PredictionSettled):
            one = made[settled.agent, settled.number]
            if settled.is_true is None:
                assert settled.brier is None
                continue
            assert settled.brier == pytest.approx((one.probability - settled.is_true) ** 2)
            row, column = (int(n) for n in one.test.partition("[")[2].partition("]")[0].split(","))
            moments = [e.t for e in of(run, events.RoundEnded) if e.t >= one.t]
            eaten = [e for e in of(run, events.AppleEaten) if e.position == (row, 0, column)]
            grown = [e.t for e in of(run, events.AppleGrown) if e.position == (row, 0, column)]
            start = next(t for t in moments if _is_empty(t, eaten, grown))
            assert settled.is_true == any(start < t <= start + 20 for t in grown)
            scores.append(settled.brier)
            expected.append(one.probability * (1 - one.probability))
    assert len(scores) > 50
    assert sum(scores) / len(scores) == pytest.approx(sum(expected) / len(expected), abs=0.05)


def _is_empty(t, eaten, grown):
    """Return whether a site has no apple at a time; initially each site has an apple."""
    return sum(e.t <= t for e in eaten) > sum(g <= t for g in grown)


# --- Communication -------------------------------------------------------------------------------


def test_liar_is_identified_after_thirty_exchanges():
    quiet = Manners(talks="nothing")
    people = {
        "Juan": Person("pacifist", manners=Manners(talks="asks")),
        "Laura": Person("pacifist", manners=quiet),
        "Pedro": Person("pacifist", manners=Manners(talks="nothing", lies=0.6)),
    }
    for seed in range(2):
        run, _ = cooperated(
            people, seed, "one_tree", modules="communication", rounds=70, hearing=100
        )
        told = {"Laura": [], "Pedro": []}
        for event in of(run, events.ClaimChecked):
            told[event.agent].append(event)
        trust = {name: found[30].trust for name, found in told.items()}  # after thirty exchanges
        for name, found in told.items():
            true = sum(one.is_true for one in found[:30])
            assert trust[name] == pytest.approx((true + 1) / 32, abs=1e-3)
        assert trust["Laura"] - trust["Pedro"] > 0.4
        assert all(one.is_true for one in told["Laura"])


# --- Agreements and reputation -------------------------------------------------------------------

RATES = {"Juan": 1.0, "Laura": 0.7, "Pedro": 0.2}


@cache
def keepers(seed):
    people = {
        name: Person("pacifist", manners=Manners(talks="offers", keeps=rate, wary=0))
        for name, rate in RATES.items()
    }
    modules = "communication,reputation"
    run, _ = cooperated(people, seed, "one_tree", modules=modules, rounds=140, hearing=100)
    return run


def test_broken_promises_match_an_independent_count():
    run = keepers(0)
    found = run.events
    made = {e.promises[name][0]: (i, e, name) for i, e in enumerate(found)
            if isinstance(e, events.AgreementMade) for name in e.promises}  # fmt: skip
    rounds = 1
    round_of = []
    for event in found:
        round_of.append(rounds)
        rounds += isinstance(event, events.RoundEnded)
    for settled in of(run, events.PromiseSettled):
        start, agreement, name = made[settled.number]
        other = next(party for party in agreement.parties if party != name)
        until = int(settled.form.rpartition(" ")[2])
        attacked = any(
            isinstance(e, events.ZapFired) and (e.agent, e.target) == (name, other)
            and round_of[start + 1 + i] <= until
            for i, e in enumerate(found[start + 1 :])
        )  # fmt: skip
        assert settled.kept != attacked, settled


def test_published_reputation_is_the_mean_of_counts_and_judgements():
    run = keepers(0)
    last = {e.agent: e for e in of(run, events.ReputationPublished)}
    for one in last.values():
        assert one.exact == pytest.approx(10 * (one.kept + 1) / (one.kept + one.broken + 2))
        assert one.value == pytest.approx((one.exact + one.model) / 2)
    order = sorted(last, key=lambda name: -last[name].value)
    assert order == ["Juan", "Laura", "Pedro"]
    assert run.known("Pedro").reputation == {n: pytest.approx(e.value) for n, e in last.items()}
    measures = cooperation_measures(run.events, AGENTS, lambda test: None, ())
    assert measures["reputation_spearman"] == 1.0


class Listening:
    """Forwards questions and stores the prompts of each role."""

    def __init__(self, model):
        self._model, self.prompts = model, {}

    async def complete(self, request):
        told = "\n".join(one["content"] for one in request.messages)
        self.prompts.setdefault(request.role, []).append(told)
        return await self._model.complete(request)


def test_raters_never_read_what_was_said():
    listening = []

    def model(inner):
        listening.append(Listening(inner))
        return listening[0]

    people = all_of(Person("pacifist", manners=Manners(lies=0.5)))
    run, _ = cooperated(people, 0, "one_tree", model=model, modules="all", rounds=20, hearing=100)
    said = {e.text for e in of(run, events.MessagePassed)}
    claims = {e.test for e in of(run, events.ClaimChecked)}
    prompts = listening[0].prompts
    assert {"speak", "reply", "weigh", "rate", "induce", "predict"} <= set(prompts)
    assert said
    assert claims
    assert len(prompts["rate"]) == 3 * 4
    for prompt in prompts["rate"]:
        assert not any(text in prompt for text in said | claims)
        assert "promised: " in prompt
    assert any(text in prompt for prompt in prompts["speak"] for text in said)


# --- Constitution --------------------------------------------------------------------------------


def test_guards_and_a_constitution_save_the_single_tree():
    people = {
        "Juan": Person("guard"),
        "Laura": Person("guard"),
        "Pedro": Person("greedy", manners=Manners(heeds=1)),
    }
    survived = {
        modules: sum(
            len(of(run, events.RoundEnded)) == 100 and run.table.trees_alive == 1
            for seed in range(8)
            for run, _ in [cooperated(people, seed, "one_tree", modules=modules)]
        )
        for modules in ("", "constitution")
    }
    assert survived["constitution"] == 8
    assert survived[""] <= 2  # by Fisher's test, p < .01


def test_fines_sum_to_zero_and_rewards_are_apples_minus_fines():
    people = all_of(Person("greedy", attacks=0.5, manners=Manners(heeds=0)))
    run, _ = cooperated(people, 3, "one_tree", modules="constitution", last_apple_fine=4)
    rewards = of(run, events.Reward)
    broken = of(run, events.ArticleBroken)
    assert {e.article for e in broken} == {1, 3}
    assert sum(e.transfer for e in rewards) == pytest.approx(0, abs=1e-5)
    paid = {e.agent: e.transfer for e in rewards}
    for name in AGENTS:
        own = sum(e.fine for e in broken if e.agent == name)
        got = sum(e.shares.get(name, 0) for e in broken)
        assert paid[name] == pytest.approx(got - own, abs=1e-5)
    for e in rewards:
        assert e.reward == pytest.approx(e.value + e.transfer)


def test_unlawful_attackers_are_banned_from_attacking_for_some_rounds():
    """The run itself asserts that each action was legal. Banned persons know of the ban, and other
    persons are unaffected."""
    people = all_of(Person("pacifist"))
    people["Pedro"] = Person("sparing", attacks=1, manners=Manners(heeds=0))
    run, _ = cooperated(people, 0, "one_tree", modules="constitution", ban_rounds=3, rounds=30)
    rounds = [e.round for e in of(run, events.TurnTaken)
              if e.agent == "Pedro" and e.action.startswith("immobilize")]  # fmt: skip
    breaches = of(run, events.ArticleBroken)
    assert len(breaches) > 3
    assert all(later - earlier > 3 for earlier, later in pairwise(rounds))


def test_each_statement_counts_once_for_trust_in_its_source():
    """A claim about the present is checked immediately; a rule counts when it is settled."""
    noted = []
    one = Companion("Juan", None, None, lambda *a, **f: noted.append((a, f)))
    claims = (Claim("now", "NOW"), Claim("always", "ALWAYS"), Claim("never", "NEVER"))
    one.hear("Laura", claims, (0.5, 0.5, 0.5), 0, checked=("NOW",))
    assert one.hypotheses.trust == {}
    counts = {"NOW": Count(9, 0), "ALWAYS": Count(9, 9), "NEVER": Count(9, 0)}
    for _ in range(2):
        one.settle(lambda hypothesis: counts[hypothesis.test])
        assert one.hypotheses.trust == {"Laura": 0.5}  # one statement was true, one false
    assert len(one.hypotheses.of("rule")) == 1


# --- Whole runs, by the command -------------------------------------------------------------------


class Failing:
    """Answers as persons do, except that each module's question fails in some way."""

    ROLES = ("induce", "predict", "speak", "reply", "weigh", "rate", "amendments")
    ANSWERS = (
        None,  # the endpoint answers with an error
        "## My thoughts\n\n* I would rather **not** say.",
        '{"hypotheses": 5, "predictions": 3, "act": {"do": "SHOUT"}, "trust": 7, "scores": "good"}',
        "",
    )

    def __init__(self, model):
        self._model, self._draws = model, random.Random(0)

    async def complete(self, request):
        if request.role not in self.ROLES:
            return await self._model.complete(request)
        answer = self._draws.choice(self.ANSWERS)
        if answer is None:
            raise ModelError("status 500")
        return Completion(text=answer, model="broken")


def test_module_without_usable_answers_only_loses_its_turn():
    account = Account()
    people = all_of(Person("pacifist"))
    run, _ = cooperated(
        people,
        0,
        "one_tree",
        model=lambda inner: AccountedModel(Failing(inner), account),
        modules="all",
        rounds=12,
        hearing=100,
        amend_every=5,
    )
    plain, _ = cooperated(people, 0, "one_tree", rounds=12)
    assert [e.action for e in of(run, events.TurnTaken)] == [
        e.action for e in of(plain, events.TurnTaken)
    ]
    assert not of(run, events.MessagePassed)
    assert not of(run, events.HypothesisMade)
    assert {e.model for e in of(run, events.ReputationPublished)} == {None}
    assert {e.value for e in of(run, events.ReputationPublished)} == {5.0}
    decisions = account.as_json()
    asked = 3 * 12 + 2 * 3 * 4 + 2 * 3 + 2 * 3  # speak; induce and predict; rate; amendments
    assert decisions["failed"] == asked


SHORT = ("--set", "rounds=10", "--set", "hearing=100", "--set", "amend_every=4", "--seed", "4")


def test_run_with_modules_matches_direct_play_and_is_replayed_and_resumed(tmp_path):
    words = ["--condition", "full", "--set", "base=bots", "--runs", "2", *SHORT]
    code, result, record = run_of(tmp_path, *words)
    assert code == 0
    assert result["decisions"]["failed"] == 0
    assert result["modules"] == ["understanding", "communication", "constitution", "reputation"]
    scenario = CommonsHarvest(base="bots", rounds=10, hearing=100, amend_every=4)
    run, _ = cooperated(
        scenario.people("full"), 4, "full", base="bots", rounds=10, hearing=100, amend_every=4
    )
    (entry, _) = result["runs"]
    measures = cooperation_measures(
        run.events,
        AGENTS[:2],
        lambda test: scenario.judge_rule("full", run.cooperation.claims[test]),
        scenario.topics("full"),
    )
    assert {name: entry[name] for name in measures} == measures
    assert entry["messages"] > 0
    assert_replayed(tmp_path, result, record)
    assert_gone_on_with(tmp_path, result, record)


# --- By a river -----------------------------------------------------------------------------------
RIVER = {"game": "clean_up"}


def three(kind, **manners):
    return {name: Person(kind, manners=Manners(**manners)) for name in AGENTS}


def test_law_makes_apples_grow_where_none_grow_without_it():
    """There are three eaters; the law makes each clean a little, which is enough for all."""
    for seed in range(2):
        people = three("eater", heeds=1.0, observes="nothing", talks="nothing")
        without, _ = cooperated(people, seed, **RIVER)
        assert sum(without.table.eaten.values()) == 0
        run, _ = cooperated(people, seed, modules="constitution", **RIVER)
        assert min(run.table.eaten.values()) > 0
        assert sum(run.table.eaten.values()) > 15
        rewards = of(run, events.Reward)
        assert sum(one.transfer for one in rewards) == pytest.approx(0)
        cells = {name: sum(e.cells for e in of(run, events.RiverCleaned) if e.agent == name)
                 for name in AGENTS}  # fmt: skip
        assert cells == {name: run.table.cleaned[name] for name in AGENTS}


# --- In contract games ----------------------------------------------------------------------------

NAMES = ("Gizmo", "Glitch")


def play(scenario, *options, module="all", **settings):
    """Play a scenario on the grid by the command; return its result."""
    given = [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
    words = ("--world", "grid", "--modules", module, "--json", *options, *given)
    return result_of(run_module(f"scenarios.{scenario}", *words))


def recorded(result, *kinds):
    """Return events of some kinds from a result's record, by kind, each with its episode."""
    with open(f"{result['run_dir']}/events.jsonl", encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    return [one for one in found if one["kind"] in kinds]


def test_observers_keep_true_rules_and_drop_false_ones():
    heeding = {f"manners.{name}.heeds": 1 for name in NAMES}
    result = play("double_vein", "--episodes", "7", module="understanding,constitution", **heeding)
    known = DoubleVein().knowledge()
    true, false = known.true, known.false
    last = result["runs"][-1]
    assert last["cooperation"]["rules"] == {n: sorted(map(str, true)) for n in NAMES}
    made = {(e["agent"], e["number"]): e["test"] for e in recorded(result, "hypothesis")}
    judged = {(made[e["agent"], e["number"]], e["status"])
              for e in recorded(result, "hypothesis_judged")}  # fmt: skip
    assert judged == {(str(one), "rule") for one in true} | {(str(one), "dropped") for one in false}


def test_fines_match_an_independent_count_and_sum_to_zero():
    """All players ignore the law, so both dig the wrong ore, and each pays the other."""
    heedless = {f"manners.{name}.heeds": 0 for name in NAMES}
    result = play("double_vein", "--episodes", "3", "--runs", "2", module="constitution",
                  duty_fine=4, **heedless)  # fmt: skip
    counts = recorded(result, "acts_counted")
    assert len(counts) == 6
    fines = recorded(result, "article_broken")
    for one in counts:
        owed = set()
        if one["acts"]["Gizmo"]["diamonds_dug"]:
            owed.add("Gizmo")
        if one["acts"]["Glitch"]["iron_dug"]:
            owed.add("Glitch")
        of_episode = [fine for fine in fines if fine["episode"] == one["episode"]]
        assert {fine["agent"] for fine in of_episode} == owed
        assert {fine["fine"] for fine in of_episode} <= {4.0}
        run = result["runs"][one["episode"]]
        for name, own in run["agents"].items():
            other = {"Gizmo": "Glitch", "Glitch": "Gizmo"}[name]
            assert own["transfer"] == 4 * ((other in owed) - (name in owed))
            assert own["reward"] == own["value"] + own["transfer"]
        dug = one["acts"]
        assert run["agents"]["Gizmo"]["iron"] == dug["Gizmo"]["iron_dug"]
        assert run["agents"]["Glitch"]["diamond"] == dug["Glitch"]["diamonds_dug"]
    assert fines


def test_promises_are_settled_by_counts_and_affect_reputation():
    """In every episode Glitch offers to leave the iron; greedy players dig some of it."""
    result = play(
        "double_vein", "--episodes", "10", "--memory", "none",
        module="communication,reputation",
        **{"manners.Glitch": json.dumps({"keeps": 0.5, "talks": "offers"}),
           "manners.Gizmo": json.dumps({"talks": "nothing", "wary": 0})},
    )  # fmt: skip
    settled = recorded(result, "promise_settled")
    assert [one["agent"] for one in settled] == ["Glitch"] * 10
    count = {e["episode"]: e["acts"]["Glitch"]["iron_dug"]
             for e in recorded(result, "acts_counted")}  # fmt: skip
    assert all(one["kept"] == (count[one["episode"]] == 0) for one in settled)
    kept = sum(one["kept"] for one in settled)
    assert 2 <= kept <= 8
    last = [one for one in recorded(result, "reputation") if one["agent"] == "Glitch"][-1]
    assert last["exact"] == pytest.approx(10 * (kept + 1) / (10 + 2), abs=1e-3)


def test_liar_is_trusted_less_and_replay_agrees(tmp_path):
    result = play(
        "double_vein", "--episodes", "12", "--out", str(tmp_path),
        module="understanding,communication",
        **{"manners.Glitch": json.dumps({"lies": 0.9, "talks": "asks"}),
           "manners.Gizmo": json.dumps({"lies": 0, "talks": "asks"})},
    )  # fmt: skip
    checked = recorded(result, "claim_checked")
    said = {n: [one for one in checked if one["agent"] == n] for n in NAMES}
    assert all(one["is_true"] for one in said["Gizmo"])
    assert sum(one["is_true"] for one in said["Glitch"]) < 0.4 * len(said["Glitch"])
    assert said["Gizmo"][-1]["trust"] - said["Glitch"][-1]["trust"] > 0.4
    for one in checked:  # whether it was true follows from the counts of the previous round
        before = [e for e in recorded(result, "acts_counted") if e["id"] < one["id"]][-1]
        dug = re.fullmatch(r"last round: (\w+) digs at (least|most) (\d+) (\w+)", one["test"])
        number = before["acts"][dug[1]][f"{dug[4]}_dug"]
        holds = number >= int(dug[3]) if dug[2] == "least" else number <= int(dug[3])
        assert one["is_true"] == holds
    again = result_of(run_module("scenarios.double_vein", "--replay", result["run_dir"], "--json"))
    assert again["runs"] == result["runs"]
    assert again["modules"] == result["modules"]
    assert recorded(result, "prediction_settled")


def test_modules_are_selected_by_setting_or_condition():
    whole = CommonsHarvest(base="one_tree")
    assert whole.cooperation("full-communication").modules == (
        "understanding", "constitution", "reputation",
    )  # fmt: skip
    assert CommonsHarvest().cooperation("none") is None
    assert whole.played("full").game == whole.played("one_tree").game
    with pytest.raises(GameError, match="already selects modules"):
        CommonsHarvest(modules="reputation").played("full")
    assert DoubleVein().cooperation() is None
    chosen = DoubleVein(modules="reputation, understanding").cooperation()
    assert chosen.modules == ("understanding", "reputation")
    assert Cleanup(modules="all", duty_fine=3).cooperation().law.parameters == {"duty_fine": 3.0}
