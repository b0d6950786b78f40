"""What each role of a curriculum would be asked, for ``--show-prompts``."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping

from voxpolis.bots.agents.code_writer import MINECRAFT_VERSION
from voxpolis.bots.agents.critic import Assessment
from voxpolis.bots.agents.protocol import Briefing
from voxpolis.bots.agents.voyager import Progress
from voxpolis.bots.agents.voyager.agent import goal_of
from voxpolis.bots.agents.voyager.curriculum import Curriculum
from voxpolis.bots.agents.voyager.requests import Described, Known, Proposal, Questions
from voxpolis.bots.agents.voyager.writing import Writer
from voxpolis.bots.models import Answer, ChatRequest, ScriptedModel
from voxpolis.bridge.protocol import Primitives
from voxpolis.experiments.loops.curriculum.scenario import CurriculumScenario

# --- What stands for what is known only when it is played ---------------------------------------
SEEN = "(what the agent perceives when it is asked)"
HAPPENED = "(how the program went)"
FEEDBACK = "(the last program, how it went, and what the critic says)"
CODE = "async function theProgram(bot) {}\n"
ANSWERS: Mapping[str, Answer | str] = {
    "curriculum": Proposal(task="(the task that the curriculum proposed)", obtain=[]),
    "questions": Questions(questions=["(a question about the task)"]),
    "answer": Known(answer="(its answer)"),
    "action": f"```javascript\n{CODE}```",
    "critic": Assessment(success=True, critique=""),
    "describe": Described(description="(what the program does)"),
}


#: What agents are told of primitives in Voyager's manner.
VOYAGERS_MANNER = (
    "Here `mineBlock`, `craftItem`, `smeltItem`, `placeItem`, `killMob` and those of chests do not "
    "fail where they cannot do what they are asked: they do as much as they can, say in chat what "
    "they could not do, and your program goes on. So look at what you hold before you rely on it. "
    "One that fails more than ten times ends the program. Crafting tables and furnaces that "
    "a program placed are taken back into the inventory after it, where they are near."
)


def briefing_of(
    scenario: CurriculumScenario, agent: str, seed: int, primitives: Primitives
) -> Briefing:
    """Return what an agent is told of its world."""
    text = scenario.briefing(agent, seed)
    return Briefing(agent, f"{text}\n\n{VOYAGERS_MANNER}" if primitives == "voyager" else text, "")


def curriculum_prompts(
    scenario: CurriculumScenario, seed: int, primitives: Primitives = "strict"
) -> str:
    """Return the prompts of every role of each agent's curriculum."""
    briefings = {
        agent: briefing_of(scenario, agent, seed, primitives) for agent in scenario.agent_names
    }
    goal = scenario.goal()
    shown = (text for own in briefings.values() for text in task_prompts(own, goal))
    return "\n\n".join(shown)


def task_prompts(briefing: Briefing, goal: str) -> Iterator[str]:
    """Yield what an agent that sets itself tasks asks on the way through one of them.

    ``goal``: what it strives for; empty: what its briefing says.
    """
    asked: list[ChatRequest] = []

    def answer(request: ChatRequest) -> Answer | str:
        asked.append(request)
        return ANSWERS[request.role]

    model = ScriptedModel(answer)
    curriculum = Curriculum(model, briefing, goal or goal_of(briefing), MINECRAFT_VERSION)
    asyncio.run(_one_task(curriculum, Writer(model, briefing, MINECRAFT_VERSION)))
    for request in asked:
        text = "\n\n".join(message["content"] for message in request.messages)
        yield f"{f' {request.role}, {briefing.agent} ':=^80}\n{text}"


async def _one_task(curriculum: Curriculum, writer: Writer) -> None:
    """Ask all that is asked about a task whose first program fails."""
    task = await curriculum.propose(SEEN, Progress())
    assert task is not None
    for feedback in ("", FEEDBACK):
        await writer.program(task, SEEN, (), feedback)
    await writer.assess(task, SEEN, HAPPENED, ended_well=True)
    await writer.describe(CODE)
