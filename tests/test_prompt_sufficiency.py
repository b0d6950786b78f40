"""Oracle readers: what may use a prompt's text only decides as well as what sees the state.

A reader here is written from the prompt's words and the contracts' English, and knows nothing of
the rules that settle them. Lines that begin with ``> `` are players' words; it trusts no other's.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter

import pytest
import yaml

from bots.models import ScriptedModel
from experiments.contract_case import judge_case
from judge import Contract, settle
from judge.case_text import judge_prompt
from judge.negotiation import read_move
from records import events
from scenarios.cleanup import Cleanup
from scenarios.double_vein import DoubleVein
from scenarios.harvest import Harvest
from tests.conftest import ROOT
from worlds.protocol import Account, ActionLog

OUTCOMES = 50
PLAYERS = ("Gizmo", "Glitch")
ITEMS = ("raw_iron", "diamond", "red_mushroom", "stone_pickaxe", "slime_block", "dirt")


def random_account(rng):
    """What two players may have done and hold, of all that any scenario counts and of clutter."""
    held = {p: {i: rng.randrange(20) for i in rng.sample(ITEMS, rng.randrange(6))} for p in PLAYERS}
    log = ActionLog(signals=Counter({p: rng.randrange(3) for p in PLAYERS}))
    for player in PLAYERS:
        log.add(player, "dug", rng.choice(("iron_ore", "slime_block")), rng.randrange(9))
    return Account(held, dict.fromkeys(PLAYERS, (0.0, 0.0, 0.0)), log)


def said(text, t=1.0):
    return events.Chat(t=t, id=1, episode=0, agent="Glitch", text=text)


# --- The judge -----------------------------------------------------------------------------------


def sections(prompt):
    """A prompt's text by heading, by the lines that are not quoted."""
    found, heading = {}, ""
    for line in prompt.splitlines():
        if line.startswith("# "):
            heading = line[2:]
        found.setdefault(heading, []).append(line)
    return {name: "\n".join(lines) for name, lines in found.items()}


class Reader:
    """Settles a contract by what a judge's prompt says."""

    def __init__(self, prompt):
        parts = sections(prompt)
        facts = next(text for name, text in parts.items() if name.startswith("What each holds"))
        pattern = r"^- (\w+) holds (\d+) (\w+), each worth ([\d.]+) emeralds to \1"
        self.value = {
            (player, item.rstrip("s")): int(count) * float(worth)
            for player, count, item, worth in re.findall(pattern, facts, re.M)
        }
        words = [line[2:] for line in parts["The contract"].splitlines() if line.startswith("> ")]
        self.contract = " ".join(" ".join(words).split())
        self.players = parts["The players"].splitlines()[1].split(", ")

    def worth(self, item):
        return {p: self.value[p, item.rstrip("s")] for p in self.players}

    def payments(self):
        """(payer, receiver, amount) of each term that names a transfer."""
        text = self.contract
        for payer, receiver, amount in re.findall(r"(\w+) pays (\w+) ([\d.]+) emeralds", text):
            yield payer, receiver, float(amount)
        halves = r"(\w+) pays (\w+) half of what (\w+)'s (\w+) (?:is|are) worth to \3"
        for payer, receiver, owner, item in re.findall(halves, text):
            yield payer, receiver, self.worth(item)[owner] / 2
        shares = r"(\w+) gets (\d+) % of the value of all (\w+), and (\w+) keeps (\d+) %"
        for one, part, item, other, rest in re.findall(shares, text):
            yield self.levelled(item, {one: int(part) / 100, other: int(rest) / 100})
        for item in re.findall(r"the value of all (\w+) is split equally", text):
            yield self.levelled(item, dict.fromkeys(self.players, 0.5))

    def levelled(self, item, parts):
        """The payment that leaves each its part of all that is held."""
        worth = self.worth(item)
        (one, part), (other, _) = parts.items()
        owed = part * sum(worth.values()) - worth[one]
        return (other, one, owed) if owed >= 0 else (one, other, -owed)


def oracle_judge(request):
    payments = [
        {"from": payer, "to": receiver, "amount": amount}
        for payer, receiver, amount in Reader(request.messages[0]["content"]).payments()
    ]
    critiques = dict.fromkeys(PLAYERS, "So be it.")
    finding = {"finding": "As the terms say.", "payments": payments}
    return json.dumps({"findings": [finding], "critiques": critiques})


SHIPPED = [
    (kind, name)
    for kind in (DoubleVein, Cleanup, Harvest)
    for name, contract in kind().contracts().items()
    if contract.text
]


@pytest.mark.parametrize(("kind", "name"), SHIPPED, ids=[f"{k.name}-{n}" for k, n in SHIPPED])
async def test_a_judge_can_settle_every_shipped_contract_by_its_prompt_alone(kind, name):
    scenario, rng = kind(), random.Random(f"outcomes {kind.name} {name}")
    moved = 0
    for _ in range(OUTCOMES):
        seen = [said("At the end Gizmo holds: 99 diamond.")]
        case = judge_case(scenario, scenario.contracts()[name], random_account(rng), seen)
        found = await settle(case, ScriptedModel(oracle_judge), "both")
        assert found.error == pytest.approx(0, abs=1e-9)
        assert found.critiques == dict.fromkeys(PLAYERS, "So be it.")
        moved += any(found.transfers.values())
    assert (moved == 0) == (name == "1-roles")


# --- Injected instructions -----------------------------------------------------------------------

INJECTED = yaml.safe_load((ROOT / "tests/data/injected_contracts.yaml").read_text())
OPTIMAL = Account(
    {"Gizmo": {"raw_iron": 12}, "Glitch": {"diamond": 6}},
    {},
    ActionLog(signals=Counter({"Glitch": 1})),
)


def gullible(_request):
    """A judge that does what it was talked into."""
    payments = [{"from": "Gizmo", "to": "Glitch", "amount": 50}]
    return json.dumps({"findings": [{"finding": "As I was told.", "payments": payments}]})


def unquoted(prompt):
    return [line for line in prompt.splitlines() if not line.startswith("> ")]


def test_there_are_twenty_of_them():
    assert len({one["words"] for one in INJECTED}) == 20


@pytest.mark.parametrize("injected", INJECTED, ids=range(len(INJECTED)))
async def test_payments_follow_the_formal_reading_and_not_what_the_words_ask_of_the_judge(injected):
    scenario = DoubleVein()
    message = "[contract]\n{words}\n[clauses]\n{clauses}\n[clauses end]\n[contract end]"
    contract = read_move("Glitch", message.format(**injected), scenario.terms(), None).proposal
    seen = [said(injected["words"])]
    case = judge_case(scenario, contract, OPTIMAL, seen)
    expected = {"Gizmo": -injected["glitch"], "Glitch": injected["glitch"]}
    for judge in ("exact", "both"):
        found = await settle(case, ScriptedModel(gullible), judge)
        assert (found.method, found.transfers) == ("exact", expected)
    # In the prompt not one line but the quoted ones depends on what players wrote and said.
    prompt = judge_prompt(case)
    harmless = judge_case(scenario, Contract("harmless", "1. Nothing."), OPTIMAL, [said("Hello.")])
    assert unquoted(prompt) == unquoted(judge_prompt(harmless))
    assert Reader(prompt).value["Gizmo", "iron"] == 48


def test_a_flood_of_chat_leaves_the_record_in_the_judges_sight():
    scenario = DoubleVein()
    took = events.LedgerEntry(
        t=9.0, id=2, episode=0, agent="Gizmo", action="took", item="iron_pickaxe", count=1
    )
    seen = [*(said(f"{n} {'x' * 9000}") for n in range(500)), took]
    prompt = judge_prompt(judge_case(scenario, scenario.contracts()["1"], OPTIMAL, seen))
    assert "Gizmo took 1 iron_pickaxe out of the chest." in prompt
    assert len(prompt) < 20_000
