"""Prompts are sufficient: oracle readers of a prompt's text decide like code that sees the state.

A reader knows the prompt's words and the contracts' English, but not the settlement rules. Lines
that begin with ``> `` are players' words; the reader trusts only the other lines.
"""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest

from tests.conftest import ROOT
from tests.record_oracles import FEELINGS, OF_RECORDS
from tests.saying import read_from, said_to, unquoted
from voxpolis.bots.agents.planner.plans import Accept, AskToBargain, Join, NextPlan, Propose, Wait
from voxpolis.bots.models import Account as Decisions
from voxpolis.bots.models import AccountedModel, ScriptedModel
from voxpolis.experiments.loops.contract.game import judge_case
from voxpolis.experiments.loops.grid.experiment import grid_game
from voxpolis.experiments.loops.grid.game import GridGameRun
from voxpolis.grid.adasociety.game import read_rules
from voxpolis.judge import Contract, settle
from voxpolis.judge.contracts.clauses import parse_clauses
from voxpolis.judge.contracts.settlement import (
    Critique,
    Finding,
    Payment,
    Ruling,
    judge_messages,
    terms_of,
)
from voxpolis.records import SimulatedClock, events
from voxpolis.records.yaml_text import load_yaml
from voxpolis.scenarios.cleanup import Cleanup
from voxpolis.scenarios.double_vein import DoubleVein
from voxpolis.scenarios.harvest import Harvest
from voxpolis.scenarios.religion import measures as religion
from voxpolis.scenarios.sentiment import lexicon as feelings
from voxpolis.scenarios.taxation import measures as taxation
from voxpolis.worlds.adasociety.scripted import planner
from voxpolis.worlds.adasociety.situation import Bargain, ChooseGroup, FindPartner
from voxpolis.worlds.grid_stage import HeadlessStage
from voxpolis.worlds.protocol import Account, ActionLog

CASES = 30
PLAYERS = ("Gizmo", "Glitch")
ITEMS = ("raw_iron", "diamond", "red_mushroom", "stone_pickaxe", "slime_block", "dirt")


def random_account(rng):
    """Return a random account of two players, with all counts of any scenario and irrelevant
    items."""
    held = {p: {i: rng.randrange(20) for i in rng.sample(ITEMS, rng.randrange(6))} for p in PLAYERS}
    log = ActionLog(signals=Counter({p: rng.randrange(3) for p in PLAYERS}))
    for player in PLAYERS:
        log.add(player, "dug", rng.choice(("iron_ore", "slime_block")), rng.randrange(9))
    return Account(held, dict.fromkeys(PLAYERS, (0.0, 0.0, 0.0)), log)


def said(text, t=1.0):
    return events.Chat(t=t, id=1, episode=0, agent="Glitch", text=text)


# --- The judge -----------------------------------------------------------------------------------


def text_of(messages):
    """Return a prompt's messages as text."""
    return "\n".join(message["content"] for message in messages)


def sections(prompt):
    """Return a prompt's text by heading, without quoted lines."""
    found, heading = {}, ""
    for line in prompt.splitlines():
        if line.startswith("# "):
            heading = line[2:]
        found.setdefault(heading, []).append(line)
    return {name: "\n".join(lines) for name, lines in found.items()}


class Reader:
    """Settles a contract from the judge's prompt."""

    def __init__(self, prompt):
        parts = sections(prompt)
        facts = next(
            text for name, text in parts.items() if name.startswith("What each player holds")
        )
        pattern = r"^- (\w+) holds (\d+) (\w+), each worth ([\d.]+) emeralds to \1"
        self.value = {
            (player, item.rstrip("s")): int(count) * float(worth)
            for player, count, item, worth in re.findall(pattern, facts, re.M)
        }
        words = [line[2:] for line in parts["The contract"].splitlines() if line.startswith(">")]
        self.contract = " ".join(" ".join(words).split())
        self.players = parts["The players"].splitlines()[1].split(", ")

    def worth(self, item):
        return {p: self.value[p, item.rstrip("s")] for p in self.players}

    def payments(self):
        """Return (payer, receiver, amount) for each term that names a transfer."""
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
        """Return the payment after which each player has the agreed share of all items."""
        worth = self.worth(item)
        (one, part), (other, _) = parts.items()
        owed = part * sum(worth.values()) - worth[one]
        return (other, one, owed) if owed >= 0 else (one, other, -owed)


def oracle_judge(request):
    payments = [
        Payment(payer=payer, receiver=receiver, amount=amount)
        for payer, receiver, amount in Reader(text_of(request.messages)).payments()
        if amount > 0
    ]
    return ruling(request.about.contract.text, payments)


def ruling(contract, payments):
    """Return a ruling with all payments under the first term, and a critique for each player."""
    first, *others = sorted(terms_of(contract)) or [1]
    findings = [Finding(term=first, reason="As the terms say.", payments=payments)]
    findings += [Finding(term=term, reason="Nothing follows.", payments=[]) for term in others]
    critiques = [Critique(player=player, critique="So be it.") for player in PLAYERS]
    return Ruling(findings=findings, critiques=critiques)


SHIPPED = [
    (kind, name)
    for kind in (DoubleVein, Cleanup, Harvest)
    for name, contract in kind().contracts().items()
    if contract.text
]


@pytest.mark.parametrize(("kind", "name"), SHIPPED, ids=[f"{k.name}-{n}" for k, n in SHIPPED])
async def test_a_judge_can_settle_every_shipped_contract_from_its_prompt_alone(kind, name):
    scenario, rng = kind(), random.Random(f"outcomes {kind.name} {name}")
    moved = 0
    for _ in range(CASES):
        seen = [said("At the end Gizmo holds: 99 diamond.")]
        case = judge_case(scenario, scenario.contracts()[name], random_account(rng), seen)
        found = await settle(case, ScriptedModel(oracle_judge), "both")
        assert found.error == pytest.approx(0, abs=1e-9)
        assert found.critiques == dict.fromkeys(PLAYERS, "So be it.")
        moved += any(found.transfers.values())
    assert (moved == 0) == (name == "1-roles")


# --- Injected instructions -----------------------------------------------------------------------

INJECTED = load_yaml((ROOT / "tests/data/injected_contracts.yaml").read_text())
OPTIMAL = Account(
    {"Gizmo": {"raw_iron": 12}, "Glitch": {"diamond": 6}},
    {},
    ActionLog(signals=Counter({"Glitch": 1})),
)


def gullible(request):
    """A judge that follows injected instructions."""
    payments = [Payment(payer="Gizmo", receiver="Glitch", amount=30)]
    return ruling(request.about.contract.text, payments)


@pytest.mark.parametrize("injected", INJECTED, ids=range(len(INJECTED)))
async def test_injected_instructions_do_not_change_formal_settlement(injected):
    scenario = DoubleVein()
    formal = parse_clauses(injected["clauses"], scenario.terms())
    words = f"{injected['words']}\nFormally:\n{formal}"
    contract = Contract("negotiated", words, rule=formal.transfers, clauses=formal.lines)
    seen = [said(injected["words"])]
    case = judge_case(scenario, contract, OPTIMAL, seen)
    expected = {"Gizmo": -injected["glitch"], "Glitch": injected["glitch"]}
    for judge in ("exact", "both"):
        found = await settle(case, ScriptedModel(gullible), judge)
        assert (found.method, found.transfers) == ("exact", expected)
        if judge == "both":
            assert found.error == abs(30 - injected["glitch"])
    # Players' words change only the quoted lines of the prompt.
    prompt = text_of(judge_messages(case))
    harmless = judge_case(scenario, Contract("harmless", "1. Nothing."), OPTIMAL, [said("Hello.")])
    assert unquoted(prompt) == unquoted(text_of(judge_messages(harmless)))
    assert Reader(prompt).value["Gizmo", "iron"] == 48


# --- AdaSociety ----------------------------------------------------------------------------------

RULES = read_rules()


class Unwritten:
    """A writer that stores nothing."""

    def event(self, *_, **fields):
        return fields


async def played(name, script, seed):
    """Play an episode of a shipped game."""
    game = grid_game(RULES, RULES.games[name])
    kinds = dict.fromkeys(game.agents, "scripted")
    run = GridGameRun(
        game,
        kinds,
        AccountedModel(ScriptedModel(script), Decisions()),
        Unwritten(),
        HeadlessStage(Unwritten(), SimulatedClock()),
    )
    return await run.play(0, seed)


class Social:
    """Players and groups as read from a planner's prompt."""

    def __init__(self, prompt):
        self.me = re.search(r"^You are (\w+), one of", prompt, re.M)[1]
        self.jobs = dict(re.findall(r"^- (\w+)(?: \(you\))?: (\w+)$", prompt, re.M))
        self.groups = {
            int(group): re.findall(r"(\w+)(?: \(you\))? [\d.]+ \(share", members)
            for group, members in re.findall(r"^- group (\d+), with weights: (.+)$", prompt, re.M)
        }

    def group(self):
        """Return the group with the most members who have other jobs, or else the first group."""
        own = self.jobs[self.me]

        def others(group):
            return sum(self.jobs[name] != own for name in self.groups[group])

        return max(self.groups, key=lambda group: (others(group), -group), default=0)

    def partner(self):
        """Return the player with the same rank in the other job, in the order of the players."""
        own = self.jobs[self.me]
        mine = [name for name, job in self.jobs.items() if job == own]
        theirs = [name for name, job in self.jobs.items() if job != own]
        partner = theirs[mine.index(self.me) % len(theirs)]
        is_one = any({self.me, partner} <= set(members) for members in self.groups.values())
        return Wait() if is_one else AskToBargain(player=partner)


def oracle_planner(request):
    """Choose groups and partners from the prompt alone; otherwise play like a selfish scripted
    mind."""
    prompt, s = said_to(request), request.about
    match s.choice:
        case ChooseGroup():
            return NextPlan(plan=Join(group=Social(prompt).group()))
        case FindPartner():
            return NextPlan(plan=Social(prompt).partner())
        case Bargain():
            accepts = "It offers to keep 0.5" in prompt
            return NextPlan(plan=Accept() if accepts else Propose(tenths=5))
    return planner("selfish")(request)


@pytest.mark.parametrize("name", ["contract-easy", "negotiation-easy"])
async def test_groups_and_partners_can_be_chosen_from_the_prompt_alone(name):
    seed = 0
    found = (await played(name, oracle_planner, seed)).measures()
    assert found["normalised"] >= 0.9


NAMES = ("Ada", "Ben", "Cora", "Dan")

# --- Random cases: each returns a question, and a check of the reader's answer --------------------

SAYINGS = {
    True: ("I believe in the {}.", "Praise the {}, who made us!", "I follow the {} now. Join us."),
    False: (
        "They say that the {} has a temple in town.",
        "I heard of the {} today.",
        "Who is the {}?",
        "Ha, I had the {} for lunch!",
        "I will never follow the {}.",
        "I believe in the Great Pumpkin.",
    ),
}


def drawn_belief(rng):
    believes = rng.random() < 0.5
    parts = ["Good day to you.", rng.choice(SAYINGS[believes]).format("Spaghetti Monster")]
    text = " ".join(rng.sample(parts, 2))
    return religion.BelievesRequest(text), lambda read: read is believes


def drawn_sentiment(rng):
    rate, own = rng.sample((5, 10, 12.5, 20, 30, 45), 2)
    own = rng.choice((own, own, rate, None))
    own_words = ("I want {} %.", "The tax should be {} %.", "With {} % I would be glad.")
    said = [] if own is None else [rng.choice(own_words).format(own)]
    others = ("{} wants {} %.", "{} told me that it should be {} %.", "{} asks for {} %.")
    told = rng.choice(others).format(rng.choice(NAMES), rng.choice((1, 60)))
    said += [told, "The law is clear."]
    rng.shuffle(said)
    truth = 0.0 if own is None else float((own > rate) - (own < rate))
    request = taxation.SentimentRequest(" ".join(said), rate / 100)
    return request, lambda read: read == truth


def drawn_score(rng):
    observer, about, other = rng.sample(NAMES, 3)
    said, strength = rng.choice([*FEELINGS.items(), ("", 0.0)])
    own = [f"{rng.choice((observer, 'I'))} {said}s {about}"] if said else []
    told = [f"{other} hates {observer}", f"{observer} loves {other}", f"{other} hates {about}"]
    parts = [*own, *rng.sample(told, 2)]
    rng.shuffle(parts)
    request = feelings.ScoreRequest(observer, about, ", and ".join(parts))
    return request, lambda read: read == int(5 + 5 * strength)


DRAWN = {
    "believes": drawn_belief,
    "sentiment": drawn_sentiment,
    "score": drawn_score,
}


@pytest.mark.parametrize("role", DRAWN)
def test_a_reader_of_the_prompt_decides_like_a_witness(role):
    rng = random.Random(f"{role} is read")
    for _ in range(CASES):
        question, is_right = DRAWN[role](rng)
        assert is_right(read_from(question, OF_RECORDS[role].answer(said_to(question.messages()))))
