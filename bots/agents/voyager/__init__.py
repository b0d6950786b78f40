"""Voyager: curriculum, action, critic and skill library, for one agent or many in one world.

Source: Wang et al., "Voyager" (2023).
"""

from voxpolis.bots.agents.voyager.agent import VoyagerAgent
from voxpolis.bots.agents.voyager.progress import Progress, Task
from voxpolis.bots.agents.voyager.skills import Skill, SkillError, SkillLibrary

__all__ = ["Progress", "Skill", "SkillError", "SkillLibrary", "Task", "VoyagerAgent"]
