"""Contracts and laws in games of choices: players agree on them, and they take effect."""

from __future__ import annotations

import asyncio
import functools

import pytest

from voxpolis.experiments.loops.choices import ChoiceScenario
from voxpolis.experiments.loops.institutions import settle, vote
from voxpolis.experiments.run.command import command, prepare
from voxpolis.experiments.run.runner import play
from voxpolis.judge import Case, Contract, Outcome, Terms, parse_clauses
from voxpolis.judge.law.assembly import Proposal, ProposalRequest, Voter
from voxpolis.judge.law.constitution import Ballot, Change, Constitution, SetNumber, Vote
from voxpolis.records import events, read_record
from voxpolis.scenarios.fishing import Catch, Fishing


def played(kind, *words):
    kind.check()
    values = command(kind).make_context(kind.name, list(words)).params
    run = prepare(kind, values)
    code, result = asyncio.run(play(run))
    assert code == 0, result
    return result, read_record(run.folder)


class GreedyFishing(Fishing):
    """Fishers who agree on a contract, which the last fisher breaks."""

    __module__ = __name__
    story = "A test."

    def script(self, case):
        honest = super().script(case)

        def answer(request):
            said = honest(request)
            greedy = request.agent == self.agent_names[-1] and isinstance(said, Catch)
            return Catch(tons=2 * said.tons) if greedy else said

        return answer


def test_negotiated_contract_is_settled_by_catches(tmp_path):
    words = [
        "--condition",
        "contract",
        "--set",
        "agents=3",
        "--set",
        "rounds=2",
        "--out",
        str(tmp_path / "runs"),
    ]
    result, record = played(GreedyFishing, *words)
    (contract,) = record.of(events.ContractAgreed)
    assert contract.clauses[-1] == "Cora pays Ada max(0, caught(Cora) - 33)"
    (judgement,) = record.of(events.Judgement)
    caught = {n: sum(e.payoffs[n] for e in record.of(events.PayoffsMade)) for n in ("Ada", "Cora")}
    fine = judgement.transfers["Ada"]
    assert fine == -judgement.transfers["Cora"] == caught["Cora"] - 33 > 0
    (run,) = result["runs"]
    assert run["agents"]["Ada"]["reward"] == caught["Ada"] + fine
    assert {e.agent: e.transfer for e in record.of(events.Reward)} == judgement.transfers
    again, _ = played(GreedyFishing, "--replay", str(record.folder), "--out", str(tmp_path / "new"))
    assert again["runs"] == result["runs"]


@pytest.mark.parametrize(("capacity", "threshold"), [(10, 2), (11, 0), (9, 7)])
def test_optimum_of_fishing_is_what_a_search_finds(capacity, threshold):
    @functools.cache
    def best(fish, months):
        if not months:
            return 0
        left = range(fish + 1)
        later = {n: best(min(capacity, 2 * n), months - 1) if n >= threshold else 0 for n in left}
        return max(fish - n + later[n] for n in left)

    game = Fishing.model_construct(capacity=capacity, threshold=threshold, rounds=4)
    assert game.optimum == best(capacity, 4)


LAW = Constitution(("All fish.",), {"share": 10.0}, {"share": (0.0, 50.0)})


class Assembly(ChoiceScenario):
    """Three agents who vote on a number once."""

    __module__ = __name__
    name = "assembly"
    story = "A test."

    @property
    def agent_names(self):
        return ["Ada", "Ben", "Cora"]

    async def play(self, run):
        self.begin(run)
        law = await vote(run, LAW, [Voter(name, "", "A lake.", "") for name in self.agent_names])
        share = law.parameters["share"]
        rows = [self.end_round(run, 1, dict.fromkeys(self.agent_names, share))]
        self.end(run, rows)

    def script(self, case):
        def answer(request):
            if isinstance(request.about, ProposalRequest):
                change = Change(words=None, sets=[SetNumber(parameter="share", value=30)])
                return Proposal(amendment=change if request.agent == "Ada" else None)
            return Ballot(votes=[Vote(amendment=1, vote="no" if request.agent == "Ben" else "yes")])

        return answer


def test_agents_vote_on_a_law(tmp_path):
    result, record = played(Assembly, "--out", str(tmp_path))
    (tally,) = record.of(events.AmendmentTallied)
    assert (tally.yes, tally.no, tally.passed) == (2, 1, True)
    assert result["mean"]["welfare"] == 90


def fails(kind, tmp_path, *words):
    """Return the error with which a run of an invalid game ends."""
    kind.check()
    values = command(kind).make_context(kind.name, [*words, "--out", str(tmp_path)]).params
    code, result = asyncio.run(play(prepare(kind, values)))
    assert code == 1
    return result["error"]


def assembly(**hooks):
    return type("Other", (Assembly,), {"__module__": __name__, **hooks})


def sets(value):
    """Return scripted minds, one of which sets the share to a value."""

    def script(self, case):
        shipped = Assembly.script(self, case)
        change = Change(words=None, sets=[SetNumber(parameter="share", value=value)])

        def answer(request):
            said = shipped(request)
            has_one = isinstance(said, Proposal) and said.amendment is not None
            return Proposal(amendment=change) if has_one else said

        return answer

    return script


def ends(**transfers):
    async def play_it(self, run):
        self.begin(run)
        self.end(run, [self.end_round(run, 1, {"Ada": 1.0})], transfers=transfers)

    return play_it


async def ends_twice(self, run):
    await ends()(self, run)
    await ends()(self, run)


async def lets_a_stranger_vote(self, run):
    await vote(run, LAW, [Voter("Zed", "", "A lake.", "")])


async def settles_without_counts(self, run):
    terms = Terms(self.agent_names, {}, counts={"caught(Ada)": 10})
    formal = parse_clauses("Ada pays Ben caught(Ada)", terms)
    contract = Contract("c", "words", rule=formal.transfers, clauses=formal.lines)
    await settle(run, Case(contract, tuple(self.agent_names), Outcome(), ""))


@pytest.mark.parametrize(
    ("hooks", "said"),
    [
        ({"script": sets(90)}, "the vote sets share to 90, outside the limits"),
        ({"play": ends(Ada=5.0)}, "transfers sum to 5; they must sum to zero"),
        ({"play": ends(Ada=5.0, Zed=-5.0)}, "a transfer goes to Zed, who is not a player"),
        ({"play": ends_twice}, "end() was called twice"),
        ({"play": lets_a_stranger_vote}, "Zed takes part, but is not a player"),
        ({"play": settles_without_counts}, "settle() lacks the counts caught(Ada)"),
    ],
)
def test_invalid_calls_of_institutions_are_refused(hooks, said, tmp_path):
    assert said in fails(assembly(**hooks), tmp_path)
