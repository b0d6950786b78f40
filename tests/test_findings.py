"""Findings of a judge model: read as meant, or asked for again; payments are never misread."""

from __future__ import annotations

import contextlib
import json
import time

import pytest

from bots.models import ScriptedModel
from bots.structured import AnswerError
from judge import Case, Contract, Outcome, settle
from judge.judgement import read_findings

AGENTS = ("Gizmo", "Glitch")
NUMBERED = "1. Gizmo pays 1 for each iron.\n2. Glitch pays 3 for each diamond."
FREE_WORDS = "Gizmo pays 1 for each iron, and Glitch pays 3 for each diamond."


def found(*terms, **fields):
    """A judge model's answer of (finding, payer, receiver, amount), or of objects as they are."""
    findings = [
        one
        if isinstance(one, dict)
        else {
            "finding": one[0],
            "payments": [{"from": a, "to": b, "amount": n} for a, b, n in [one[1:]] if n],
        }
        for one in terms
    ]
    return json.dumps({"findings": findings, **fields})


def case(contract):
    held = {"Gizmo": {"iron": 12}, "Glitch": {"diamond": 6}}
    return Case(Contract("words", contract), AGENTS, Outcome(held), "They dug.")


OWES_12 = ("Gizmo holds 12 iron, so it owes 12.", "Gizmo", "Glitch", 12)
OWES_3 = ("Glitch holds a diamond, so it owes 3.", "Glitch", "Gizmo", 3)


def paid(finding, **fields):
    payment = {"from": "Gizmo", "to": "Glitch", "amount": 1, **fields}
    return {"finding": finding, "payments": [payment]}


@pytest.mark.parametrize("contract", [NUMBERED, FREE_WORDS])
@pytest.mark.parametrize(
    "answer",
    [
        found(OWES_12, OWES_3, ("Net settlement: Gizmo pays Glitch 9.", "Gizmo", "Glitch", 9)),
        found(OWES_12, OWES_3, ("Gizmo pays the difference.", "Gizmo", "Glitch", 9)),
        found(("Total: 9 from Gizmo.", "Gizmo", "Glitch", 9), OWES_12, OWES_3),
        found(OWES_12, ("Overall, Gizmo pays 12.", "Gizmo", "Glitch", 12)),
        found(OWES_12, ("Altogether Gizmo pays Glitch 11.", "Gizmo", "Glitch", 11)),
        found(
            *({"term": 1, **paid("a", amount=n)} for n in (2, 3)),
        ),
        found(paid("Gizmo holds 12 iron and owes 1 for each.", quantity=12)),
        found(paid("Gizmo holds 6 iron and owes 1 for each.", count=6)),
        found(paid("Gizmo holds 6 iron and owes 1 for each.", unit="emeralds per iron")),
        found(paid("Gizmo owes 1.", emeralds=12)),
        found({**paid("Gizmo owes 1 for each."), "count": 6}),
        found({**paid("Gizmo owes 1 for each."), "multiplier": "6"}),
        found(paid("Gizmo owes 1 for each."), times=6),
        found(("Gizmo pays 24.", "", "", 0)),
        found(("Gizmo holds 12 iron, so Gizmo must pay Glitch 24 emeralds.", "", "", 0)),
        found({**paid("See below."), "payments": [], "consequence": "Gizmo owes Glitch 24."}),
        found({"finding": "Gizmo pays 24."}, payments=[]),
        found({"finding": "Gizmo pays Glitch 24."}, {**paid("It owes 1.")}),
        found(paid("So Gizmo pays Glitch 24.")),
        found(paid("Gizmo owes 1.", to="Gizmo")),
        found(paid("Glitch pays Gizmo 1.")),
        found(paid("Gizmo receives 1 from Glitch.")),
        found(paid("1 emerald is owed to Gizmo by Glitch.")),
        found(paid("Glitch pays Gizmo 1, and that is all.")),
        found(paid("So Gizmo pays Glitch four emeralds.")),
        found(paid("2 x 2 = 4.")),
        found(paid("No payment follows.")),
        found(paid("Nobody pays.")),
        found(paid("The payment of 1 is waived.")),
        found(paid("Gizmo does not have to pay.")),
        found(paid("Gizmo would owe 1, but mined nothing, so nothing is paid.")),
        found(("Gizmo owes Glitch four emeralds.", "", "", 0)),
        found(("Gizmo must compensate Glitch with 4 emeralds.", "", "", 0)),
        found(("Glitch is owed 4 emeralds by Gizmo.", "", "", 0)),
        found(("4 emeralds are due to Glitch from Gizmo.", "", "", 0)),
        found(("Glitch should receive four emeralds.", "", "", 0)),
        found({"finding": "x", "payments": []}, payments=paid("")["payments"]),
        "Finding: Gizmo pays 24.\nPayments: none",
        "Finding: a\nPayments: Gizmo pays Gizmo 2",
        "Finding: a\nPayments: Gizmo pays Glitch 12\nFinding: b\nPayments: Glitch pays Gizmo 3\n"
        "Finding: Net: Gizmo pays 9.\nPayments: Gizmo pays Glitch 9",
    ],
)
async def test_what_a_judge_does_not_mean_as_it_reads_is_refused(answer, contract):
    """Each is asked for again, with the form; none is added up or left out without a word."""
    asked = []

    def judge(request):
        asked.append(request.messages[-1]["content"])
        return found(OWES_12) if len(asked) > 1 else answer

    settlement = await settle(case(contract), ScriptedModel(judge))
    assert settlement.transfers == {"Gizmo": -12, "Glitch": 12}
    assert len(asked) == 2
    assert "That cannot be used" in asked[1]
    assert '"payments", a list' in asked[1]


@pytest.mark.parametrize(
    ("contract", "answer", "glitch"),
    [
        (NUMBERED, found(OWES_12, OWES_3), 9),
        (NUMBERED, found({"term": 1, **paid("x")}, {"term": "2. Glitch pays", **paid("y")}), 2),
        ("1. A.\n2. B.\n3. C.", found(*({"term": n, **paid("x", amount=n)} for n in (1, 2, 3))), 6),
        (FREE_WORDS, found(*({"term": n, **paid("x", amount=n)} for n in (1, 2, 3))), 6),
        (FREE_WORDS, found(paid("Gizmo owes 1."), paid("Gizmo owes 1 for the signal.")), 2),
        (FREE_WORDS, found(paid("Gizmo owes 1.", currency="emeralds")), 1),
        (FREE_WORDS, found({**paid("x"), "clause": "Gizmo pays 1", "kept": True, "why": "y"}), 1),
        (FREE_WORDS, found(("Gizmo pays 2 for each iron, but it holds none.", "", "", 0)), 0),
        (FREE_WORDS, found(("Gizmo pays 5 if signalled. Nobody signalled.", "", "", 0)), 0),
        (FREE_WORDS, found(("Gizmo held no iron, so it owes nothing.", "", "", 0)), 0),
        (FREE_WORDS, found(paid("Glitch receives 1 emerald from Gizmo.")), 1),
        (FREE_WORDS, found(paid("Gizmo owes 1; Glitch owes nothing.")), 1),
        (FREE_WORDS, found(paid("No payment is due from Glitch: it holds no diamond.")), 1),
        (FREE_WORDS, found(paid("No further payment follows.")), 1),
        (FREE_WORDS, found(paid("Gizmo would pay 2 for two; it holds one, so it pays 1.")), 1),
        (FREE_WORDS, found(paid("If Glitch digs, Glitch pays 5, else Gizmo pays Glitch 1.")), 1),
        (FREE_WORDS, found(("Gizmo owes 2 per iron: 12 in all.", "Gizmo", "Glitch", 12)), 12),
        (
            FREE_WORDS,
            found(
                {"finding": "Gizmo owes 1."},
                {"finding": "b"},
                payments=[{"from": "Gizmo", "to": "Glitch", "amount": 1}],
            ),
            1,
        ),
    ],
)
def test_findings_that_agree_with_their_payments_are_added_up(contract, answer, glitch):
    judgement = read_findings(answer, AGENTS, contract)
    got = sum(one.amount * (1 if one.receiver == "Glitch" else -1) for one in judgement.payments)
    assert got == glitch


@pytest.mark.parametrize("part", ["Gizmo ", "Gizmo pays ", "1" * 9, "\n", ". ", "net "])
@pytest.mark.parametrize("amount", [1, 0])
def test_a_flood_of_words_is_soon_compared_with_the_payments(part, amount):
    answer = found((part * (100_000 // len(part)), "Gizmo", "Glitch", amount))
    began = time.process_time()
    with contextlib.suppress(AnswerError):
        read_findings(answer, AGENTS, part * (10_000 // len(part)))
    assert time.process_time() - began < 2
