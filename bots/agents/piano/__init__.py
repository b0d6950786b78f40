"""PIANO agents: many modules at once over one shared state, and one controller that decides.

Source of the architecture: Altera.AL, "Project Sid" (2024), where it is described in words only. A
module is a file with one function ``run(agent)``; each of an agent's modules is a task of its own
with its own period, so that a slow thought never holds up a reflex. Which modules an agent has, and
how often they run, is a mapping from names to seconds: an ablation leaves names out. What agents
can do beside going, visiting and resting is a scenario's (:mod:`bots.agents.piano.actions`).
"""

from bots.agents.piano.actions import (
    NOTHING,
    PERSON,
    PLACE,
    SHARE,
    ActionSet,
    ArgumentForm,
    Verb,
    announcement,
)
from bots.agents.piano.agent import DIGEST_CHARACTERS, Agent, Happened, Heard, Met, Notice, Sight
from bots.agents.piano.body import NOTHING_NOTICED, Body, StandIn, Surroundings
from bots.agents.piano.digest import Digest, ago, digest
from bots.agents.piano.expecting import Ended, Forecast, is_nameable, read_forecast
from bots.agents.piano.memory_store import Memory
from bots.agents.piano.mind import Mind, Request
from bots.agents.piano.modules.action_awareness import AVOIDED, Avoided
from bots.agents.piano.modules.controller import DecideRequest
from bots.agents.piano.modules.goals import GoalRequest
from bots.agents.piano.modules.planning import PlanRequest
from bots.agents.piano.modules.self_reflection import Insight, ReflectRequest
from bots.agents.piano.modules.social_awareness import SocialRequest
from bots.agents.piano.modules.talking import TalkRequest
from bots.agents.piano.names import Known, things_meant, without_remark
from bots.agents.piano.said import TAGS
from bots.agents.piano.scripted import NOTHING_OF_NOTE, ScriptedPeople
from bots.agents.piano.society import (
    ABLATED,
    FULL,
    MODULES,
    Periods,
    Society,
    most_questions,
    run_once,
)
from bots.agents.piano.task import Action, Decision, Outcome, Standing, Task

__all__ = [
    "ABLATED",
    "AVOIDED",
    "DIGEST_CHARACTERS",
    "FULL",
    "MODULES",
    "NOTHING",
    "NOTHING_NOTICED",
    "NOTHING_OF_NOTE",
    "PERSON",
    "PLACE",
    "SHARE",
    "TAGS",
    "Action",
    "ActionSet",
    "Agent",
    "ArgumentForm",
    "Avoided",
    "Body",
    "DecideRequest",
    "Decision",
    "Digest",
    "Ended",
    "Forecast",
    "GoalRequest",
    "Happened",
    "Heard",
    "Insight",
    "Known",
    "Memory",
    "Met",
    "Mind",
    "Notice",
    "Outcome",
    "Periods",
    "PlanRequest",
    "ReflectRequest",
    "Request",
    "ScriptedPeople",
    "Sight",
    "SocialRequest",
    "Society",
    "StandIn",
    "Standing",
    "Surroundings",
    "TalkRequest",
    "Task",
    "Verb",
    "ago",
    "announcement",
    "digest",
    "is_nameable",
    "most_questions",
    "read_forecast",
    "run_once",
    "things_meant",
    "without_remark",
]
