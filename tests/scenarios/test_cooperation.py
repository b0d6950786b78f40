"""The modules of cooperation with scripted persons: what the specification says must come out."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import pytest
from scipy.stats import fisher_exact

from bots.agents.cooperation.companion import Companion
from bots.agents.cooperation.hypotheses import Count
from bots.agents.cooperation.wording import Claim
from experiments.cooperation_measures import cooperation_measures, spearman
from records import events
from scenarios.commons import CommonsHarvest
from scenarios.commons.companions import Manners
from scenarios.commons.persons import Person
from tests.cooperating import of, played
from worlds.commons.claims import AttacksUnfed

AGENTS = ("Juan", "Laura", "Pedro")
#: What is true of the world by its rules (Melting Pot): no grass and no growth where no apple is
#: within two cells, grass where one is; growth with .0025 an hour where one is; dead trees stay so.
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


def all_of(person):
    return dict.fromkeys(AGENTS, person)


# --- Understanding -------------------------------------------------------------------------------


def test_observers_find_exactly_what_is_true_within_twenty_rounds_of_play():
    for seed in range(6):
        people = all_of(Person("greedy"))
        run, _ = played(people, seed, modules="understanding", rounds=20)
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


def test_what_bots_do_without_an_apple_in_sight_holds_and_what_pacifists_do_does_not():
    outcomes = {"Ana": [], "Luis": [], "Juan": [], "Laura": []}
    for seed in range(6):
        people = {"Juan": Person("greedy"), "Laura": Person("greedy")}
        run, _ = played(people, seed, "bots", modules="understanding", rounds=40)
        for name, known in outcomes.items():
            known.extend(AttacksUnfed(name).tests(run.cooperation.history, 0))
    bots = outcomes["Ana"] + outcomes["Luis"]
    assert len(bots) > 50
    assert sum(bots) >= 0.8 * len(bots)
    assert len(outcomes["Juan"] + outcomes["Laura"]) > 20
    assert not any(outcomes["Juan"] + outcomes["Laura"])


def test_predictions_are_scored_by_what_grew_and_honest_chances_score_as_they_should():
    """Someone who says p of what happens with p scores p (1 - p) on average."""
    scores, expected = [], []
    for seed in range(4):
        people = all_of(Person("pacifist"))
        run, _ = played(people, seed, modules="understanding", rounds=60, trees=1)
        made = {(e.agent, e.number): e for e in of(run, events.PredictionMade)}
        for settled in of(run, events.PredictionSettled):
            one = made[settled.agent, settled.number]
            if settled.came is None:
                assert settled.brier is None
                continue
            assert settled.brier == pytest.approx((one.probability - settled.came) ** 2)
            row, column = (int(n) for n in one.test.partition("[")[2].partition("]")[0].split(","))
            moments = [e.t for e in of(run, events.RoundEnded) if e.t >= one.t]
            eaten = [e for e in of(run, events.AppleEaten) if e.position == (row, 0, column)]
            grown = [e.t for e in of(run, events.AppleGrown) if e.position == (row, 0, column)]
            start = next(t for t in moments if _is_empty(t, eaten, grown))
            assert settled.came == any(start < t <= start + 20 for t in grown)
            scores.append(settled.brier)
            expected.append(one.probability * (1 - one.probability))
    assert len(scores) > 100
    assert sum(scores) / len(scores) == pytest.approx(sum(expected) / len(expected), abs=0.05)


def _is_empty(t, eaten, grown):
    """Whether no apple stands at a site at a time; each site has one at the beginning."""
    return sum(e.t <= t for e in eaten) > sum(g <= t for g in grown)


# --- Communication -------------------------------------------------------------------------------


def test_an_answer_becomes_a_hypothesis_with_a_source_and_the_world_says_whether_it_was_true():
    """Laura believes that tree 3 is dead, which it is not; Juan asks her."""
    quiet = Manners(talks="nothing")

    def prepare(run, persons):
        persons["Juan"].companion.trees = {3: True}
        persons["Laura"].companion.trees = {3: False}
        persons["Laura"].companion.see = persons["Juan"].companion.see = lambda sight: None

    people = {
        "Juan": Person("pacifist", manners=Manners(talks="asks")),
        "Laura": Person("pacifist", manners=quiet),
        "Pedro": Person("pacifist", manners=quiet),
    }
    run, _ = played(people, modules="communication", rounds=2, hearing=100, prepare=prepare)
    said = [(e.agent, e.to, e.act) for e in of(run, events.MessagePassed)]
    assert said == [
        ("Juan", "Pedro", "ask"),
        ("Pedro", "Juan", "answer"),
        ("Juan", "Laura", "ask"),
        ("Laura", "Juan", "answer"),
    ]
    (made,) = of(run, events.HypothesisMade)
    assert (made.agent, made.source, made.test, made.trust) == (
        "Juan", "Laura", "tree 3 has no apple", 0.5,
    )  # fmt: skip
    (one,) = run.cooperation.companions["Juan"].hypotheses.all
    assert (one.tries, one.hits) == (1, 0.5)
    (checked,) = of(run, events.ClaimChecked)
    assert (checked.agent, checked.is_true, checked.in_answer) == ("Laura", False, True)
    assert run.known("Juan").trust == {"Laura": pytest.approx(1 / 3)}


@pytest.mark.parametrize("rate", [0.6, 0.9])
def test_a_liar_is_told_apart_after_thirty_exchanges(rate):
    for seed in range(3):
        quiet = Manners(talks="nothing")
        people = {
            "Juan": Person("pacifist", manners=Manners(talks="asks")),
            "Laura": Person("pacifist", manners=quiet),
            "Pedro": Person("pacifist", manners=Manners(talks="nothing", lies=rate)),
        }
        run, _ = played(people, seed, "one_tree", modules="communication", rounds=70, hearing=100)
        told = {"Laura": [], "Pedro": []}
        for event in of(run, events.ClaimChecked):
            told[event.agent].append(event)
        trust = {name: found[30].trust for name, found in told.items()}  # after thirty
        for name, found in told.items():
            true = sum(one.is_true for one in found[:30])
            assert trust[name] == pytest.approx((true + 1) / 32, abs=1e-3)
        assert trust["Laura"] - trust["Pedro"] > 0.4
        assert all(one.is_true for one in told["Laura"])


# --- Agreements and reputation -------------------------------------------------------------------

RATES = {"Juan": 1.0, "Laura": 0.7, "Pedro": 0.2}
#: Games of those who keep promises at these rates, of which forty of each are counted.
KEEPERS = 6


@cache
def keepers(seed):
    people = {
        name: Person("pacifist", manners=Manners(talks="offers", keeps=rate, wary=0))
        for name, rate in RATES.items()
    }
    modules = "communication,reputation"
    run, _ = played(people, seed, "one_tree", modules=modules, rounds=140, hearing=100)
    return run


def test_reputation_recovers_how_many_promises_each_keeps():
    shares = {name: [] for name in RATES}
    for seed in range(KEEPERS):
        run = keepers(seed)
        for name in RATES:
            settled = [e.kept for e in of(run, events.PromiseSettled) if e.agent == name]
            assert len(settled) >= 40
            shares[name].append((sum(settled[:40]) + 1) / 42)
    for name, rate in RATES.items():
        assert sum(shares[name]) / KEEPERS == pytest.approx(rate, abs=0.07)


def test_promises_are_broken_by_what_was_done_counted_in_another_way():
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


def test_what_is_published_is_the_mean_of_a_count_and_of_judgements():
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


def test_rank_correlation_is_told_only_where_there_is_one():
    assert spearman([(1, 0.1), (2, 0.2), (3, 0.9)]) == 1.0
    assert spearman([(1, 0.5), (2, 0.5)]) is None
    assert spearman([(1, 0.5)]) is None
    assert spearman([]) is None


class Listening:
    """Passes questions on, and keeps the prompts of each role."""

    def __init__(self, model):
        self._model, self.prompts = model, {}

    async def complete(self, request):
        told = "\n".join(one["content"] for one in request.messages)
        self.prompts.setdefault(request.role, []).append(told)
        return await self._model.complete(request)


def test_who_rates_others_never_reads_what_was_said():
    listening = []

    def model(inner):
        listening.append(Listening(inner))
        return listening[0]

    people = all_of(Person("pacifist", manners=Manners(lies=0.5)))
    run, _ = played(people, 0, "one_tree", model=model, modules="all", rounds=20, hearing=100)
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


def fisher(one, other):
    table = [[sum(one), len(one) - sum(one)], [sum(other), len(other) - sum(other)]]
    return fisher_exact(table).pvalue


def test_guards_and_a_constitution_keep_the_one_tree_that_dies_without():
    people = {
        "Juan": Person("guard"),
        "Laura": Person("guard"),
        "Pedro": Person("greedy", manners=Manners(heeds=1)),
    }
    survived = {
        modules: [
            len(of(run, events.RoundEnded)) == 100 and run.table.trees_alive == 1
            for seed in range(20)
            for run, _ in [played(people, seed, "one_tree", modules=modules)]
        ]
        for modules in ("", "constitution")
    }
    assert sum(survived["constitution"]) == 20
    assert fisher(survived["constitution"], survived[""]) < 0.01


def test_a_law_that_costs_less_than_an_apple_keeps_no_tree():
    people = all_of(Person("greedy", manners=Manners(heeds=1)))
    kept, _ = played(people, 1, "one_tree", modules="constitution", rounds=40)
    lost, _ = played(people, 1, "one_tree", modules="constitution", rounds=40, last_apple_fine=1)
    assert (kept.table.trees_alive, lost.table.trees_alive) == (1, 0)


def test_fines_sum_to_zero_and_rewards_are_apples_less_fines():
    people = all_of(Person("greedy", attacks=0.5, manners=Manners(heeds=0)))
    run, _ = played(people, 3, "one_tree", modules="constitution", last_apple_fine=4)
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


def test_who_attacked_without_right_may_not_for_some_rounds():
    """Direct asserts that each action was legal; banned persons know, and others go on."""
    people = all_of(Person("pacifist"))
    people["Pedro"] = Person("sparing", attacks=1, manners=Manners(heeds=0))
    run, _ = played(people, 0, "one_tree", modules="constitution", ban_rounds=3, rounds=30)
    rounds = [e.round for e in of(run, events.TurnTaken)
              if e.agent == "Pedro" and e.action.startswith("immobilize")]  # fmt: skip
    breaches = of(run, events.ArticleBroken)
    assert len(breaches) > 3
    assert all(later - earlier > 3 for earlier, later in pairwise(rounds))


def test_what_a_source_says_counts_once_for_its_trust():
    """A claim about now counts as it was then; a rule that is told counts when it is settled."""
    noted = []
    one = Companion("Juan", None, None, lambda *a, **f: noted.append((a, f)))
    claims = (Claim("now", "NOW"), Claim("always", "ALWAYS"), Claim("never", "NEVER"))
    one.hear("Laura", claims, (0.5, 0.5, 0.5), 0, checked=("NOW",))
    assert one.hypotheses.trust == {}
    counts = {"NOW": Count(9, 0), "ALWAYS": Count(9, 9), "NEVER": Count(9, 0)}
    for _ in range(2):
        one.settle(lambda hypothesis: counts[hypothesis.test])
        assert one.hypotheses.trust == {"Laura": 0.5}  # one true, one false
    assert len(one.hypotheses.of("rule")) == 1


def test_who_breaks_promises_is_refused_by_the_wary_where_reputations_are_published():
    people = {
        name: Person("pacifist", manners=Manners(talks="offers", keeps=rate, wary=5))
        for name, rate in {"Juan": 1.0, "Laura": 1.0, "Pedro": 0.0}.items()
    }
    for modules, refused in (("communication,reputation", {"Pedro"}), ("communication", set())):
        run, _ = played(people, 0, "one_tree", modules=modules, rounds=30, hearing=100)
        answers = [e for e in of(run, events.MessagePassed) if e.act in ("accept", "refuse")]
        assert {e.to for e in answers if e.act == "refuse"} == refused
        assert {"Juan", "Laura"} <= {e.to for e in answers if e.act == "accept"}
