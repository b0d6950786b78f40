"""``python -m bots.models check`` against endpoints that answer well, badly, or not at all."""

from __future__ import annotations

import json
import time

import pytest

from tests.conftest import run_module
from tests.endpoint import (
    completion,
    current_openai,
    refusal,
    saying,
    schema_of,
    serving,
    sleepy,
)
from tests.typed_endpoint import sampled
from voxpolis.bots.models import endpoint as endpoint_of_models
from voxpolis.bots.models.settings import MAX_RETRIES, ROLES
from voxpolis.experiments.study import check_models
from voxpolis.experiments.study.probes import probes


def well(request):
    """A valid answer: a value for each field of the schema, or a program."""
    schema = schema_of(request)
    program = "```javascript\nasync function mine(bot) {}\n```"
    return program if schema is None else json.dumps(sampled(schema))


def test_every_role_has_a_situation():
    assert {role for role, _ in probes()} == set(ROLES)


def checked(capsys, url, *options):
    """The exit code and the result of the command."""
    names = ["--base-url", url, "--model", "local-test", "--json", *options]
    with pytest.raises(SystemExit) as ended:
        check_models.check_models(names, standalone_mode=False)
    return ended.value.code, json.loads(capsys.readouterr().out)


def test_a_model_that_answers_in_form_works_in_every_role(capsys):
    with serving(current_openai(well)) as endpoint:
        code, found = checked(capsys, endpoint.url, "--samples", "1")
    assert {one["role"]: one["verdict"] for one in found["roles"]} == dict.fromkeys(ROLES, "works")
    assert (code, found["works"]) == (0, True)
    asked = {one["role"]: one["questions"] for one in found["roles"]}
    assert (asked["action"], asked["planner"], asked["critic"]) == (2, 2, 1)  # Minecraft, the grid
    assert all(one["at_once"] == one["questions"] for one in found["roles"])
    assert any("max_tokens is sent as max_completion_tokens" in note for note in found["notes"])


def test_a_model_that_talks_nonsense_fails_where_a_form_is_asked_for(capsys):
    with serving(saying(lambda _: "Certainly! I would be happy to help.")) as endpoint:
        code, found = checked(capsys, endpoint.url, "--samples", "2")
    verdicts = {one["role"]: one["verdict"] for one in found["roles"]}
    free = {"talk", "goal", "plan", "reflect", "feedback", "describe", "answer"}  # any line will do
    formal = set(verdicts) - free
    assert {verdicts[role] for role in formal} == {"would not work"}
    assert {"judge", "action", "decide", "ballot", "negotiator"} <= formal
    assert code == 1
    judge = next(one for one in found["roles"] if one["role"] == "judge")
    assert "happy to help" in judge["problem"]


def test_the_seconds_are_those_of_the_endpoint_not_of_waiting_for_a_turn(capsys):
    """One call after another: half of them take the median at least, and all no more than all."""
    began = time.monotonic()
    with serving(sleepy(0.05, well)) as endpoint:
        options = ("--role", "critic", "--samples", "12", "--concurrency", "1")
        _, found = checked(capsys, endpoint.url, *options)
    (critic,) = found["roles"]
    assert (critic["questions"], endpoint.most_under_way) == (12, 1)
    assert 0.05 <= critic["seconds"] <= (time.monotonic() - began) / 6


def test_an_agent_with_a_model_of_its_own_is_checked_too(capsys, tmp_path):
    def reply(request):
        if request["model"] == "gone":
            return refusal("The model `gone` does not exist", code="model_not_found")
        return 200, completion(well(request))

    path = tmp_path / "models.yaml"
    path.write_text("agents: {Ada: {model: gone}}")
    with serving(reply) as endpoint:
        options = ("--models", str(path), "--role", "critic", "--samples", "1")
        code, found = checked(capsys, endpoint.url, *options)
    own = {one["agent"]: (one["model"], one["verdict"]) for one in found["roles"]}
    assert own == {None: ("local-test", "works"), "Ada": ("gone", "would not work")}
    assert "does not exist" in found["roles"][-1]["problem"]
    options = ("--models", str(path), "--role", "decide", "--samples", "1")
    with serving(reply) as endpoint:  # a mind of a society counts an error and goes on
        _, found = checked(capsys, endpoint.url, *options)
    assert "does not exist" in found["roles"][-1]["problem"]
    assert code == 1


@pytest.mark.parametrize("status", [0, 401])
def test_an_endpoint_that_is_dead_is_asked_for_one_role_only(capsys, monkeypatch, status):
    monkeypatch.setattr(endpoint_of_models, "FIRST_PAUSE_S", 0.001)
    with serving(lambda _: (status, {"error": {"message": "no such key"}})) as endpoint:
        code, found = checked(capsys, endpoint.url)
    assert len(endpoint.requests) == (1 if status else 1 + MAX_RETRIES)
    only, *others = found["roles"]
    assert only["problem"] is not None
    assert (only["questions"], only["verdict"], code) == (1, "would not work", 1)
    assert {(one["questions"], one["verdict"]) for one in others} == {(0, "not asked")}
    assert {one["role"] for one in found["roles"]} == set(ROLES)
    assert "no other role was asked" in found["notes"][-1]


@pytest.mark.parametrize("role", ["questions", "answer"])
def test_what_follows_a_curriculum_is_asked_by_itself(capsys, role):
    """Neither needs a proposal of the curriculum, which this model does not make."""

    def reply(request):
        said = well(request)
        return 200, completion("Hm." if '"task"' in said else said)

    with serving(reply) as endpoint:
        code, found = checked(capsys, endpoint.url, "--role", role, "--samples", "1")
        (asked,) = found["roles"]
        prompts = [str(one["messages"]) for one in endpoint.requests]
    assert (asked["role"], asked["verdict"], code) == (role, "works", 0)
    assert asked["questions"] == len(prompts) == (2 if role == "questions" else 1)
    assert sum("Ask yourself the three" in prompt for prompt in prompts) == (role == "questions")
    with serving(saying(lambda _: "")) as endpoint:
        code, found = checked(capsys, endpoint.url, "--role", role, "--samples", "1")
    assert ([one["verdict"] for one in found["roles"]], code) == (["would not work"], 1)


def test_a_role_that_nobody_asks_is_no_pass(capsys, monkeypatch):
    asked = [(role, probe) for role, probe in probes() if role != "answer"]
    monkeypatch.setattr("experiments.study.probes.probes", lambda: iter(asked))
    for roles in (["answer", "critic"], ["answer"]):
        options = [part for role in roles for part in ("--role", role)]
        with serving(current_openai(well)) as endpoint:
            code, found = checked(capsys, endpoint.url, "--samples", "1", *options)
        verdicts = {one["role"]: one["verdict"] for one in found["roles"]}
        assert verdicts == {role: "not asked" if role == "answer" else "works" for role in roles}
        assert (code, found["works"]) == (1, False)


def test_the_command_has_a_name_among_the_models(tmp_path):
    path = tmp_path / "models.yaml"
    path.write_text("roles: {actoin: {}}")
    done = run_module("bots.models", "check", "--models", str(path), OPENAI_API_KEY="k")
    assert (done.returncode, done.stdout) == (2, "")
    assert "there is no role 'actoin'" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_role_that_is_asked_in_nobodys_name_is_no_agents(capsys, tmp_path):
    """A judge, and whoever reads records, are no agent's model, whatever agents have their own."""
    path = tmp_path / "models.yaml"
    path.write_text("agents: {Ada: {model: turtles}}")

    def reply(request):
        said = "I like turtles." if request["model"] == "turtles" else well(request)
        return 200, completion(said)

    roles = ("judge", "compiler", "believes", "score", "critic", "compile")
    options = [part for role in roles for part in ("--role", role)]
    with serving(reply) as endpoint:
        code, found = checked(
            capsys, endpoint.url, "--models", str(path), "--samples", "1", *options
        )
        asked = [one["model"] for one in endpoint.requests]
    verdicts = {(one["agent"], one["role"]): one["verdict"] for one in found["roles"]}
    assert verdicts == {
        **{(None, role): "works" for role in roles},
        ("Ada", "critic"): "would not work",
        ("Ada", "compile"): "would not work",
    }
    assert {one["model"] for one in found["roles"] if one["agent"]} == {"turtles"}
    assert asked.count("turtles") == 6  # three times each, for it says nothing that can be read
    assert code == 1
    with serving(reply) as endpoint:
        options = ("--models", str(path), "--role", "judge", "--samples", "1")
        code, found = checked(capsys, endpoint.url, *options)
        assert [one["model"] for one in endpoint.requests] == ["local-test"]
    assert (code, [one["agent"] for one in found["roles"]]) == (0, [None])


def test_of_a_conversation_of_two_each_is_told_by_its_own_model(capsys, tmp_path):
    path = tmp_path / "models.yaml"
    path.write_text("agents: {Glitch: {model: turtles}}")
    with serving(lambda request: (200, completion(well(request)))) as endpoint:
        options = ("--models", str(path), "--role", "negotiator", "--samples", "1")
        _, found = checked(capsys, endpoint.url, *options)
    assert {one["agent"]: one["questions"] for one in found["roles"]} == {None: 1, "Glitch": 1}


def test_it_is_called_as_it_was_typed():
    shown = run_module("bots.models", "check", "--help")
    assert shown.returncode == 0, shown.stderr
    assert "Usage: python -m bots.models check [OPTIONS]" in shown.stdout
