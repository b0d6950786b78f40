"""Voyager's parts: skills as files, retrieval, tasks, and an agent's loop."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from voxpolis.bots.agents.code_writer import JAVASCRIPT, PolicyRequest
from voxpolis.bots.agents.critic import Assessment
from voxpolis.bots.agents.planner.plans import plan_of, program_answer
from voxpolis.bots.agents.planner.player import DonePlan, NextPlanRequest
from voxpolis.bots.agents.protocol import AgentSetup, Briefing
from voxpolis.bots.agents.registry import KINDS
from voxpolis.bots.agents.voyager import (
    Progress,
    Skill,
    SkillError,
    SkillLibrary,
    Task,
    VoyagerAgent,
)
from voxpolis.bots.agents.voyager.agent import ATTEMPTS
from voxpolis.bots.agents.voyager.curriculum import Curriculum
from voxpolis.bots.agents.voyager.minilm import MiniLM
from voxpolis.bots.agents.voyager.requests import (
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
from voxpolis.bots.agents.voyager.retrieval import EmbeddingRetriever, LexicalRetriever
from voxpolis.bots.agents.voyager.skills import main_function, read_skill
from voxpolis.bots.agents.voyager.writing import Writer
from voxpolis.bots.agents.whole_policies import TASK, step_by_step
from voxpolis.bots.models import AnswerError, ChatRequest, ScriptedModel
from voxpolis.bots.models.typed import read_answer
from voxpolis.bridge.protocol import CodeError, RunResult
from voxpolis.records import events
from voxpolis.scenarios.crafting_tree import CraftingTree

SKILLS = {
    "mineIronOre": "Digs iron ore with a stone pickaxe and collects raw iron.",
    "cookMutton": "Cooks mutton in a furnace with coal.",
    "craftWoodenPickaxe": "Makes a wooden pickaxe at a crafting table out of planks and sticks.",
}


@pytest.fixture(scope="module")
def encoder():
    return MiniLM()


# --- Retrieval -----------------------------------------------------------------------------------


def test_the_encoder_gives_the_similarities_that_its_authors_publish(encoder):
    said = ["That is a happy person", "That is a happy dog", "That is a very happy person"]
    person, *others = encoder.embed([*said, "Today is a sunny day"])
    published = [0.695, 0.943, 0.257]  # the model card's example
    assert np.allclose([person @ other for other in others], published, atol=0.0015)


@pytest.mark.parametrize("kind", ["words", "meaning"])
@pytest.mark.parametrize(
    ("query", "best"),
    [
        ("Mine 5 iron ores", "mineIronOre"),
        ("Cook 3 muttons", "cookMutton"),
        ("craft a pickaxe of wood", "craftWoodenPickaxe"),
    ],
)
def test_the_skill_that_fits_comes_first(encoder, kind, query, best):
    retriever = LexicalRetriever() if kind == "words" else EmbeddingRetriever("all", encoder.embed)
    assert retriever.rank(query, SKILLS)[0] == best


def test_meaning_finds_what_words_do_not(encoder):
    assert (
        EmbeddingRetriever("all", encoder.embed).rank("roast some meat", SKILLS)[0] == "cookMutton"
    )


@given(st.text(), st.dictionaries(st.text(max_size=20), st.text(), max_size=6))
def test_ranking_by_words_takes_any_text(query, texts):
    assert sorted(LexicalRetriever().rank(query, texts)) == sorted(texts)


# --- Skills as files -----------------------------------------------------------------------------


def test_a_skill_survives_its_file(tmp_path):
    library = SkillLibrary(LexicalRetriever(), tmp_path / "skills")
    skill = Skill("dig", "async function dig(bot) {\n  /* deep */\n}\n", "Digs.\nNeeds */ nothing.")
    library.add(skill)
    again = SkillLibrary(LexicalRetriever(), tmp_path / "skills")
    assert again.skills["dig"].code == skill.code
    assert again.skills["dig"].description == "Digs.\nNeeds * / nothing."
    assert again.sources() == {"dig": skill.code}


def test_voyagers_own_folders_load(tmp_path):
    (tmp_path / "skill" / "code").mkdir(parents=True)
    (tmp_path / "skill" / "description").mkdir()
    code = "async function mineThree(bot) {\n  await mineBlock(bot, 'iron_ore', 3);\n}"
    (tmp_path / "skill" / "code" / "mineThreeV2.js").write_text(code)
    (tmp_path / "skill" / "description" / "mineThreeV2.txt").write_text("Mines three iron ores.")
    library = SkillLibrary(LexicalRetriever())
    assert library.load(tmp_path) == 1
    assert library.skills["mineThree"] == Skill("mineThree", code + "\n", "Mines three iron ores.")


def test_what_is_no_skill_is_refused_with_its_name(tmp_path):
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
    (tmp_path / "long.js").write_text("//" + " " * 900_000)
    with pytest.raises(SkillError, match=r"long\.js: longer than 800,000 bytes"):
        read_skill(tmp_path / "long.js")
    (tmp_path / "binary.js").write_bytes(b"\xff\xfe")
    with pytest.raises(SkillError, match=r"binary\.js: it is not UTF-8"):
        read_skill(tmp_path / "binary.js")


# --- Tasks and progress --------------------------------------------------------------------------


def test_a_task_is_obtained_when_the_inventory_says_so():
    task = Task(name="logs", obtain={"*_log": 3, "stick": 1})
    assert task.is_obtained({"oak_log": 2, "birch_log": 1, "stick": 4})
    assert not task.is_obtained({"oak_log": 2, "stick": 4})


@pytest.mark.parametrize(
    "answer",
    [
        "no object",
        "{}",
        '{"task": "  ", "obtain": []}',
        '{"task": "dig", "obtain": ["dirt"]}',
        '{"task": "dig", "obtain": [{"name": "dirt", "count": 0}]}',
    ],
)
def test_a_proposal_that_is_none_is_an_error(answer):
    with pytest.raises(AnswerError):
        read_answer(Proposal, answer)


def test_a_proposal_is_a_task():
    assert Proposal(task=None, obtain=[]).value() is None
    obtain = '[{"name": "minecraft:*_log", "count": 1}]'
    found = read_answer(Proposal, f'{{"task": "Mine\\n1 log", "obtain": {obtain}}}')
    assert found.value() == Task(name="Mine 1 log", obtain={"*_log": 1})


def test_progress_survives_its_file_and_names_one_that_is_broken(tmp_path):
    progress = Progress(iterations=3, completed=["a"], current=Task(name="b", obtain={"c": 1}))
    progress.save(tmp_path / "p" / "progress.json")
    assert Progress.load(tmp_path / "p" / "progress.json") == progress
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(ValueError, match=r"broken\.json cannot be read"):
        Progress.load(tmp_path / "broken.json")


# --- The loop ------------------------------------------------------------------------------------


class Bench:
    """A body that holds what its programs print as ``hold:item``; records what it was given."""

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
    """A model that proposes ``tasks`` one after another and answers with ``programs`` in turn."""
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


def agent_of(model, body, folder):
    noted = []
    library = SkillLibrary(LexicalRetriever(), folder / "skills")
    setup = setup_of(model, body, noted, goal="to hold things")
    return VoyagerAgent(setup, library, folder / "progress.json"), noted


async def test_what_works_becomes_a_skill_and_what_fails_is_told(tmp_path):
    model, asked = mind(
        [proposal("Get a log", log=1), proposal("Sing")],
        [
            "async function tryIt(bot) { /* fails */ }",
            "async function getLog(bot) { /* hold:log */ }",
            "async function sing(bot) {}",
        ],
    )
    body = Bench()
    agent, noted = agent_of(model, body, tmp_path)
    await agent.live(max_iterations=10)
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


async def test_a_critic_cannot_talk_an_item_into_the_inventory(tmp_path):
    task = proposal("Get gold", gold_ingot=1)
    model, _ = mind([task], ["async function boast(bot) {}"] * ATTEMPTS)
    agent, _ = agent_of(model, Bench(), tmp_path)
    await agent.live(max_iterations=ATTEMPTS)
    assert agent.progress.failed == ["Get gold"]
    assert agent.library.skills == {}


async def test_a_run_that_was_cut_off_goes_on_with_its_task(tmp_path):
    task = proposal("Get a log", log=1)
    model, _ = mind([task], ["async function idle(bot) {}"] * 2)
    agent, _ = agent_of(model, Bench(), tmp_path)
    await agent.live(max_iterations=2)
    model, _ = mind([], ["async function getLog(bot) { /* hold:log */ }"])
    again, noted = agent_of(model, Bench(), tmp_path)
    await again.live(max_iterations=9)
    assert again.progress.completed == ["Get a log"]
    assert again.progress.iterations == 3
    assert noted[0][1]["task"] == "Get a log"


async def test_a_model_that_never_gives_a_task_or_program_ends_all_the_same(tmp_path):
    mute = ScriptedModel(lambda _: "I would rather not.")
    agent, noted = agent_of(mute, Bench(), tmp_path)
    await agent.live(max_iterations=3)
    assert agent.progress.iterations == 3
    assert len([kind for kind, _ in noted if kind is events.Log]) == 3


def test_the_prompts_show_what_there_is_to_know():
    progress = Progress(completed=["Mine 1 log"], failed=["Swim"], answers={"Q?": "A."})
    briefing = Briefing("Ada", "The floor is lava.", "1. Share all logs.")
    curriculum = Curriculum(ScriptedModel(lambda _: ""), briefing, "to climb", "1.20.4")
    system, situation = (m["content"] for m in curriculum.messages("You see trees.", progress))
    assert "to climb" in system
    for part in ("You see trees.", "- Mine 1 log", "- Swim", "Q? A."):
        assert part in situation
    writer = Writer(ScriptedModel(lambda _: ""), briefing, "1.20.4")
    skill = Skill("dig", "async function dig(bot) {}", "Digs.")
    task = Task(name="Dig", context="With hands.")
    system, situation = (
        m["content"] for m in writer.messages(task, "Trees.", [skill], "It broke.")
    )
    assert "The floor is lava.\n\nThe contract in force:\n> 1. Share all logs." in system
    assert "async function dig(bot)" in system
    for part in ("Task: Dig", "With hands.", "Trees.", "It broke."):
        assert part in situation


# --- As an agent kind ----------------------------------------------------------------------------


async def test_voyager_plays_whatever_it_is_briefed_on(tmp_path):
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


async def test_a_scripted_policy_is_one_task(tmp_path):
    def policy(request):
        assert isinstance(request.about, PolicyRequest)
        assert request.about.format == "code"
        return "```javascript\nasync function main(bot) { /* hold:log */ }\n```"

    body = Bench()
    await KINDS["voyager"].make(setup_of(ScriptedModel(step_by_step(policy)), body, [])).live()
    assert body.held == {"log": 1}
    assert len(body.programs) == 1


@pytest.mark.parametrize(
    ("last", "then"), [("", ["WAIT", "WAIT"]), ("REPEAT", ["GATHER 1 wood", "SIGNAL Bo"])]
)
def test_a_scripted_policy_is_answered_plan_by_plan(last, then):
    script = step_by_step(lambda _: program_answer(f"GATHER 1 wood\nSIGNAL Bo\n{last}"))

    def answer(*done):
        about = NextPlanRequest(Briefing("Ada", "", ""), "", done)
        return str(plan_of(script(ChatRequest([], "planner", "Ada", 0, 0, about)).plan, ()))

    done, put_in = DonePlan("x", "done"), DonePlan("WAIT", "done", is_asked=False)
    told = [(done,) * n for n in range(4)]
    assert [answer(*one) for one in told] == ["GATHER 1 wood", "SIGNAL Bo", *then]
    assert answer(put_in, done, put_in) == "SIGNAL Bo", "what nobody was asked for is no line of it"


# --- Scripted minds answer from values -----------------------------------------------------------


def test_a_scripted_curriculum_reads_no_prose():
    """Its messages may say anything: they are the same nonsense each time."""
    scenario = CraftingTree(tree="adasociety")
    script, briefing = scenario.script(0), Briefing("Ada", "x", "")
    nonsense = [{"role": "user", "content": "# Completed tasks\n- x\nTask: x"}]

    def answer(role, about):
        return script(ChatRequest(nonsense, role, "Ada", 0, 0, about))

    completed = ()
    while task := answer("curriculum", CurriculumRequest(briefing, "x", completed, ())).value():
        code = answer("action", TaskRequest(briefing, task, "x", (), ""))
        (made,) = task.obtain
        assert task.name.startswith("Obtain 1")
        assert f"await obtain(bot, '{task.name.split()[-1]}', 1)" in code
        assert made
        completed += (task.name,)
    assert len(completed) == 10
    for ended_well in (True, False):
        about = TaskCriticRequest(Task(name="x"), "x", "x", ended_well)
        assert answer("critic", about).success == ended_well
    assert "digIt" in answer("describe", DescribeRequest("digIt", "x")).description
    assert answer("questions", QuestionsRequest("x", "x")) == Questions(questions=[])
    other = step_by_step(lambda _: "")
    first = CurriculumRequest(briefing, "", (), ())
    assert other(ChatRequest(nonsense, "curriculum", "Ada", 0, 0, first)).task == TASK
