"""A repetition without what its condition promises is a fault, and no mean includes it."""

from __future__ import annotations

import json

import pytest

from tests.bots.test_styles import played
from tests.endpoint import answering
from tests.playing_styles import GAMES, scenario_of
from tests.typed_endpoint import deciding
from voxpolis import analysis
from voxpolis.bots.models import AccountedModel, Completion
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.scenario import ESSENTIAL
from voxpolis.records import events, read_record

# Games whose institutions ask these roles.
ASKED = {
    "double_vein, negotiate": ("negotiator", "judge"),
    "double_vein, modules": ("speak", "amendments", "ballot"),
    "commons, full": ("speak", "ballot"),
    "taxation": ("feedback", "amendments", "ballot", "talk", "compile"),
    "taxation, in words": ("assess",),
    "religion": ("talk",),
    "sentiment, society": ("talk",),
    "specialisation": ("talk",),
    "coherence": ("talk",),
}
CASES = [(name, role) for name, roles in ASKED.items() for role in roles]


@pytest.fixture
def fails(monkeypatch):
    """Return a function after which the model answers nonsense to a role, or to all roles."""

    def begin(failing, agent=None):
        complete = AccountedModel.complete

        async def answer(model, request):
            if failing not in (request.role, "*") or agent not in (None, request.agent):
                return await complete(model, request)
            if not request.attempt:
                model.account.ask(request.agent, request.role)
            return Completion("Hm?", "local")

        monkeypatch.setattr(AccountedModel, "complete", answer)

    return begin


@pytest.mark.parametrize(("name", "role"), CASES)
async def test_run_without_its_institution_is_a_fault(name, role, fails, tmp_path):
    fails(role)
    code, result, run = await played(name, deciding("strict"), tmp_path, reached=answering)
    assert code == 1
    reasons = [reason for entry in result["runs"] for reason in entry.get("excluded", ())]
    assert any(f"in the role {role} was usable" in reason for reason in reasons), reasons
    assert any(f"in the role {role} was usable" in fault for fault in result["faults"])
    (excluded, *_) = read_record(run.folder).of(events.RunExcluded)
    assert excluded.reasons == reasons[: len(excluded.reasons)]
    assert not analysis.load(run.folder).attempts()["counts"].all()


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


ACTING = {"action", "planner", "decide", "act", "choose"}


def test_every_institution_is_made_to_fail():
    assert {role for _, role in CASES} | {"action", "planner", "decide", "act", "choose"} == set(
        ESSENTIAL
    )


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
