"""Voyager: curriculum, action, critic and skill library, for one agent or many in one world.

Source: Wang et al., "Voyager" (2023).
"""

from bots.voyager.agent import Body, VoyagerAgent
from bots.voyager.progress import Progress, Task
from bots.voyager.skills import Skill, SkillError, SkillLibrary

__all__ = ["Body", "Progress", "Skill", "SkillError", "SkillLibrary", "Task", "VoyagerAgent"]
