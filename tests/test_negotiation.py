"""Negotiation and formal contracts."""

from __future__ import annotations

import contextlib
import string
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.models import ScriptedModel
from bots.structured import AnswerError
from experiments.contract_protocol import Situation
from judge import Contract, ContractError, Outcome, Terms, negotiate, parse_clauses
from judge.formal import LARGEST_AMOUNT
from judge.negotiation import Move, Table, Turn, negotiator_prompt, read_move
from judge.wording import in_words
from scenarios.cleanup import Cleanup
from scenarios.double_vein import DoubleVein
from scenarios.harvest import Harvest

TERMS = Terms(("Ann", "Bob", "Cy"), {"iron": 12, "diamond": 6})
TWO = Terms(("Ann", "Bob"), TERMS.items)
BRIEFINGS = {name: f"You are {name}." for name in TWO.players}


def briefings_of(scenario):
    nothing = Contract("none", "")
    return {
        agent: scenario.briefing(Situation(agent, "minecraft", nothing))
        for agent in scenario.agents
    }


# --- Formal contracts ----------------------------------------------------------------------------


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
def test_clauses_say_who_pays_whom(clauses, transfers):
    outcome = Outcome(
        held={"Ann": {"iron": 4}, "Bob": {"diamond": 3}},
        dug={"Ann": {"iron": 4}},
        signals={"Ann": 2},
    )
    contract = parse_clauses(clauses, TERMS)
    assert contract.transfers(outcome) == transfers
    assert parse_clauses(str(contract), TERMS).transfers(outcome) == transfers


@pytest.mark.parametrize(
    ("clauses", "says"),
    [
        ("", "there are no clauses"),
        ("Ann gives Bob 3", "is not of the form"),
        ("Ann pays Dan 3", "there is no player Dan"),
        ("Ann pays Ann 3", "Ann cannot pay Ann"),
        ("Ann pays Bob held(Ann, gold)", "there is no item gold: iron, diamond"),
        ("Ann pays Bob held(Dan, iron)", "there is no player Dan"),
        ("Ann pays Bob held(Ann)", "needs a player and an item"),
        ("Ann pays Bob stolen(Ann, iron)", "there is no stolen"),
        ("Ann pays Bob 6 / held(Ann, iron)", "can divide by zero"),
        ("Ann pays Bob 1e300", "can pass"),
        ("Ann pays Bob held(Ann, iron) * (1e308 * 1e308)", "can pass"),
        ("Ann pays Bob 1e308 * 10 - 1e308 * 10", "can pass"),
        ("Ann pays Bob 1 if 1e308 * 10 - 1e308 * 10 > 0", "can pass"),
        ("Ann pays Bob 1e999", "can pass"),
        ("Ann pays Bob " + "9" * 400, "can pass"),
        ("Ann pays Bob 1 / 1e-300", "can pass"),
        ("Ann pays Bob 1 / (1e-300 * 1e-300)", "can divide by zero"),
        ("Ann pays Bob " + "-" * 470 + "1", "nested more than 64 deep"),
        ("Ann pays Bob 1 if " + "not " * 100 + "1 < 2", "nested more than 64 deep"),
        ("Ann pays Bob" + " " * 100_000 + "1", "longer than"),
        ("\n" * 100_000_000, "longer than"),
        ("Ann pays Bob \ud800", "is no expression"),
        ("Ann pays Bob 1e5 * held(Ann, iron)", "can pass"),
        ("Ann pays Bob 2 ** 9", "is no amount"),
        ("Ann pays Bob True", "is no amount"),
        ("Ann pays Bob 'x'", "is no amount"),
        ("Ann pays Bob (1, 2)", "is no amount"),
        ("Ann pays Bob __import__('os').system('id')", "is no amount"),
        ("Ann pays Bob held.__class__", "is no amount"),
        ("Ann pays Bob [x for x in y]", "is no amount"),
        ("Ann pays Bob 3 if held(Ann, iron)", "is no condition"),
        ("Ann pays Bob 3 if 'a' in 'ab'", "is no condition"),
        ("Ann pays Bob 3 +", "is no expression"),
        ("Ann pays Bob 3 if 1 == 1 # and 1 == 2", "write no remark"),
        ("Ann pays Bob 3 # for the iron", "write no remark"),
        ("Ann pays Bob 3 # if 1 == 2", "write no remark"),
        ("Ann pays Bob " + "(" * 400, "is no expression"),
        ("\n".join(["Ann pays Bob 1"] * 21), "more than 20 clauses"),
    ],
)
def test_what_is_no_clause_is_refused_with_the_reason(clauses, says):
    with pytest.raises(ContractError) as refused:
        parse_clauses(clauses, TERMS)
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
#: Also counts that the terms say there cannot be.
counts = st.integers(-1, 10**9)
held = st.fixed_dictionaries({"iron": counts, "diamond": counts, "dirt": counts})
everyones = st.fixed_dictionaries(dict.fromkeys(TERMS.players, held))


@given(
    clauses=st.lists(
        st.builds("{} pays {} {}".format, *[st.sampled_from(TERMS.players)] * 2, amounts)
        | st.builds("Ann pays Bob {} if not ({} < {} or {} == {})".format, *[amounts] * 5),
        min_size=1,
        max_size=4,
    ),
    outcome=st.builds(
        Outcome,
        held=everyones,
        dug=everyones,
        signals=st.fixed_dictionaries(dict.fromkeys(TERMS.players, counts)),
    ),
)
def test_whatever_is_accepted_is_zero_sum_and_has_a_value_for_every_outcome(clauses, outcome):
    try:
        contract = parse_clauses("\n".join(clauses), TERMS)
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
def test_any_text_is_clauses_or_an_error_and_soon(text):
    began = time.process_time()
    try:
        parse_clauses(text, TERMS)
    except ContractError as error:
        told = str(error)
    else:
        told = "none"
    assert told
    assert time.process_time() - began < 0.5


# --- The wire format -----------------------------------------------------------------------------


def test_a_message_with_everything():
    said = (
        "[thinking] I want 5.\n[message] How about this?\n[contract]\n1. Ann pays Bob 5.\n"
        "[clauses]\nAnn pays Bob 5\n[clauses end]\n[contract end]"
    )
    move = read_move("Ann", said, TWO, None)
    assert (move.thought, move.message, move.accepts) == ("I want 5.", "How about this?", False)
    assert move.proposal.text == "1. Ann pays Bob 5.\nFormally:\n1. Ann pays Bob 5"
    assert move.proposal.rule(Outcome()) == {"Ann": -5, "Bob": 5}


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ("I agree!", "say something after"),
        ("[accept]", "no proposal of another player"),
        ("[contract]\n1. Ann pays Bob 5.", "ends with"),
        ("[contract]\n[contract end]", "is empty"),
        (
            "[contract]\nx\n[clauses]\nAnn pays Zoe 1\n[clauses end]\n[contract end]",
            "no player Zoe",
        ),
        ("[contract]\n" + "x" * 5000 + "\n[contract end]", "longer than"),
    ],
)
def test_what_is_no_message_is_asked_again_with_the_reason(answer, says):
    with pytest.raises(AnswerError, match=says):
        read_move("Ann", answer, TWO, None)


def test_nobody_proposes_and_accepts_at_once():
    with pytest.raises(AnswerError, match="not both"):
        read_move(
            "Ann", "[contract]\nx\n[contract end]\n[accept]", TWO, Contract("negotiated", "y")
        )


FIVE = "1. Ann pays Bob 5.\n2. Bob waits."


@pytest.mark.parametrize(
    "answer",
    [
        f"[message] Yes. [contract]\n{FIVE}\n[contract end]",
        f"[message] Yes.\n[accept]\n[contract]\n{FIVE}\n[contract end]",
        "[contract] 1. Ann pays Bob 5.\n   2. Bob waits. [contract end]\n[accept]",
    ],
)
def test_to_repeat_the_proposal_that_stands_is_to_accept_it(answer):
    move = read_move("Bob", answer, TWO, Contract("negotiated", FIVE))
    assert (move.accepts, move.proposal) == (True, None)
    if "[contract]" in answer and "[accept]" not in answer:
        assert read_move("Bob", answer, TWO, None).proposal.text == FIVE


async def test_the_papers_own_negotiation_comes_to_its_contract():
    """The offers of contract 1's transcript (10, 14, 9, 11), and an answer that repeats the last.

    Source: Yocum et al. (2023), the published negotiation of Double-Vein; the words are ours.
    """
    said = [
        f"[message] What of {n}?\n[contract]\n1. Ann mines the iron.\n"
        f"2. Ann pays Bob {n} emeralds.\n[contract end]"
        for n in (10, 14, 9, 11)
    ]
    yes = said[-1].replace("What of 11?", "I agree to this:") + "\n[accept]"
    found = await negotiate(speaking(*said, yes), BRIEFINGS, TWO, 8, lambda _move: None)
    assert found.agreed.text == "1. Ann mines the iron.\n2. Ann pays Bob 11 emeralds."
    assert [move.accepts for move in found.moves] == [False] * 4 + [True]


# --- The procedure -------------------------------------------------------------------------------


def speaking(*answers):
    left = iter(answers)
    return ScriptedModel(lambda *_: next(left, "[message] Hm."))


PROPOSAL = "[message] Well? [contract]\n1. Ann pays Bob 5.\n[contract end]"


async def test_an_accept_adopts_the_proposal_before_it():
    moves = []
    model = speaking(PROPOSAL, "[message] More.", "[message] No.", "[message] Yes.\n[accept]")
    found = await negotiate(model, BRIEFINGS, TWO, 8, moves.append)
    assert found.agreed.text == "1. Ann pays Bob 5."
    assert [move.player for move in moves] == ["Ann", "Bob", "Ann", "Bob"]


async def test_without_an_accept_there_is_no_contract():
    found = await negotiate(speaking(PROPOSAL), BRIEFINGS, TWO, 5, lambda _move: None)
    assert found.agreed is None
    assert len(found.moves) == 5


def test_among_more_than_two_all_must_accept():
    table = Table(TERMS.players)
    one, other = Contract("negotiated", "one"), Contract("negotiated", "other")
    assert table.take(Move("Ann", proposal=one)) is None
    assert table.take(Move("Bob", accepts=True)) is None
    assert table.take(Move("Cy", proposal=other)) is None
    assert table.take(Move("Ann", accepts=True)) is None
    assert table.take(Move("Bob", accepts=True)) is other


words = st.integers(10**6, 10**9).map("secret{}end".format)


@given(thoughts=st.lists(words, min_size=8, max_size=8, unique=True))
async def test_no_token_of_a_thought_reaches_the_other_side(thoughts):
    secrets = iter(thoughts)
    seen = {"Ann": "", "Bob": ""}

    def answer(request):
        seen[request.agent] += request.messages[-1]["content"]
        return f"[thinking] {next(secrets)}\n[message] Hm."

    found = await negotiate(ScriptedModel(answer), BRIEFINGS, TWO, 8, lambda _move: None)
    for move in found.moves:
        (other,) = set(TWO.players) - {move.player}
        assert move.thought not in seen[other]
    prompt = negotiator_prompt(Turn("Ann", "A game.", TWO, tuple(found.moves), 3))
    assert all(move.thought in prompt for move in found.moves if move.player == "Ann")


@given(st.lists(st.text() | st.sampled_from([PROPOSAL, "[accept]", "[message] x"]), max_size=30))
async def test_whatever_a_model_says_a_negotiation_ends(said):
    found = await negotiate(speaking(*said), BRIEFINGS, TWO, 4, lambda _move: None)
    assert len(found.moves) <= 4
    assert found.agreed is None or found.agreed.text


# --- Scripted negotiators ------------------------------------------------------------------------


@pytest.mark.parametrize("rounds", range(2, 11))
async def test_scripted_negotiators_meet_near_the_even_split(rounds):
    scenario = DoubleVein()
    briefings = briefings_of(scenario)
    model = ScriptedModel(scenario.script())
    found = await negotiate(model, briefings, scenario.terms(), rounds, lambda _move: None)
    paid = found.agreed.rule(Outcome())["Glitch"]
    assert 1 <= paid <= 15
    if rounds >= 6:
        assert abs(paid - 9) <= 1


@pytest.mark.parametrize("scenario", [Cleanup(), Harvest()])
@pytest.mark.parametrize("rounds", [2, 5, 8])
async def test_scripted_negotiators_of_the_mushrooms(scenario, rounds):
    briefings = briefings_of(scenario)
    model = ScriptedModel(scenario.script())
    found = await negotiate(model, briefings, scenario.terms(), rounds, lambda _move: None)
    held = {"Gizmo": {"mushrooms": 10}, "Glitch": {}}
    paid = found.agreed.rule(Outcome(held))["Glitch"]
    assert 5 <= paid <= 25
    if rounds >= 5:
        assert abs(paid - 15) <= 5


async def test_words_that_are_compiled_are_what_the_other_accepts():
    said = {"Ann": "[contract]\n1. Ann pays Bob three.\n[contract end]", "Bob": "[accept]"}
    seen = []

    def answer(request):
        seen.append((request.role, request.messages[0]["content"]))
        return "Ann pays Bob 3" if request.role == "compiler" else said[request.agent]

    model = ScriptedModel(answer)
    found = await negotiate(model, BRIEFINGS, TWO, 4, lambda _move: None, compiled=True)
    assert found.agreed.rule(Outcome()) == {"Ann": -3, "Bob": 3}
    assert [role for role, _ in seen] == ["negotiator", "compiler", "negotiator"]
    assert "> That is:\n> 1. Ann pays Bob 3 emeralds." in seen[-1][1]


async def test_players_know_what_came_of_it_before():
    seen = []
    model = ScriptedModel(lambda request: seen.append(request.messages) or "[message] Hm.")
    await negotiate(model, BRIEFINGS, TWO, 2, lambda _move: None, past="Episode 1. Ann got 7.")
    assert all("Episode 1. Ann got 7." in messages[0]["content"] for messages in seen)


async def test_scripted_negotiators_have_nothing_to_say_where_specialising_does_not_pay():
    values = {"Gizmo": {"iron": 4, "diamond": 9}, "Glitch": {"iron": 3, "diamond": 5}}
    scenario = DoubleVein(values=values)
    briefings = briefings_of(scenario)
    model = ScriptedModel(scenario.script())
    found = await negotiate(model, briefings, scenario.terms(), 4, lambda _move: None)
    assert found.agreed is None


@pytest.mark.parametrize("line", ["a" * 100_000, "[accept]x" * 12_000, "a [accept] " * 9_000 + "x"])
def test_a_long_line_is_read_at_once(line):
    began = time.process_time()
    with contextlib.suppress(AnswerError):
        standing = Contract("negotiated", "y")
        assert not read_move("Bob", f"[message]\n{line}", TWO, standing).accepts
    assert time.process_time() - began < 1  # it took seconds, by the square of the length
