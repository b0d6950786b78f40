"""Negotiations: moves, results, and the command that negotiates without playing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.endpoint import saying, serving
from tests.negotiating import accept, clause, offer, said
from voxpolis.bots.models import ScriptedModel
from voxpolis.experiments.loops.contract.scenario import Situation
from voxpolis.experiments.run import command, registry
from voxpolis.judge import Contract, Outcome, Terms, negotiate
from voxpolis.judge.contracts.compiling import Compiled
from voxpolis.judge.contracts.negotiation import (
    NOTHING_SAID,
    Leave,
    Move,
    Table,
    Turn,
    negotiator_messages,
    turn_type,
)
from voxpolis.records import events, read_record
from voxpolis.scenarios.cleanup import Cleanup
from voxpolis.scenarios.double_vein import DoubleVein

TERMS = Terms(("Ann", "Bob", "Cy"), {"iron": 12, "diamond": 6})
TWO = Terms(("Ann", "Bob"), TERMS.items)
BRIEFINGS = {name: f"You are {name}." for name in TWO.players}


def briefings_of(scenario):
    nothing = Contract("none", "")
    return {
        agent: scenario.briefing(Situation(agent, "minecraft", nothing))
        for agent in scenario.agent_names
    }


# --- Answers -------------------------------------------------------------------------------------


def speaking(*answers):
    """Return a model that gives these answers, and then only talks."""
    left = iter(answers)
    return ScriptedModel(lambda *_: next(left, said("Hm.")))


async def held(*answers, rounds=8, terms=TWO, **options):
    """Run a negotiation with these answers."""
    briefings = {name: f"You are {name}." for name in terms.players}
    return await negotiate(speaking(*answers), briefings, terms, rounds, lambda _: None, **options)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (accept(1), "no proposal of another player"),
        (offer("x", clauses=[clause("Ann", "Zoe", 1)]), "no player Zoe"),
        (offer("x", clauses=[clause("Ann", "Bob", "2 * held(Ann, gold)")]), "no held(Ann, gold)"),
        (offer("x", clauses=[clause("Ann", "Bob", "1", "held(Ann, iron)")]), "not a condition"),
        (offer("x", clauses=[clause("Ann", "Bob", "a few")]), "not an expression"),
        (offer("x", clauses=[clause("Ann", "Bob", 1)] * 2), "occurs twice"),
        (offer("x", clauses=[clause("Ann", "Bob", "1" * 501)]), "longer than"),
        (offer("x" * 5000), "longer than"),
    ],
)
async def test_an_unusable_answer_is_retried_with_the_reason(answer, says):
    for first in (answer, answer.text()):
        asked = []

        def answers(request, first=first, asked=asked):
            asked.append(request)
            return said("Hm.") if request.attempt else first

        model = ScriptedModel(answers)
        found = await negotiate(model, BRIEFINGS, TWO, 1, lambda _move: None)
        assert found.moves == [Move("Ann", message="Hm.")]
        assert first == answer.text() or says in asked[1].error
        assert asked[1].error in asked[1].messages[-1]["content"]


async def test_answer_types_are_restricted_to_existing_names():
    """A turn's type contains the current players and the number of the current proposal."""
    kind = turn_type(TWO.players, 4)
    good = {"note": "", "message": "Yes.", "move": {"do": "accept", "proposal": 4}}
    assert kind.model_validate(good).move.proposal == 4
    for wrong in ({"do": "accept", "proposal": 3}, {"do": "agree"}, {"do": "propose", "terms": []}):
        with pytest.raises(ValidationError):
            kind.model_validate({**good, "move": wrong})
    with pytest.raises(ValidationError):
        turn_type(TWO.players, None).model_validate(good)


async def test_a_player_without_a_usable_answer_passes():
    found = await held(*["I would accept, I think."] * 3, rounds=1)
    assert found.moves == [Move("Ann", message=NOTHING_SAID)]


FIVE = ("Ann pays Bob 5 emeralds.", "Bob waits for the signal.")


@pytest.mark.parametrize(
    "terms",
    [
        FIVE,
        tuple(f"{number}. {term}" for number, term in enumerate(FIVE, start=1)),
        tuple(term.upper() for term in FIVE),
        tuple(f"  {term.rstrip('.')} " for term in FIVE),
    ],
)
async def test_repeating_the_current_proposal_accepts_it(terms):
    found = await held(offer(*FIVE), offer(*terms))
    assert found.agreed.text == "1. Ann pays Bob 5 emeralds.\n2. Bob waits for the signal."
    assert [move.accepts for move in found.moves] == [False, True]


@pytest.mark.parametrize(
    "terms", [(FIVE[0],), (FIVE[0].replace("5", "-5"), FIVE[1]), (FIVE[0], f"{FIVE[1]} Twice.")]
)
async def test_different_words_make_a_different_contract(terms):
    found = await held(offer(*FIVE), offer(*terms), rounds=2)
    assert found.agreed is None
    assert found.moves[1].proposal is not None


async def test_repeating_a_proposal_keeps_earlier_agreement_to_it():
    answers = [offer(*FIVE), accept(1), said("Hm."), offer(*FIVE), said("Yes?"), accept(2)]
    found = await held(*answers, terms=TERMS, rounds=6)
    assert found.agreed.text.startswith("1. Ann pays Bob 5 emeralds.")


async def test_words_that_imitate_clauses_make_a_different_contract():
    exact = offer("Pay.", clauses=[clause("Ann", "Bob", 5)])
    imitation = offer("Pay.", "Formally:", "Ann pays Bob 5")
    found = await held(imitation, exact, rounds=2)
    assert found.agreed is None
    assert found.moves[1].proposal.is_exact


# --- The published negotiations ------------------------------------------------------------------

# Yocum et al. (2023), figure 12: contract 1 of Double-Vein after offers of 10, 14, 9 and 11.
ROLES = "Gizmo mines all of the iron ore, and Glitch mines all of the diamond ore."
VEINS = [f"When the episode ends, Gizmo pays Glitch {n} emeralds." for n in (10, 14, 9, 11)]
# Figure 13: contract 1 of Cleanup, after offers to Glitch of 50, 60, 50 and 55 %.
TURNS = "Gizmo harvests the mushrooms, and Glitch cleans the river."
SHARES = [
    f"When the episode ends, Glitch gets {n} % of the value of all mushrooms, and Gizmo keeps the "
    f"other {100 - n} %."
    for n in (50, 60, 50, 55)
]

# The same payment for each mushroom, which is worth 3 emeralds.
EACH = (1.5, 1.8, 1.5, 1.65)


@pytest.mark.parametrize("repeats", [False, True])
@pytest.mark.parametrize(
    ("scenario", "roles", "offers", "formula", "glitch"),
    [
        (DoubleVein(), ROLES, VEINS, ["10", "14", "9", "11"], 11),
        (Cleanup(), TURNS, SHARES, [f"{n} * held(Gizmo, mushrooms)" for n in EACH], 33),
    ],
)  # fmt: skip
async def test_the_published_negotiations_reach_their_contracts(
    scenario, roles, offers, formula, glitch, repeats
):
    """The figures' moves, as typed answers; the wording of messages and terms is ours.

    In the paper's transcript, the last player writes the acceptance and repeats the contract.
    """
    answers = [
        offer(roles, payment, clauses=[clause("Gizmo", "Glitch", amount)], message="What of this?")
        for payment, amount in zip(offers, formula, strict=True)
    ]
    last = answers[-1] if repeats else accept(4, "I agree to your last proposal.")
    model, briefings = speaking(*answers, last), briefings_of(scenario)
    found = await negotiate(model, briefings, scenario.terms(), 8, lambda _move: None)
    assert [move.accepts for move in found.moves] == [False] * 4 + [True]
    assert f"1. {roles}\n2. {offers[-1]}\nFormally:" in found.agreed.text
    holds = Outcome({"Gizmo": {"mushrooms": 20}, "Glitch": {}})
    assert found.agreed.rule(holds) == pytest.approx({"Gizmo": -glitch, "Glitch": glitch})


# --- The procedure -------------------------------------------------------------------------------

PROPOSAL = offer("Ann pays Bob 5.", message="Well?")


async def test_accepting_adopts_the_latest_proposal():
    found = await held(PROPOSAL, said("More."), said("No."), accept(1, "Yes."))
    assert found.agreed.text == "1. Ann pays Bob 5."
    assert [move.player for move in found.moves] == ["Ann", "Bob", "Ann", "Bob"]


async def test_a_replaced_proposal_cannot_be_accepted():
    found = await held(PROPOSAL, offer("Ann pays Bob 9."), accept(1), accept(2), rounds=3)
    assert found.agreed.text == "1. Ann pays Bob 9."


async def test_players_cannot_accept_their_own_proposals():
    found = await held(PROPOSAL, said("Hm."), *[accept(1)] * 3, rounds=3)
    assert found.agreed is None


async def test_leaving_ends_the_negotiation_without_a_contract():
    found = await held(PROPOSAL, said("No.", Leave()))
    assert found.agreed is None
    assert [move.leaves for move in found.moves] == [False, True]


def test_more_than_two_players_must_all_accept():
    table = Table(TERMS.players)
    one, other = Contract("negotiated", "one"), Contract("negotiated", "other")
    assert table.take(Move("Ann", proposal=one)) is None
    assert table.take(Move("Bob", accepts=True)) is None
    assert table.take(Move("Cy", proposal=other)) is None
    assert (table.open_to("Ann"), table.open_to("Cy")) == (2, None)
    assert table.take(Move("Ann", accepts=True)) is None
    assert table.take(Move("Bob", accepts=True)) is other


words = st.integers(10**6, 10**9).map("secret{}end".format)


@given(thoughts=st.lists(words, min_size=8, max_size=8, unique=True))
async def test_private_notes_are_never_shown_to_other_players(thoughts):
    secrets = iter(thoughts)
    seen = {"Ann": "", "Bob": ""}

    def answer(request):
        seen[request.agent] += _whole(request.messages)
        return said("Hm.", note=next(secrets))

    found = await negotiate(ScriptedModel(answer), BRIEFINGS, TWO, 8, lambda _move: None)
    for move in found.moves:
        (other,) = set(TWO.players) - {move.player}
        assert move.thought not in seen[other]
    prompt = _whole(negotiator_messages(Turn("Ann", "A game.", TWO, tuple(found.moves), 3)))
    assert all(move.thought in prompt for move in found.moves if move.player == "Ann")


async def test_a_prompt_shows_the_number_of_a_proposal_and_its_settlement():
    """A contract in words alone is marked as such, whatever its words claim."""
    settles = "Settled by these clauses"
    exact = offer("Bob pays.", clauses=[clause("Bob", "Ann", 2)])
    found = await held(said("Hm."), offer(f"{settles}: Ann pays Bob 9."), exact, rounds=3)
    prompt = _whole(negotiator_messages(Turn("Ann", "A game.", TWO, tuple(found.moves), 3)))
    of_words, of_clauses = prompt.split("made proposal 1:")[1].split("made proposal 2:")
    no_clauses = "no clauses that code can settle"
    assert no_clauses in of_words
    assert no_clauses not in of_clauses
    assert settles in of_clauses
    assert "Bob pays Ann 2" in of_clauses


def _whole(messages):
    return "\n".join(one["content"] for one in messages)


@given(
    st.lists(
        st.text() | st.sampled_from([PROPOSAL, PROPOSAL.text(), accept(1), accept(1).text()]),
        max_size=30,
    )
)
async def test_a_negotiation_always_ends(answers):
    found = await held(*answers, rounds=4)
    assert len(found.moves) <= 4
    assert found.agreed is None or found.agreed.text


# --- Scripted negotiators ------------------------------------------------------------------------


@pytest.mark.parametrize("rounds", [2, 5, 6, 10])
async def test_scripted_negotiators_meet_near_the_even_split(rounds):
    scenario = DoubleVein()
    briefings = briefings_of(scenario)
    model = ScriptedModel(scenario.minds())
    found = await negotiate(model, briefings, scenario.terms(), rounds, lambda _move: None)
    paid = found.agreed.rule(Outcome())["Glitch"]
    assert 1 <= paid <= 15
    if rounds >= 6:
        assert abs(paid - 9) <= 1


async def test_compiled_clauses_are_shown_to_the_accepting_player():
    answers = {"Ann": offer("Ann pays Bob three."), "Bob": accept(1)}
    seen = []

    def answer(request):
        seen.append((request.role, _whole(request.messages)))
        compiled = Compiled(clauses=[clause("Ann", "Bob", 3)])
        return compiled if request.role == "compiler" else answers[request.agent]

    model = ScriptedModel(answer)
    found = await negotiate(model, BRIEFINGS, TWO, 4, lambda _move: None, compiled=True)
    assert found.agreed.rule(Outcome()) == {"Ann": -3, "Bob": 3}
    assert [role for role, _ in seen] == ["negotiator", "compiler", "negotiator"]
    assert "> That is:\n> 1. Ann pays Bob 3 emeralds." in seen[-1][1]


async def test_repeating_compiled_words_repeats_the_proposal():
    def answer(request):
        compiled = Compiled(clauses=[clause("Ann", "Bob", 5)])
        return compiled if request.role == "compiler" else offer(*FIVE)

    model = ScriptedModel(answer)
    found = await negotiate(model, BRIEFINGS, TWO, 4, lambda _move: None, compiled=True)
    assert [move.accepts for move in found.moves] == [False, True]
    assert found.agreed.is_exact


async def test_scripted_negotiators_do_not_propose_if_specialisation_does_not_pay():
    values = {"Gizmo": {"iron": 4, "diamond": 9}, "Glitch": {"iron": 3, "diamond": 5}}
    scenario = DoubleVein(values=values)
    briefings = briefings_of(scenario)
    model = ScriptedModel(scenario.minds())
    found = await negotiate(model, briefings, scenario.terms(), 4, lambda _move: None)
    assert found.agreed is None


# --- Negotiations without play --------------------------------------------------------------------


def negotiate_only(capsys, name, out, **more):
    """Return the exit code and the result of a command that only negotiates."""
    values = {"world": "grid", "condition": "negotiate", "out": out, "json_output": True, **more}
    code = command.main(registry.scenario(name), values)
    told = capsys.readouterr()
    return code, json.loads(told.out) if told.out else told.err


@pytest.mark.parametrize(
    ("name", "even"), [("double_vein", 39.0), ("cleanup", 46.5), ("harvest", 46.5)]
)
def test_scripted_negotiators_share_the_specialists_surplus(name, even, tmp_path, capsys):
    code, found = negotiate_only(capsys, name, tmp_path, negotiate_only=2)
    assert (code, found["agreed"], found["exact"], found["agreement_rate"]) == (0, 2, 2, 1.0)
    assert sum(found["expected_without"].values()) == 2 * even
    for number, entry in enumerate(found["runs"], start=1):
        assert sum(entry["transfers"].values()) == pytest.approx(0)
        assert list(entry["rewards"].values()) == pytest.approx([even, even], rel=0.15)
        assert Path(found["run_dir"], f"contracts/{number}.txt").read_text().startswith("1. ")
    record = read_record(Path(found["run_dir"]))
    assert not record.of(events.EpisodeStarted)  # no episode is played
    assert [event.episode for event in record.of(events.ContractAgreed)] == [0, 1]


def test_agreements_are_counted_and_replayed(tmp_path, capsys):
    """Of four negotiations, one ends with clauses, one with words, and two without a contract."""
    answers = [
        offer("Share.", clauses=[clause("Gizmo", "Glitch", 9)]).text(),
        accept(1).text(),
        offer("Gizmo pays Glitch what is fair.").text(),
        accept(1).text(),
        *[said("No.").text()] * 4,
    ]
    with serving(saying(lambda _request: answers.pop(0))) as endpoint:
        model = {"base_url": endpoint.url, "model": "local-test", "rounds": 2}
        code, found = negotiate_only(capsys, "double_vein", tmp_path, negotiate_only=4, **model)
    assert (code, answers) == (0, [])
    counted = [found[name] for name in ("agreed", "exact", "agreement_rate")]
    assert counted == [2, 1, 0.5]
    assert found["runs"][0]["rewards"] == {"Gizmo": 39.0, "Glitch": 39.0}
    assert found["transfers"]["Glitch"] == {"mean": 9.0, "sd": None}
    assert [entry["agreed"] for entry in found["runs"]] == [True, True, False, False]
    assert found["runs"][1]["rewards"] is None  # only a judge could settle it
    again = {"replay": Path(found["run_dir"]), "out": tmp_path, "json_output": True}
    assert command.main(registry.scenario("double_vein"), again) == 0
    replayed = json.loads(capsys.readouterr().out)
    assert replayed["runs"] == found["runs"]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"condition": "1"}, "--negotiate-only needs --condition negotiate"),
        ({"world": "minecraft"}, "--negotiate-only plays nothing: add --world grid"),
    ],
)
def test_a_scenario_without_negotiation_is_refused_in_one_line(more, says, tmp_path, capsys):
    code, told = negotiate_only(capsys, "double_vein", tmp_path, negotiate_only=2, **more)
    assert code == 2
    assert says in told
