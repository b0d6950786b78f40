"""What says no more beside an acceptance than that a negotiator agrees."""

from __future__ import annotations

import pytest

from bots.models import ScriptedModel
from bots.structured import AnswerError
from judge import negotiate
from judge.negotiation import read_move
from tests.test_acceptances import FIVE, STANDING, TERMS, contract

LED = (
    "Based on the situation, I would do the following:\n\n[message] That is fair, I agree.\n\n"
    "[accept]\n\nNote: I chose this because it fits my goal and the current circumstances."
)


async def test_who_leads_to_its_answer_and_says_why_each_time_is_bound_once_it_was_asked():
    """Some models cannot leave it out, and no word of it refuses anything."""
    model = ScriptedModel(lambda request: contract(FIVE) if request.agent == "Ann" else LED)
    briefings = dict.fromkeys(TERMS.players, "A game.")
    found = await negotiate(model, briefings, TERMS, 2, lambda _move: None)
    assert (found.agreed.text, found.moves[1].message) == (FIVE, "That is fair, I agree.")
    with pytest.raises(AnswerError, match="says more"):
        read_move("Bob", LED, TERMS, STANDING)


@pytest.mark.parametrize(
    "said",
    [
        "I do not accept 11. I meant 15 emeralds.\n[message] I agree.\n[accept]",
        "\u6211\u4e0d\u63a5\u53d711,\u5fc5\u987b\u662f15\u3002\n[message] Agreed.\n[accept]",
        "My acceptance holds only if the payment is 15.\n\n[message] I agree.\n[accept]",
        "There is much to say.\n\n[message] I agree.\n[accept]",
        "Based on the situation, I would do the following if you pay:\n[message] Fine.\n[accept]",
        "[message] Fine.\n[accept]\nNote: I chose this because it is not fair.",
        "[message] Fine.\n[accept]\nNote: I chose this because it brings me 20.",
        "[message] Fine.\n[accept]\nNote: I agree.\nBecause you must pay more.",
        f"{LED}\nOnly if you pay 20.",
    ],
)
async def test_what_limits_an_acceptance_counts_on_the_second_question_too(said):
    answers = ["[message] I accept, but I want 15.\n[accept]", said, said]

    def answer(request):
        return contract(FIVE) if request.agent == "Ann" else answers[request.attempt]

    model, briefings = ScriptedModel(answer), dict.fromkeys(TERMS.players, "A game.")
    assert (await negotiate(model, briefings, TERMS, 2, lambda _move: None)).agreed is None


@pytest.mark.parametrize(
    "words",
    [
        "Fair enough, let's go!",
        "Great \u2014 let's get to work!",
        "I agree, Ann.",
        "Thank you, this works for me. Let's maximize our earnings together.",
        "Sounds good to me.",
        "Understood. I confirm.",
        "Einverstanden!",
        "D\u2019accord, merci.",
        "De acuerdo.",
        "\u00a1S\u00ed, acepto!",
        "Concordo.",
        "Va bene, sono d'accordo.",
        "\u6211\u540c\u610f\u3002",
        "\u306f\u3044\u3001\u540c\u610f\u3057\u307e\u3059\u3002",
        "\ub3d9\uc758\ud569\ub2c8\ub2e4.",
        "\u0421\u043e\u0433\u043b\u0430\u0441\u0435\u043d.",
    ],
)
def test_plain_agreement_binds_unasked_in_the_large_languages(words):
    assert read_move("Bob", f"[message] {words}\n[accept]", TERMS, STANDING).accepts


@pytest.mark.parametrize(
    "words",
    [
        "Nicht einverstanden.",
        "Einverstanden, wenn du 9 zahlst.",
        "Pas d'accord.",
        "No estoy de acuerdo.",
        "\u6211\u540c\u610f\uff0c\u4f46\u898115\u3002",
        "\u4e0d\u540c\u610f\u3002",
        "\u540c\u610f\u3057\u307e\u305b\u3093\u3002",
        "\u041d\u0435 \u0441\u043e\u0433\u043b\u0430\u0441\u0435\u043d.",
        "Let's keep talking.",
        "Let's work for 15.",
        "Fair enough, for 15.",
    ],
)
def test_what_is_near_to_agreement_is_asked_about(words):
    with pytest.raises(AnswerError, match="says more"):
        read_move("Bob", f"[message] {words}\n[accept]", TERMS, STANDING)
