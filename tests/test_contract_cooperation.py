"""Modules of cooperation in contract games with scripted minds: what must come out."""

from __future__ import annotations

import json
import re

import pytest
from pydantic import TypeAdapter, ValidationError

from tests.conftest import result_of, run_module
from tests.endpoint import completion, serving
from tests.typed_endpoint import deciding
from voxpolis.bots.agents.cooperation.wording import one_form
from voxpolis.judge.deeds.account import Deeds
from voxpolis.judge.deeds.acts import EVERYONE, ActHistory, ActRule, Amount, LastRound, promise
from voxpolis.judge.deeds.claims import State, outcome_of
from voxpolis.judge.deeds.commitments import read_terms, say
from voxpolis.records import events
from voxpolis.scenarios.cleanup import Cleanup
from voxpolis.scenarios.double_vein import DIAMONDS, IRON, DoubleVein, knowledge

NAMES = ("Gizmo", "Glitch")
LENT = knowledge(NAMES).lent


def counted(*rounds):
    """A history of rounds: how much iron and how many diamonds Gizmo and Glitch dug in each."""
    history = ActHistory()
    for number, (g_iron, g_diamonds, l_iron, l_diamonds) in enumerate(rounds, start=1):
        history.take(acts(number, g_iron, g_diamonds, l_iron, l_diamonds), 0)
    return history


def acts(number, g_iron, g_diamonds, l_iron, l_diamonds):
    found = {
        "Gizmo": {"iron_dug": g_iron, "diamonds_dug": g_diamonds},
        "Glitch": {"iron_dug": l_iron, "diamonds_dug": l_diamonds},
    }
    return events.ActsCounted(t=0.0, episode=0, round=number, acts=found)


def play(scenario, *options, module="all", **settings):
    """Play a scenario on the grid by the command; its result."""
    given = [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
    words = ("--world", "grid", "--modules", module, "--json", *options, *given)
    return result_of(run_module(f"scenarios.{scenario}", *words))


def recorded(result, *kinds):
    """The events of a result's record of some kinds, by kind, each with its episode."""
    with open(f"{result['run_dir']}/events.jsonl", encoding="utf-8") as lines:
        found = [json.loads(line) for line in lines]
    return [one for one in found if one["kind"] in kinds]


# --- Forms ---------------------------------------------------------------------------------------


SEVEN = Amount("Gizmo", IRON, 7)


@pytest.mark.parametrize(
    ("claim", "words", "outcomes"),
    [
        (SEVEN, "Gizmo digs at least 7 iron", [True, False, True]),
        (
            Amount("Glitch", IRON, 0, at_least=False),
            "Glitch digs at most 0 iron",
            [True, False, False],
        ),
        (
            Amount(EVERYONE, IRON, 10),
            "everyone together digs at least 10 iron",
            [True, True, True],
        ),
        (
            Amount(EVERYONE, DIAMONDS, 5, at_least=False),
            "everyone together digs at most 5 diamonds",
            [False, True, True],
        ),
        (
            ActRule(SEVEN, Amount("Glitch", IRON, 0, at_least=False)),
            "Gizmo digs at least 7 iron -> Glitch digs at most 0 iron",
            [True, False],
        ),
        (
            ActRule(Amount("Gizmo", DIAMONDS, 0, at_least=False), Amount(EVERYONE, DIAMONDS, 6)),
            "Gizmo digs at most 0 diamonds -> everyone together digs at least 6 diamonds",
            [True],
        ),
        (
            LastRound(Amount("Glitch", IRON, 4)),
            "last round: Glitch digs at least 4 iron",
            [False, True, True],
        ),
    ],
)
def test_claims_about_acts_are_tested_round_by_round(claim, words, outcomes):
    history = counted((12, 0, 0, 6), (6, 4, 6, 0), (8, 3, 4, 0))
    assert str(claim) == words
    assert list(claim.tests(history, 0)) == outcomes
    assert list(claim.tests(history, 3)) == []


def test_only_the_last_round_is_a_state_and_its_contrary_is_what_is_so_where_it_is_not():
    history = counted((12, 0, 0, 6), (6, 4, 6, 0))
    claim = LastRound(Amount("Glitch", IRON, 6))
    assert isinstance(claim, State)
    assert claim.holds(history)
    assert str(claim.contrary) == "last round: Glitch digs at most 5 iron"
    assert not claim.contrary.holds(history)
    assert claim.contrary.contrary == claim
    assert claim.holds(counted()) is None
    assert not isinstance(SEVEN, State)


def said(who="Gizmo", act="iron_dug", number=7):
    return {"who": who, "act": act, "at_least": True, "number": number}


TYPES = TypeAdapter(one_form(LENT.claims.types(NAMES)))


@pytest.mark.parametrize(
    ("answer", "claim"),
    [
        ({"form": "each_round", "amount": said()}, SEVEN),
        ({"form": "last_round", "amount": said()}, LastRound(SEVEN)),
        (
            {"form": "whenever", "when": said(), "then": said(EVERYONE, "diamonds_dug", 1)},
            ActRule(SEVEN, Amount(EVERYONE, DIAMONDS, 1)),
        ),
    ],
)
def test_answers_are_claims_about_acts(answer, claim):
    assert LENT.claims.read(TYPES.validate_python(answer).model_dump()) == claim
    assert LENT.claims.say(claim) == answer


@pytest.mark.parametrize(
    "answer",
    [
        {"form": "each_round", "amount": said("Ada")},
        {"form": "each_round", "amount": said(act="gold_dug")},
        {"form": "each_round", "amount": said(number=99_999)},
        {"form": "last_round", "amount": said(number=-1)},
        {"form": "whenever", "when": said()},
        {"form": "grass"},
    ],
)
def test_other_answers_are_no_claims_about_acts(answer):
    with pytest.raises(ValidationError):
        TYPES.validate_python(answer)


def test_predictions_about_acts_are_settled_by_the_next_round_or_when_they_are_due():
    made_at = 1
    now = counted((12, 0, 0, 6), (6, 4, 6, 0))
    first = Amount("Glitch", IRON, 4)
    assert outcome_of(first, now, made_at, is_due=False) == (True, True)
    state = LastRound(Amount("Glitch", IRON, 4, at_least=False))
    assert outcome_of(state, now, made_at, is_due=False) == (False, None)
    assert outcome_of(state, now, made_at, is_due=True) == (True, False)
    never = ActRule(Amount("Gizmo", IRON, 12), Amount("Glitch", IRON, 0, at_least=False))
    assert outcome_of(never, now, made_at, is_due=True) == (True, None)


def test_promises_bind_until_a_round_and_are_settled_by_what_was_counted():
    terms = [
        promise(Amount("Glitch", IRON, 5, at_least=False), 2),
        promise(Amount("Gizmo", IRON, 20), 3),
    ]
    found = read_terms(LENT.account, [say(one) for one in terms], NAMES, (), 1)
    assert found.forms == [
        "Glitch digs at most 5 iron until round 2",
        "Gizmo digs at least 20 iron until round 3",
    ]
    deeds = Deeds(LENT.account)
    few, much = found.promises
    deeds.take(acts(1, 12, 0, 3, 0))
    assert [few.state(deeds, 0), much.state(deeds, 0)] == ["open", "open"]
    deeds.take(acts(2, 8, 0, 3, 0))
    assert [few.state(deeds, 0), much.state(deeds, 0)] == ["broken", "kept"]
    (own,) = (knowledge(NAMES).promised["Glitch"],)
    assert str(promise(own, 4)) == "Glitch digs at most 0 iron until round 4"
    assert own.act == IRON


# --- Whole games ---------------------------------------------------------------------------------


def test_observers_find_exactly_what_is_so_and_drop_what_is_not():
    result = play(
        "double_vein", "--episodes", "7", "--runs", "2", module="understanding,constitution",
        **{f"manners.{name}.heeds": 1 for name in NAMES},
    )  # fmt: skip
    true, false = knowledge(NAMES).true, knowledge(NAMES).false
    assert {run["seed"] for run in result["runs"]} == {0, 1}
    for seed in (0, 1):
        last = [run for run in result["runs"] if run["seed"] == seed][-1]
        assert last["cooperation"]["rules"] == {n: sorted(map(str, true)) for n in NAMES}
    made = {(e["episode"] // 7, e["agent"], e["number"]): e["test"]
            for e in recorded(result, "hypothesis")}  # fmt: skip
    judged = [(made[e["episode"] // 7, e["agent"], e["number"]], e["status"])
              for e in recorded(result, "hypothesis_judged")]  # fmt: skip
    assert sorted(set(judged)) == sorted(
        [(str(one), "rule") for one in true] + [(str(one), "dropped") for one in false]
    )


def test_fines_are_what_a_person_counts_and_sum_to_zero():
    """Nobody heeds the law, so Gizmo digs diamonds, Glitch iron, and each pays the other."""
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


def test_a_law_that_all_heed_leaves_each_ore_to_whom_it_is_worth_most():
    heeding = {f"manners.{name}.heeds": 1 for name in NAMES}
    lawful = play("double_vein", "--episodes", "2", "--runs", "2", module="constitution", **heeding)
    assert [run["welfare"] for run in lawful["runs"]] == [78.0] * 4
    assert lawful["cooperation"]["mean"]["fines"] == 0
    lawless = play("double_vein", "--episodes", "1", "--runs", "2", module="understanding")
    assert all(run["welfare"] < 78 for run in lawless["runs"])


@pytest.mark.parametrize("keeps", [1, 0.7, 0.2])
def test_reputation_recovers_how_often_promises_are_kept(keeps):
    """Glitch offers to leave the iron in every episode; greedy ones dig some of it."""
    result = play(
        "double_vein", "--episodes", "40", "--runs", "2", "--memory", "none",
        module="communication,reputation",
        **{"manners.Glitch": json.dumps({"keeps": keeps, "talks": "offers"}),
           "manners.Gizmo": json.dumps({"talks": "nothing", "wary": 0})},
    )  # fmt: skip
    settled = recorded(result, "promise_settled")
    assert len(settled) == 80
    assert {one["agent"] for one in settled} == {"Glitch"}
    count = {(e["episode"]): e["acts"]["Glitch"]["iron_dug"]
             for e in recorded(result, "acts_counted")}  # fmt: skip
    assert all(one["kept"] == (count[one["episode"]] == 0) for one in settled)
    exact = [e for e in recorded(result, "reputation") if e["agent"] == "Glitch"]
    last = [max((e for e in exact if e["episode"] // 40 == run), key=lambda e: e["id"])
            for run in (0, 1)]  # fmt: skip
    assert sum(one["exact"] for one in last) / 20 == pytest.approx(keeps, abs=0.07)


def test_a_liar_is_trusted_less_than_who_tells_the_truth():
    result = play(
        "double_vein", "--episodes", "16", module="communication",
        **{"manners.Glitch": json.dumps({"lies": 0.9, "talks": "asks"}),
           "manners.Gizmo": json.dumps({"lies": 0, "talks": "asks"})},
    )  # fmt: skip
    checked = recorded(result, "claim_checked")
    said = {n: [one for one in checked if one["agent"] == n] for n in NAMES}
    assert all(one["is_true"] for one in said["Gizmo"])
    assert sum(one["is_true"] for one in said["Glitch"]) < 0.4 * len(said["Glitch"])
    assert said["Gizmo"][-1]["trust"] - said["Glitch"][-1]["trust"] > 0.4
    for one in checked:  # whether it was true follows from what was counted in the round before
        before = [e for e in recorded(result, "acts_counted") if e["id"] < one["id"]][-1]
        dug = re.fullmatch(r"last round: (\w+) digs at (least|most) (\d+) (\w+)", one["test"])
        number = before["acts"][dug[1]][f"{dug[4]}_dug"]
        holds = number >= int(dug[3]) if dug[2] == "least" else number <= int(dug[3])
        assert one["is_true"] == holds


def test_a_replay_has_the_same_thoughts_talk_and_fines(tmp_path):
    options = ("--episodes", "2", "--out", str(tmp_path))
    first = play("cleanup", *options)
    done = run_module("scenarios.cleanup", "--replay", first["run_dir"], "--json")
    again = result_of(done)
    assert again["runs"] == first["runs"]
    assert again["modules"] == first["modules"]
    assert recorded(first, "message_passed", "prediction_settled")


@pytest.mark.parametrize(("module", "role"), [("communication", "speak"), ("reputation", "rate")])
def test_a_module_whose_questions_all_fail_loses_its_turns_and_the_game_goes_on(
    tmp_path, module, role
):
    """Programs and critics are answered; what a module asks is not."""
    good = deciding("strict")

    def answer(request):
        asked = str(request["messages"])
        signs = ("one program, a list of plans", "You check whether", "You judge how well")
        if any(sign in asked for sign in signs):
            return good(request)
        return 200, completion("I would rather not say.")

    with serving(answer) as endpoint:
        model = ("--base-url", endpoint.url, "--model", "local", "--out", str(tmp_path))
        result = play("double_vein", "--episodes", "2", *model, module=module)
    assert [len(run["acted"]) for run in result["runs"]] == [2, 2]
    failed = result["decisions"]["agents"]["Gizmo"]["failed"]
    assert {name.partition(":")[0] for name in failed} == {role}
    counts = [one["acts"]["Gizmo"]["iron_dug"] for one in recorded(result, "acts_counted")]
    assert len(counts) == 2
    assert not recorded(result, "hypothesis", "message_passed", "agreement")
    exact = recorded(result, "reputation")
    assert [(one["exact"], one["model"]) for one in exact] == [(5.0, None)] * len(exact)
    assert len(exact) == (4 if module == "reputation" else 0)


def test_prompts_and_estimates_have_the_modules_and_people_carry_none():
    shown = run_module("scenarios.cleanup", "--world", "grid", "--modules", "all", "--show-prompts")
    for title in ("induce", "predict", "check", "speak", "reply", "weigh", "ballot", "rate"):
        assert f" {title}, Gizmo " in shown.stdout
    assert "everyone together" in shown.stdout
    assert "each cleans at least 8 slime" in shown.stdout
    plain = run_module("scenarios.cleanup", "--world", "grid", "--show-prompts")
    assert " induce, " not in plain.stdout
    estimate = run_module("scenarios.cleanup", "--world", "grid", "--modules", "reputation",
                          "--episodes", "2", "--estimate")  # fmt: skip
    assert estimate.returncode == 0, estimate.stderr
    assert "rate" in estimate.stdout
    refused = run_module("scenarios.cleanup", "--modules", "all", "--agent", "Gizmo=human")
    assert refused.returncode == 2
    assert "a person carries no modules" in refused.stderr
    wrong = run_module("scenarios.cleanup", "--world", "grid", "--modules", "law")
    assert wrong.returncode == 2
    assert "there is no module law" in wrong.stderr
    assert wrong.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("manners.Ada.keeps=1", "manners.Ada: nobody has that name; there are Gizmo, Glitch"),
        ("manners.Gizmo.keeps=2", "manners"),
        ("duty_fine=21", "duty_fine"),
    ],
)
def test_settings_of_modules_that_make_no_game_are_one_line(setting, says):
    done = run_module("scenarios.double_vein", "--world", "grid", "--set", setting)
    assert done.returncode == 2
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_settings_name_the_modules_in_their_order():
    assert DoubleVein().cooperation() is None
    chosen = DoubleVein(modules="reputation, understanding").cooperation()
    assert chosen.modules == ("understanding", "reputation")
    assert Cleanup(modules="all", duty_fine=3).cooperation().law.parameters == {"duty_fine": 3.0}
