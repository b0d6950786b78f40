"""Contracts, settlement and measures."""

from __future__ import annotations

import json
import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxpolis.bots.models import ScriptedModel
from voxpolis.judge import (
    Case,
    Contract,
    ContractError,
    Outcome,
    Terms,
    parse_clauses,
    read_contract_file,
    settle,
)
from voxpolis.judge.contracts.clauses import LARGEST_AMOUNT, in_words, split_clause
from voxpolis.judge.contracts.compiling import compile_contract
from voxpolis.judge.contracts.negotiation import Turn, negotiator_messages
from voxpolis.records.measures import gini, mean_and_ci95, mean_and_sd, welfare
from voxpolis.scenarios.cleanup import Cleanup
from voxpolis.scenarios.double_vein import DoubleVein
from voxpolis.scenarios.harvest import Harvest
from voxpolis.worlds.protocol import Account, ActionLog

AGENTS = ("Gizmo", "Glitch")
OPTIMAL = {"Gizmo": {"raw_iron": 12}, "Glitch": {"diamond": 6}}
FREE_TEXT = Contract("free", "Gizmo pays Glitch 5 emeralds.")


def case(contract, inventories, means=None):
    """Return a case whose outcome is the given inventories."""
    held = DoubleVein().count(account(inventories))
    return Case(contract, AGENTS, Outcome(held), "They dug.", means)


def account(inventories):
    return Account(inventories, {}, ActionLog())


counts = st.fixed_dictionaries({"raw_iron": st.integers(0, 12), "diamond": st.integers(0, 6)})


async def rewards(name, inventories):
    scenario = DoubleVein()
    settlement = await settle(case(scenario.contracts()[name], inventories), None)
    values = scenario.value(account(inventories))
    return [values[a] + settlement.transfers[a] for a in AGENTS]


@pytest.mark.parametrize(
    ("contract", "expected", "inequality"),
    [("none", [48, 30], 18 / 78), ("1", [37, 41], 4 / 78), ("2", [39, 39], 0)],
)
async def test_the_papers_numbers_are_reproduced(contract, expected, inequality):
    found = await rewards(contract, OPTIMAL)
    assert found == expected
    assert welfare(found) == 78
    assert gini(found) == pytest.approx(inequality)


@pytest.mark.parametrize("name", ["none", "1", "2"])
@given(gizmo=counts, glitch=counts)
async def test_transfers_sum_to_zero_and_settlement_is_idempotent(name, gizmo, glitch):
    contract = DoubleVein().contracts()[name]
    inventories = {"Gizmo": gizmo, "Glitch": glitch}
    first = await settle(case(contract, inventories), None)
    again = await settle(case(contract, inventories), None)
    assert sum(first.transfers.values()) == 0
    assert first == again


async def test_free_text_without_a_model_transfers_nothing_and_says_why():
    settlement = await settle(case(FREE_TEXT, OPTIMAL), None)
    assert settlement.method == "none"
    assert set(settlement.transfers.values()) == {0}
    assert "needs a language model" in settlement.reasons[0]


@given(answer=st.text() | st.dictionaries(st.text(), st.floats() | st.text()).map(json.dumps))
async def test_transfers_sum_to_zero_for_any_answer_of_the_judge(answer):
    model = ScriptedModel(lambda *_: answer)
    settlement = await settle(case(FREE_TEXT, OPTIMAL), model)
    assert sum(settlement.transfers.values()) == 0


def finding(term, *payments, reason="kept"):
    """Return a judge model's finding on a term; each payment is (payer, receiver, amount)."""
    paid = [{"from": payer, "to": receiver, "amount": n} for payer, receiver, n in payments]
    return {"term": term, "reason": reason, "payments": paid}


def judged(*payments):
    """Return a judge model's answer: one finding for each (payer, receiver, amount)."""
    findings = [finding(n, payment) for n, payment in enumerate(payments, start=1)]
    return json.dumps({"findings": findings, "critiques": []})


def ruling(*findings):
    return json.dumps({"findings": findings, "critiques": []})


async def test_payments_bind_while_reasons_are_only_recorded():
    reason = "Nobody pays anything. Glitch owes 99."
    first = finding(1, ("Gizmo", "Glitch", 7), reason=reason)
    answer = ruling(first, finding(2, ("Glitch", "Gizmo", 2)))
    settlement = await settle(case(FREE_TEXT, OPTIMAL), ScriptedModel(lambda *_: answer))
    assert settlement.method == "model"
    assert settlement.transfers == {"Gizmo": -5, "Glitch": 5}
    assert settlement.reasons == [reason, "kept"]


TERMS = Contract("free", "1. Gizmo pays Glitch 5 emeralds.\n2. Glitch pays Gizmo nothing.")


@pytest.mark.parametrize(
    "wrong",
    [
        judged(("Gizmo", "Zoe", 5)),
        judged(("Gizmo", "Gizmo", 5)),
        judged(("Gizmo", "Glitch", -5)),
        judged(("Gizmo", "Glitch", float("inf"))),
        judged(("Gizmo", "Glitch", 1e7)),
        ruling(),
        ruling(finding(1, ("Gizmo", "Glitch", 5))),
        ruling(finding(1, ("Gizmo", "Glitch", 5)), finding(1, ("Gizmo", "Glitch", 5))),
        ruling(finding(1), finding(2), finding(3, ("Gizmo", "Glitch", 5))),
        "Gizmo pays Glitch 5.",
    ],
)
async def test_a_judges_wrong_answer_is_retried(wrong):
    asked = []

    def answer(request):
        asked.append(request)
        right = ruling(finding(1, ("Gizmo", "Glitch", 5)), finding(2))
        return right if len(asked) > 1 else wrong

    settlement = await settle(case(TERMS, OPTIMAL), ScriptedModel(answer))
    assert settlement.transfers == {"Gizmo": -5, "Glitch": 5}
    assert len(asked) == 2
    assert asked[1].error in asked[1].messages[-1]["content"]


async def test_a_rule_that_is_not_zero_sum_is_an_error():
    unfair = Contract("unfair", "…", lambda _inventories: {"Gizmo": 1.0, "Glitch": 1.0})
    with pytest.raises(ValueError, match="sum to zero"):
        await settle(case(unfair, OPTIMAL), None)


# --- Clauses and the judge's error ---------------------------------------------------------------

HALF = "Gizmo pays Glitch 2 * held(Gizmo, iron)\nGlitch pays Gizmo held(Glitch, diamond) * 5 / 2"


def formal(clauses):
    parsed = parse_clauses(clauses, DoubleVein().terms())
    return Contract("formal", clauses, rule=parsed.transfers, clauses=parsed.lines)


async def test_clauses_are_settled_without_a_model():
    settlement = await settle(case(formal(HALF), OPTIMAL), None)
    assert (settlement.method, settlement.error) == ("exact", None)
    assert settlement.transfers == {"Gizmo": -9, "Glitch": 9}


def test_clauses_accept_aliases_of_items():
    scenario = DoubleVein()
    terms = scenario.terms()
    prompt = negotiator_messages(Turn("Gizmo", "A game.", terms, (), 3))[-1]["content"]
    assert "iron (also raw_iron, iron_ore; at most 12)" in prompt
    said = "Gizmo pays Glitch 2 * held(Gizmo, raw_iron) if dug(Glitch, diamond_ore) == 6"
    contract = parse_clauses(said, terms)
    assert contract.lines == (
        "Gizmo pays Glitch 2 * held(Gizmo, iron) if dug(Glitch, diamond) == 6",
    )
    done = Outcome({"Gizmo": {"iron": 5}}, {"Glitch": {"diamond": 6}})
    assert contract.transfers(done) == {"Gizmo": -10, "Glitch": 10}
    for other in (Cleanup(), Harvest()):
        said = "Gizmo pays Glitch held(Gizmo, red_mushroom) + dug(Glitch, red_mushroom_block)"
        line = "Gizmo pays Glitch held(Gizmo, mushrooms) + dug(Glitch, caps)"
        assert parse_clauses(said, other.terms()).lines == (line,)


async def test_the_judge_models_error_is_measured():
    model = ScriptedModel(lambda *_: judged(("Gizmo", "Glitch", 12)))
    both = await settle(case(formal(HALF), OPTIMAL), model, "both")
    assert (both.method, both.transfers["Glitch"], both.error) == ("exact", 9, 3)
    alone = await settle(case(formal(HALF), OPTIMAL), model, "model")
    assert (alone.method, alone.transfers["Glitch"], alone.error) == ("model", 12, None)


# --- Limits of payments ---------------------------------------------------------------------------


@given(
    amount=st.floats(-200, 200),
    means=st.fixed_dictionaries({agent: st.floats(0, 100) for agent in AGENTS}),
)
async def test_payments_stay_within_means_and_sum_to_zero(amount, means):
    contract = Contract("rule", "A.", rule=lambda _: {"Gizmo": -amount, "Glitch": amount})
    found = (await settle(case(contract, OPTIMAL, means), None)).transfers
    assert sum(found.values()) == pytest.approx(0, abs=1e-6)
    payer, paid = ("Gizmo", amount) if amount > 0 else ("Glitch", -amount)
    assert -found[payer] == pytest.approx(min(paid, means[payer]), abs=1e-6)


async def test_a_judge_model_that_exceeds_means_is_retried():
    asked = []

    def answer(request):
        asked.append(request.messages[-1]["content"])
        paid = 40 if len(asked) == 1 else 20
        return judged(("Gizmo", "Glitch", paid))

    limits = {"Gizmo": 20.0, "Glitch": 30.0}
    found = await settle(case(FREE_TEXT, OPTIMAL, limits), ScriptedModel(answer), "model")
    assert found.transfers == {"Gizmo": -20, "Glitch": 20}
    assert "more than what it has is worth, in emeralds: Gizmo 20" in asked[0]
    assert "pays more than it can" in asked[1]


# --- From words to clauses -----------------------------------------------------------------------


def compiling(*answers):
    left = list(answers)
    return ScriptedModel(lambda *_: left.pop(0))


def clauses(*lines):
    """Return a compiler's answer with these clauses."""
    names = ("payer", "receiver", "amount", "condition")
    parts = [dict(zip(names, split_clause(line), strict=True)) for line in lines]
    return json.dumps({"clauses": parts})


async def test_words_are_compiled_to_clauses_and_back():
    terms = DoubleVein().terms()
    lines = (
        "Gizmo pays Glitch 2 * held(Gizmo, iron) - 1 if not dug(Glitch, diamond) < 3",
        "Glitch pays Gizmo min(5, signals(Glitch) / 2) if held(Gizmo, iron) == 12 and 1 <= 2",
    )
    unknown = clauses("Gizmo pays Glitch held(Gizmo, gold)")
    found = await compile_contract(
        compiling("I would say", unknown, clauses(*lines)), FREE_TEXT, terms
    )
    assert found.clauses == lines
    assert found.rule(Outcome({"Gizmo": {"iron": 4}})) == {"Gizmo": 0, "Glitch": 0}
    assert found.text.startswith(FREE_TEXT.text)
    assert all(line in found.text for line in found.clauses)
    assert found.text.endswith(
        "1. Gizmo pays Glitch (2 times the iron that Gizmo holds) minus 1 emeralds, if not (the "
        "diamond that Glitch has dug is less than 3).\n"
        "2. Glitch pays Gizmo the least of 5 and (the signals that Glitch has sent divided by 2) "
        "emeralds, if (the iron that Gizmo holds is 12) and (1 is at most 2)."
    )


@pytest.mark.parametrize(
    "answers",
    [['{"clauses": null}'], ['{"clauses": []}'], ["no", "IMPOSSIBLE", clauses("A pays B 1")]],
)
async def test_contracts_that_cannot_be_compiled_are_left_unchanged(answers):
    found = await compile_contract(compiling(*answers), FREE_TEXT, DoubleVein().terms())
    assert found == FREE_TEXT


@given(st.lists(st.text(), min_size=3, max_size=3))
async def test_any_answer_of_the_compiler_gives_a_contract(answers):
    found = await compile_contract(compiling(*answers), FREE_TEXT, DoubleVein().terms())
    assert found == FREE_TEXT or found.is_exact


def test_gini_is_corrected_for_small_groups():
    assert gini([10, 0]) == 1
    assert gini([55, 45]) == pytest.approx(0.10)
    assert gini([1, 1, 1]) == 0
    assert gini([3, 0, 0]) == 1
    assert gini([0, 0]) == 0
    assert gini([-11, 11]) is None
    assert gini([-3, 1]) is None


@given(st.lists(st.floats(0, 1e6), min_size=2).filter(lambda rewards: sum(rewards) > 1e-3))
def test_gini_of_rewards_is_between_equality_and_monopoly(rewards):
    assert -1e-9 <= gini(rewards) <= 1 + 1e-9


def test_mean_and_sd_of_one_or_more_values():
    assert mean_and_sd([1]) == (1, None)
    assert mean_and_ci95([None]) == {"mean": None, "ci95": None}
    assert mean_and_ci95([1, None]) == {"mean": 1, "ci95": None}
    ci95 = pytest.approx(12.706, abs=1e-3)
    assert mean_and_ci95([1, None, 3]) == {"mean": 2, "ci95": ci95}
    assert mean_and_sd([1, 3]) == (2, pytest.approx(2**0.5))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [(b" \n", "is empty"), (b"\xff\xfe\x00", "not text"), (b"a\0b", "not text")],
)
def test_invalid_contract_files_are_refused(tmp_path, content, complaint):
    path = tmp_path / "contract.txt"
    with pytest.raises(ContractError, match="No such file"):
        read_contract_file(path)
    path.write_bytes(content)
    with pytest.raises(ContractError, match=complaint):
        read_contract_file(path)


# --- Formal clauses -------------------------------------------------------------------------------

PEOPLE = Terms(("Ann", "Bob", "Cy"), {"iron": 12, "diamond": 6})


@pytest.mark.parametrize(
    ("clauses", "transfers"),
    [
        ("Ann pays Bob 11", {"Ann": -11, "Bob": 11, "Cy": 0}),
        ("1. Ann pays Bob 2 * held(Ann, iron).", {"Ann": -8, "Bob": 8, "Cy": 0}),
        ("Bob pays Cy max(1, held(Bob, diamond) / 2)", {"Ann": 0, "Bob": -1.5, "Cy": 1.5}),
        ("Ann pays Bob 5 if dug(Ann, diamond) > 0", {"Ann": 0, "Bob": 0, "Cy": 0}),
        (
            "Ann pays Bob 5 if not dug(Ann, diamond) > 0 and 1 <= signals(Ann) <= 3",
            {"Ann": -5, "Bob": 5, "Cy": 0},
        ),
        ("Ann pays Bob 4\nBob pays Ann 1\nCy pays Ann 1", {"Ann": -2, "Bob": 3, "Cy": -1}),
        ("Ann pays Bob -(3 - 1)", {"Ann": 2, "Bob": -2, "Cy": 0}),
    ],
)
def test_clauses_define_payer_receiver_and_amount(clauses, transfers):
    outcome = Outcome(
        held={"Ann": {"iron": 4}, "Bob": {"diamond": 3}},
        dug={"Ann": {"iron": 4}},
        signals={"Ann": 2},
    )
    contract = parse_clauses(clauses, PEOPLE)
    assert contract.transfers(outcome) == transfers
    assert parse_clauses(str(contract), PEOPLE).transfers(outcome) == transfers


@pytest.mark.parametrize(
    ("clauses", "says"),
    [
        ("", "there are no clauses"),
        ("Ann gives Bob 3", "is not of the form"),
        ("Ann pays Dan 3", "there is no player Dan"),
        ("Ann pays Ann 3", "Ann cannot pay Ann"),
        (
            "Ann pays Bob held(Ann, gold)",
            "there is no held(Ann, gold); there are: held(PLAYER, ITEM)",
        ),
        ("Ann pays Bob held(Ann)", "there is no held(Ann);"),
        ("Ann pays Bob stolen(Ann, iron)", "there is no stolen"),
        ("Ann pays Bob 6 / held(Ann, iron)", "can divide by zero"),
        ("Ann pays Bob held(Ann, iron) * (1e308 * 1e308)", "can exceed"),
        ("Ann pays Bob 1 if 1e308 * 10 - 1e308 * 10 > 0", "can exceed"),
        ("Ann pays Bob " + "9" * 400, "can exceed"),
        ("Ann pays Bob 1 / 1e-300", "can exceed"),
        ("Ann pays Bob 1 / (1e-300 * 1e-300)", "can divide by zero"),
        ("Ann pays Bob " + "-" * 470 + "1", "nested more than 64"),
        ("Ann pays Bob 1 if " + "not " * 100 + "1 < 2", "nested more than 64"),
        ("Ann pays Bob" + " " * 100_000 + "1", "longer than"),
        ("\n" * 100_000_000, "longer than"),
        ("Ann pays Bob \ud800", "is not an expression"),
        ("Ann pays Bob 1e5 * held(Ann, iron)", "can exceed"),
        ("Ann pays Bob 2 ** 9", "is not an amount"),
        ("Ann pays Bob True", "is not an amount"),
        ("Ann pays Bob held(Dan, iron)", "players: Ann, Bob, Cy; items: iron, diamond"),
        ("Ann pays Bob __import__('os').system('id')", "is not an amount"),
        ("Ann pays Bob held.__class__", "is not an amount"),
        ("Ann pays Bob 3 if held(Ann, iron)", "is not a condition"),
        ("Ann pays Bob 3 +", "is not an expression"),
        ("Ann pays Bob 3 if 1 == 1 # and 1 == 2", "comments are not allowed"),
        ("Ann pays Bob " + "(" * 400, "is not an expression"),
        ("\n".join(["Ann pays Bob 1"] * 21), "more than 20 clauses"),
    ],
)
def test_invalid_clauses_are_refused_with_the_reason(clauses, says):
    with pytest.raises(ContractError) as refused:
        parse_clauses(clauses, PEOPLE)
    assert says in str(refused.value)


WORDS = ["held(", "Ann", ", iron)", " if ", "min(", " and ", "not ", "1e300", "lambda:", "f'{x}'"]
amounts = st.recursive(
    st.integers(-20, 20).map(str)
    | st.sampled_from(["1e308", "1e-308", "1e12", "1e999", "9" * 400, "0", "--1"])
    | st.sampled_from(["held(Ann, iron)", "dug(Bob, diamond)", "signals(Cy)"]),
    lambda inner: (
        st.builds("({} {} {})".format, inner, st.sampled_from("+-*/"), inner)
        | st.builds("max({}, {})".format, inner, inner)
        | st.builds("-{}".format, inner)
    ),
    max_leaves=12,
)
# Includes counts that are not in the terms.
COUNTS = st.integers(-1, 10**9)
held = st.fixed_dictionaries({"iron": COUNTS, "diamond": COUNTS, "dirt": COUNTS})
everyones = st.fixed_dictionaries(dict.fromkeys(PEOPLE.players, held))


@given(
    clauses=st.lists(
        st.builds("{} pays {} {}".format, *[st.sampled_from(PEOPLE.players)] * 2, amounts)
        | st.builds("Ann pays Bob {} if not ({} < {} or {} == {})".format, *[amounts] * 5),
        min_size=1,
        max_size=4,
    ),
    outcome=st.builds(
        Outcome,
        held=everyones,
        dug=everyones,
        signals=st.fixed_dictionaries(dict.fromkeys(PEOPLE.players, COUNTS)),
    ),
)
def test_accepted_clauses_are_zero_sum_and_defined_for_every_outcome(clauses, outcome):
    try:
        contract = parse_clauses("\n".join(clauses), PEOPLE)
    except ContractError:
        return
    transfers = contract.transfers(outcome)
    assert all(abs(amount) <= LARGEST_AMOUNT * len(clauses) for amount in transfers.values())
    assert in_words(contract)
    assert abs(sum(transfers.values())) <= 1e-6 * max(1, *map(abs, transfers.values()))
    assert contract.transfers(outcome) == transfers


@given(
    st.text(alphabet=string.printable)
    | st.lists(st.sampled_from([*string.printable, *WORDS]), max_size=200).map(
        lambda parts: "Ann pays Bob " + "".join(parts)
    )
    | st.builds(
        lambda part, times, end: f"Ann pays Bob {part * times}{end}",
        st.sampled_from(
            [" if ", " ", "1 if ", "(", "-", "not ", "1+", "min(", "1<", "[", "\t", "held"]
        ),
        st.integers(0, 600),
        st.sampled_from(["", "1", " if 1 < 2"]),
    )
)
def test_any_text_is_parsed_or_refused_quickly(text):
    began = time.process_time()
    try:
        parse_clauses(text, PEOPLE)
    except ContractError as error:
        told = str(error)
    else:
        told = "none"
    assert told
    assert time.process_time() - began < 0.5
