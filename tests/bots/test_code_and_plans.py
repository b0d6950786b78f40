"""Agents that write programs or plans: retries, feedback, and skills as files."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import result_of, run_module
from voxpolis.bots.agents.code_writer import JAVASCRIPT, Assessment, CodeWriter
from voxpolis.bots.agents.planner.plans import (
    Dump,
    GatherUntil,
    NextPlan,
    Signal,
)
from voxpolis.bots.agents.protocol import NOT_RUN, AgentSetup, Briefing, Review
from voxpolis.bots.agents.registry import KINDS
from voxpolis.bots.agents.voyager.agent import ATTEMPTS, VoyagerAgent
from voxpolis.bots.agents.voyager.minilm import MiniLM
from voxpolis.bots.agents.voyager.progress import Progress
from voxpolis.bots.agents.voyager.prompts import (
    AnswerRequest,
    CurriculumRequest,
    Described,
    DescribeRequest,
    Item,
    Known,
    Proposal,
    Questions,
    QuestionsRequest,
    TaskCriticRequest,
    TaskRequest,
)
from voxpolis.bots.agents.voyager.retrieval import LexicalRetriever
from voxpolis.bots.agents.voyager.skills import (
    Skill,
    SkillError,
    SkillLibrary,
    main_function,
    read_skill,
)
from voxpolis.bots.models import (
    ModelSettings,
    RecordedModel,
    ScriptedModel,
)
from voxpolis.experiments.loops.contract.game import recollection
from voxpolis.records import events, read_record
from voxpolis.records.programs import CodeError, RunResult

BRIEFING = Briefing("Gizmo", "You are on a platform.", "Share everything.")


class Puppet:
    """A body that records the orders it gets."""

    name = "Gizmo"
    format = JAVASCRIPT
    last = None

    def __init__(self):
        self.policies = []

    async def act(self, policy, skills=None):
        self.policies.append(policy)
        return NOT_RUN


def writer(model, body=None):
    return CodeWriter(AgentSetup(BRIEFING, body or Puppet(), model, lambda *_a, **_k: None))


async def test_an_unusable_answer_is_retried_with_the_error():
    calls, body = [], Puppet()
    answers = iter(["no code", "```javascript\nx()\n```"])
    model = RecordedModel(
        ScriptedModel(lambda _request: next(answers)), calls.append, ModelSettings(), {}
    )
    agent = writer(model, body)
    assert await agent.prepare("nothing") == ""
    await agent.live()
    assert body.policies == ["x()\n"]
    assert "could not be used" in calls[1]["messages"][-1]["content"]
    assert [call["agent"] for call in calls] == ["Gizmo", "Gizmo"]


async def test_a_failed_policy_is_rewritten_with_the_feedback():
    asked = []

    def answer(request):
        if request.role == "critic":
            return Assessment(success=False, critique="Look first.")
        asked.append(request.about)
        return "```javascript\nx()\n```"

    agent = writer(ScriptedModel(answer))
    await agent.prepare("nothing")
    error = {"message": "x is not defined", "line": 1, "column": 1, "source": "x()", "done": []}
    program = RunResult(status="error", error=error, logs=["hm"], seconds=1)
    lesson = await agent.review(Review("You hold nothing.", ["Nobody pays."], program))
    assert (lesson.again, lesson.critique, agent.is_ready) == (True, "Look first.", False)
    await agent.prepare("nothing")
    for told in ("x is not defined", "Look first.", "Nobody pays.", "hm"):
        assert told in asked[1].feedback
    done = RunResult(status="done", error=None, logs=[], seconds=1)
    assert not (await agent.review(Review("", [], done))).again


async def test_the_critic_is_not_asked_about_a_missing_program():
    asked = []

    def answer(request):
        asked.append(request)
        return "I would rather not."

    agent = writer(ScriptedModel(answer))
    problem = await agent.prepare("nothing")
    await agent.live()
    done = RunResult(status="done", error=None, logs=["hm"], seconds=1)
    review = Review("You hold nothing.", ["Nobody pays."], done)
    lesson = await agent.review(review)
    assert (lesson.again, lesson.success, lesson.unwritten) == (True, False, problem)
    await agent.prepare("nothing")
    assert {request.role for request in asked} == {"action"}
    told = asked[-1].about.feedback, recollection("Gizmo", 1, "", review, lesson, [])
    for text in told:
        assert "your answers contained no readable program" in text
        assert problem in text
        assert "Nobody pays." in text
        assert "ran without an error" not in text
        assert JAVASCRIPT.nothing.strip() not in text


# --- In an arena ---------------------------------------------------------------------------------


def play(out, *options, **environment):
    arguments = ["--world", "grid", "--agent", "planner", "--json", "--out", str(out), *options]
    return result_of(run_module("scenarios.double_vein", *arguments, timeout=280, **environment))


def test_a_scripted_policy_is_played_plan_by_plan(tmp_path):
    result = play(tmp_path, "--condition", "2")
    (run,) = result["runs"]
    assert [run["agents"][name]["reward"] for name in ("Gizmo", "Glitch")] == [39, 39]
    calls = [c for c in read_record(Path(result["run_dir"])).calls if c["role"] == "planner"]
    assert [c["answer"] for c in calls if c["agent"] == "Gizmo"][:4] == [
        NextPlan(plan=plan).text()
        for plan in (
            GatherUntil(count=1, thing="iron_pickaxe"),
            GatherUntil(count=12, thing="raw_iron"),
            Dump(count=1, thing="iron_pickaxe"),
            Signal(to="Glitch"),
        )
    ]


@pytest.fixture(scope="module")
def encoder():
    return MiniLM()


# --- Retrieval -----------------------------------------------------------------------------------


def test_the_encoder_reproduces_the_published_similarities(encoder):
    said = ["That is a happy person", "That is a happy dog", "That is a very happy person"]
    person, *others = encoder.embed([*said, "Today is a sunny day"])
    published = [0.695, 0.943, 0.257]  # the example in the model card
    assert np.allclose([person @ other for other in others], published, atol=0.0015)


# --- Skills as files -----------------------------------------------------------------------------


def test_a_skill_round_trips_through_its_file(tmp_path):
    library = SkillLibrary(LexicalRetriever(), tmp_path / "skills")
    skill = Skill("dig", "async function dig(bot) {\n  /* deep */\n}\n", "Digs.\nNeeds */ nothing.")
    library.add(skill)
    again = SkillLibrary(LexicalRetriever(), tmp_path / "skills")
    assert again.skills["dig"].code == skill.code
    assert again.skills["dig"].description == "Digs.\nNeeds * / nothing."
    assert again.sources() == {"dig": skill.code}


def test_invalid_skills_are_refused_with_their_names(tmp_path):
    (tmp_path / "empty.js").write_text("const a = 1")
    with pytest.raises(SkillError, match=r"empty\.js declares no async function of bot"):
        read_skill(tmp_path / "empty.js")
    with pytest.raises(SkillError, match="300 characters"):
        main_function(f"async function {'a' * 300}(bot) {{}}")
    with pytest.raises(SkillError, match="there is no folder"):
        SkillLibrary(LexicalRetriever()).load(tmp_path / "nowhere")
    (tmp_path / "endless.js").symlink_to("/dev/zero")
    with pytest.raises(SkillError, match=r"endless\.js: not a regular file"):
        read_skill(tmp_path / "endless.js")


# --- The loop ------------------------------------------------------------------------------------


class Bench:
    """A body whose programs obtain items by printing ``hold:item``; records its inputs."""

    name, format, last = "Ada", JAVASCRIPT, None

    def __init__(self):
        self.held = {}
        self.programs = []

    async def observe(self):
        return f"Inventory: {self.held}"

    async def inventory(self):
        return dict(self.held)

    async def act(self, policy, skills=None):
        self.programs.append((policy, dict(skills)))
        for item in re.findall(r"hold:(\w+)", policy):
            self.held[item] = self.held.get(item, 0) + 1
        error = CodeError(message="it fails", line=1, column=1, source=None, done=[])
        is_bad = "fails" in policy
        status = "error" if is_bad else "done"
        fields = {"status": status, "logs": [], "seconds": 1.0}
        return RunResult(error=error if is_bad else None, **fields)


def proposal(task, **obtain):
    return Proposal(task=task, obtain=[Item(name=name, count=n) for name, n in obtain.items()])


def mind(tasks, programs):
    """Return a model that proposes ``tasks`` in order and answers with ``programs`` in turn."""
    tasks, programs = iter(tasks), iter(programs)

    def answer(request):
        asked.append(request)
        if isinstance(request.about, CurriculumRequest):
            return next(tasks, Proposal(task=None, obtain=[]))
        if isinstance(request.about, TaskRequest):
            return f"```javascript\n{next(programs)}\n```"
        return {
            QuestionsRequest: Questions(questions=["What is a log?"]),
            AnswerRequest: Known(answer="A log is wood."),
            TaskCriticRequest: Assessment(success=True, critique="bring more"),
            DescribeRequest: Described(description="It holds things."),
        }[type(request.about)]

    asked = []
    return ScriptedModel(answer), asked


def setup_of(model, body, noted, **fields):
    note = lambda kind, **of: noted.append((kind, of))  # noqa: E731
    return AgentSetup(Briefing("Ada", "The floor is lava.", ""), body, model, note, **fields)


def agent_of(model, body, folder, iterations):
    noted = []
    setup = setup_of(model, body, noted, goal="to hold things", folder=str(folder))
    return VoyagerAgent(setup, LexicalRetriever(), iterations), noted


async def test_successful_programs_become_skills_and_failures_are_reported(tmp_path):
    model, asked = mind(
        [proposal("Get a log", log=1), proposal("Sing")],
        [
            "async function tryIt(bot) { /* fails */ }",
            "async function getLog(bot) { /* hold:log */ }",
            "async function sing(bot) {}",
        ],
    )
    body = Bench()
    agent, noted = agent_of(model, body, tmp_path, 10)
    await agent.live()
    assert agent.progress.completed == ["Get a log", "Sing"]
    assert agent.progress.iterations == 3
    assert agent.progress.items == {"log": 2}
    assert agent.progress.answers == {"What is a log?": "A log is wood."}
    first, again, _ = (r for r in asked if isinstance(r.about, TaskRequest))
    assert "A log is wood." in first.messages[-1]["content"]
    for part in ("fails", "bring more"):
        assert part in again.messages[-1]["content"]
        assert part in again.about.feedback
    ended = [r.about.ended_well for r in asked if isinstance(r.about, TaskCriticRequest)]
    assert ended == [False, True]
    assert [r.about.completed for r in asked if isinstance(r.about, CurriculumRequest)] == [
        (),
        ("Get a log",),
        ("Get a log", "Sing"),
    ]
    assert sorted(agent.library.skills) == ["getLog", "sing"]
    assert set(body.programs[2][1]) == {"getLog"}
    assert [fields["success"] for kind, fields in noted if kind is events.TaskEnded] == [True, True]
    assert (tmp_path / "skills" / "getLog.js").read_text().startswith("/**\n * It holds things.")


async def test_a_critic_cannot_override_the_inventory(tmp_path):
    task = proposal("Get gold", gold_ingot=1)
    model, _ = mind([task], ["async function boast(bot) {}"] * ATTEMPTS)
    agent, _ = agent_of(model, Bench(), tmp_path, ATTEMPTS)
    await agent.live()
    assert agent.progress.failed == ["Get gold"]
    assert agent.library.skills == {}


# --- As an agent kind ----------------------------------------------------------------------------


async def test_voyager_plays_any_briefing(tmp_path):
    model, asked = mind(
        [proposal("Get a log", log=1)],
        ["async function getLog(bot) { /* hold:log */ }"],
    )
    body, noted = Bench(), []
    setup = setup_of(model, body, noted, folder=str(tmp_path / "Ada"))
    player = KINDS["voyager"].make(setup)
    assert player.is_ready
    await player.live()
    assert body.held == {"log": 1}
    assert "The floor is lava." in asked[0].messages[0]["content"], "what counts is its goal"
    assert (tmp_path / "Ada" / "skills" / "getLog.js").exists()
    assert Progress.load(tmp_path / "Ada" / "progress.json").completed == ["Get a log"]
    assert events.SkillLearned in [kind for kind, _ in noted]
