"""An oracle reader of the prompt of a bargain in AdaSociety, against what sees the state.

The reader knows the prompt's words only; what it expects of an acceptance is what the game makes.
"""

from __future__ import annotations

import random
import re

import pytest

from tests.saying import said_to
from tests.test_prompt_sufficiency import Social, played
from voxpolis.bots.agents.planner.plans import Accept, AskToBargain, NextPlan, Propose, Wait
from voxpolis.bots.agents.planner.scripted import planner
from voxpolis.bots.agents.planner.situation import Bargain, FindPartner


class Bargainer(Social):
    """What the prompt of a bargain says; shares are of what the joined players earn."""

    def __init__(self, prompt):
        super().__init__(prompt)
        self.partner = re.search(r"^You bargain with (\w+)\.", prompt, re.M)[1]
        keeps = re.search(r"It offers to keep (0\.\d) itself", prompt)
        self.keeps = float(keeps[1]) if keeps else None
        lines = re.findall(r"^- group (\d+), with weights: (.+)$", prompt, re.M)
        self.shares = {
            int(group): {
                name: float(part)
                for name, part in re.findall(r"(\w+)(?: \(you\))? ([\d.]+) \(share", members)
            }
            for group, members in lines
        }

    def side(self, player):
        """The player with its group: shares within."""
        own = next((one for one in self.shares.values() if player in one), {player: 1.0})
        return {name: weight / sum(own.values()) for name, weight in own.items()}

    def if_accepted(self):
        """Everybody's share of the joined group, by the prompt."""
        theirs, mine = self.side(self.partner), self.side(self.me)
        return {
            **{name: self.keeps * share for name, share in theirs.items()},
            **{name: (1 - self.keeps) * share for name, share in mine.items()},
        }

    def choose(self):
        """Accept what leaves this player at least an equal part."""
        if self.keeps is not None:
            shares = self.if_accepted()
            if shares[self.me] >= 1 / len(shares) - 1e-9:
                return "ACCEPT"
        sides = len(self.side(self.me)), len(self.side(self.partner))
        return f"PROPOSE {max(min(round(10 * sides[0] / sum(sides)), 9), 1) / 10}"


def sees(s):
    """The same decision by the typed state: its numbers, not the prompt's words."""

    def group_of(player):
        return next((set(m) for m in s.society.groups.values() if player in m), {player})

    def weight(player):
        return next(
            (m[player] / sum(m.values()) for m in s.society.groups.values() if player in m), 1.0
        )

    mine, theirs = len(group_of(s.number)), len(group_of(s.choice.partner))
    if (
        s.choice.offer
        and (10 - s.choice.offer) / 10 * weight(s.number) * (mine + theirs) >= 1 - 1e-3
    ):
        return "ACCEPT"
    return f"PROPOSE {max(min(round(10 * mine / (mine + theirs)), 9), 1) / 10}"


@pytest.mark.parametrize("name", ["negotiation-easy", "negotiation-hard"])
async def test_a_bargainer_who_reads_decides_as_one_who_sees_and_knows_what_comes_of_it(name):
    """What the reader expects of an acceptance is what the game makes; some offers are drawn."""
    rng = random.Random(f"bargains of {name}")
    decided, accepted, borne_out = [], {}, []

    def answer(request):
        s, prompt = request.about, said_to(request)
        for shares in accepted.pop(s.step - 1, []):
            names = s.society.names
            found = [
                {names[i]: weight / sum(members.values()) for i, weight in members.items()}
                for members in s.society.groups.values()
                if names.index(next(iter(shares))) in members
            ]
            assert found == [pytest.approx(shares, abs=0.01)]
            borne_out.append(shares)
        match s.choice:
            case FindPartner():
                names = [n for n in s.society.names if n != s.society.names[s.number]]
                asks = Social(prompt).partner() if rng.random() < 0.5 else Wait()
                return NextPlan(
                    plan=asks if rng.random() < 0.7 else AskToBargain(player=rng.choice(names))
                )
            case Bargain():
                reader = Bargainer(prompt)
                assert reader.choose() == sees(s)
                decided.append(reader.choose())
                if rng.random() < 0.3:
                    return NextPlan(plan=Propose(tenths=rng.randint(1, 9)))
                if reader.choose() == "ACCEPT":
                    accepted.setdefault(s.step, []).append(reader.if_accepted())
                    return NextPlan(plan=Accept())
                return NextPlan(plan=Propose(tenths=int(reader.choose()[-1])))
        return planner("selfish")(request)

    for seed in range(2 if name.endswith("hard") else 4):
        await played(name, answer, seed)
        accepted.clear()
    assert 3 <= decided.count("ACCEPT") <= len(decided) - 3
    assert len(borne_out) >= 3
