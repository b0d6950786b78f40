"""A repetition without what its condition promises is a fault, and no mean includes it."""

from __future__ import annotations

import json

import pytest

from tests.bots.test_styles import played
from tests.endpoint import answering
from tests.playing_styles import GAMES, scenario_of, settings
from tests.typed_endpoint import deciding
from voxpolis import analysis
from voxpolis.bots.models import AccountedModel, Completion
from voxpolis.bots.models.settings import ROLES, Need
from voxpolis.experiments.run import registry
from voxpolis.records import events, read_record

# Institutions that the games of all styles do not have: options by scenario.
INSTITUTIONS = {
    "cleanup": ("--contract", "negotiate", "--compile", *settings("time_limit_s=30")),
    "harvest": ("--contract", "negotiate", "--compile", *settings("time_limit_s=30")),
    "matrix": ("--condition", "negotiate", "--episodes", "1"),
    "fishing": ("--condition", "contract", *settings("rounds=2")),
    "specialisation": ("--condition", "normal", "--runs", "1", "--modules", "all",
                       *settings("agents=4", "length_s=150")),
}  # fmt: skip
# The same code asks for the roles of PIANO in all villages, so all of them fail only in these.
VILLAGES = ("taxation", "sentiment", "religion")
PIANO = {"decide", "goal", "plan", "reflect", "social", "talk"}
CASES = [(name, ()) for name in GAMES] + [*INSTITUTIONS.items()]


@pytest.fixture
def fails(monkeypatch):
    """Return a function after which the model answers nonsense to one role, or to all roles."""
    complete = AccountedModel.complete

    def begin(failing, agent=None):
        async def answer(model, request):
            if failing not in (request.role, "*") or agent not in (None, request.agent):
                return await complete(model, request)
            if not request.attempt:
                model.account.ask(request.agent, request.role)
            return Completion("Hm?", "local")

        monkeypatch.setattr(AccountedModel, "complete", answer)

    return begin


@pytest.mark.parametrize(("name", "options"), CASES)
async def test_run_without_one_of_its_institutions_is_a_fault(name, options, fails, tmp_path):
    """Each role that the game asks fails in turn."""
    asked = await roles_asked(name, options, tmp_path / "whole")
    assert asked
    tried = asked if name in VILLAGES or not asked >= PIANO else (asked - PIANO) | {"decide"}
    for role in sorted(tried):
        fails(role)
        code, result, run = await played(
            name, deciding("strict"), tmp_path / role, *options, reached=answering
        )
        assert code == 1
        reasons = [reason for entry in result["runs"] for reason in entry.get("excluded", ())]
        assert any(f"in the role {role} was usable" in reason for reason in reasons), reasons
        assert any(f"in the role {role} was usable" in fault for fault in result["faults"])
        unjudged = [fault for fault in result["faults"] if "no judge applied the law" in fault]
        assert bool(unjudged) == (role == "assess")
        (excluded, *_) = read_record(run.folder).of(events.RunExcluded)
        assert excluded.reasons == reasons[: len(excluded.reasons)]
        assert not analysis.load(run.folder).attempts()["counts"].all()


async def roles_asked(name, options, out):
    """Return the roles that a game asks if the model answers, and that it needs."""
    _, _, run = await played(name, deciding("strict"), out, *options, reached=answering)
    calls = [json.loads(line) for line in (run.folder / "llm.jsonl").read_text().splitlines()]
    return {call["role"] for call in calls if ROLES[call["role"]] is not Need.NOBODY}


@pytest.mark.parametrize(
    ("name", "role", "agent"),
    [
        ("taxation", "decide", "Ben"),
        ("commons, clean_up", "act", "Juan"),
        ("double_vein, negotiate", "negotiator", "Glitch"),
    ],
)
async def test_one_silent_agent_of_few_is_a_fault(name, role, agent, fails, tmp_path):
    fails(role, agent)
    code, result, _ = await played(name, deciding("strict"), tmp_path, reached=answering)
    assert code == 1
    assert f"no answer of {agent} in the role {role} was usable" in result["runs"][0]["excluded"]


@pytest.mark.parametrize(
    ("name", "agent", "options"),
    [
        ("taxation", "Alba", ["--agents", "12"]),
        ("religion", "AdaAbel", settings("agents=12", "priests=1", "villages=true")),
        ("coherence", "Ada", ["--condition", "rumour", *settings("agents=12")]),
    ],
)
async def test_a_silent_influencer_priest_or_rumour_starter_is_a_fault(
    name, agent, options, fails, tmp_path
):
    """Less than a tenth of the agents are silent, but this agent is the treatment."""
    fails("*", agent)
    code, result, _ = await played(name, deciding("strict"), tmp_path, *options, reached=answering)
    assert code == 1
    (entry,) = result["runs"]
    assert agent in entry["treated"]
    assert f"no answer of {agent} in the role talk was usable" in entry["excluded"]


def test_a_matrix_game_in_which_a_player_chooses_nothing_is_a_fault():
    matrix = registry.scenario("matrix")()
    first, second = matrix.counted
    agents = {"Ann": {first: 0, second: 0}, "Bob": {first: 0, second: 1}}
    entry = {"condition": "none", "agents": agents}
    assert matrix.missing(entry, {}, {}) == ["Ann chose neither plate"]


@pytest.mark.parametrize("name", [name for name in GAMES if name == scenario_of(name)])
async def test_run_without_a_usable_answer_is_a_fault(name, fails, tmp_path):
    fails("*")
    code, result, run = await played(name, deciding("strict"), tmp_path, reached=answering)
    assert code == 1
    assert all(entry["excluded"] for entry in result["runs"])
    written = json.loads((run.folder / "result.json").read_text())
    assert written["error"] == result["error"] != ""


@pytest.mark.parametrize("kind", registry.scenarios(), ids=lambda kind: kind.name)
def test_promises_name_conditions_and_kinds_of_event(kind):
    known = {one.model_fields["kind"].default for one in events.kinds()}
    for condition, promised in kind.promises.items():
        assert condition == "*" or condition in kind.conditions
        assert known >= set(promised)


async def test_excluded_repetition_leaves_the_others_in_the_mean(tmp_path, monkeypatch):
    """The vote of the second of two villages fails."""
    complete, villages = AccountedModel.complete, []

    async def answer(model, request):
        if request.role == "ballot" and model not in villages:
            villages.append(model)
        if request.role == "ballot" and model is not villages[0]:
            if not request.attempt:
                model.account.ask(request.agent, request.role)
            return Completion("Hm?", "local")
        return await complete(model, request)

    monkeypatch.setattr(AccountedModel, "complete", answer)
    code, result, _ = await played(
        "taxation", deciding("strict"), tmp_path, "--runs", "2", reached=answering
    )
    assert code == 1
    first, second = result["runs"]
    assert (first.get("excluded"), bool(second["excluded"])) == (None, True)
    found = result["conditions"]["full-anti"]
    assert (found["runs"], found["tax_share_before"]["mean"]) == (1, first["tax_share_before"])
