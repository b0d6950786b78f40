"""What each role of a curriculum would be asked, for ``--show-prompts``."""

from __future__ import annotations

from bots.agents.code_writer import MINECRAFT_VERSION
from bots.agents.protocol import Briefing
from bots.agents.voyager import Progress, Task
from bots.agents.voyager.curriculum import Curriculum
from bots.agents.voyager.writing import Writer
from bots.models import Message, ScriptedModel
from experiments.curriculum_protocol import CurriculumScenario

# --- What stands for what is known only when it is played ---------------------------------------
SEEN = "(what the agent perceives when it is asked)"
TASK = Task(name="(the task that the curriculum proposed)", context="(questions and answers)")
NOBODY = ScriptedModel(lambda _: "")


def curriculum_prompts(scenario: CurriculumScenario, seed: int) -> str:
    """Return the prompts of the curriculum and of the action agent, for each agent."""
    shown = []
    for agent in scenario.agent_names:
        briefing = Briefing(agent, scenario.briefing(agent, seed), "")
        curriculum = Curriculum(NOBODY, briefing, scenario.goal(), MINECRAFT_VERSION)
        shown.append(_titled("curriculum", agent, curriculum.messages(SEEN, Progress())))
        asked = Writer(NOBODY, briefing, MINECRAFT_VERSION).messages(TASK, SEEN, (), "")
        shown.append(_titled("action", agent, asked))
    return "\n\n".join(shown)


def _titled(role: str, agent: str, messages: list[Message]) -> str:
    text = "\n\n".join(message["content"] for message in messages)
    return f"{f' {role}, {agent} ':=^80}\n{text}"
