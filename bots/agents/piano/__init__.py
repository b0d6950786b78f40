"""PIANO agents: many modules run concurrently on one shared state, and one controller decides.

Source of the architecture: Altera.AL, "Project Sid" (2024), which describes the architecture in
words only. A module is a function ``run(agent)``. Each module of an agent runs with its own period,
so that slow thoughts never delay reflexes. The modules of an agent are given as a mapping from
module names to periods in seconds; an experiment removes a module by leaving its name out. Every
agent can go to a place, visit an agent and rest. Scenarios add further actions
(:mod:`bots.agents.piano.actions`).
"""

# mypy: implicit-reexport
# ruff: noqa: F401

from voxpolis.bots.agents.piano.actions import (
    MOST_PIECES,
    NOTHING,
    PERCENT,
    PERSON,
    PLACE,
    ActionSet,
    ArgumentForm,
    Decide,
    Known,
    Verb,
    announcement,
)
from voxpolis.bots.agents.piano.agent import (
    DIGEST_CHARACTERS,
    Agent,
    Happened,
    Heard,
    Met,
    Notice,
    Sight,
)
from voxpolis.bots.agents.piano.body import NOTHING_NOTICED, Body, StandIn, Surroundings
from voxpolis.bots.agents.piano.digest import Digest, ago, digest
from voxpolis.bots.agents.piano.expectations import Ended, Forecast
from voxpolis.bots.agents.piano.memory_store import Memory
from voxpolis.bots.agents.piano.mind import Mind, Request
from voxpolis.bots.agents.piano.modules.action_awareness import AVOIDED, Avoided
from voxpolis.bots.agents.piano.modules.controller import DecideRequest
from voxpolis.bots.agents.piano.modules.goals import Goal, GoalRequest
from voxpolis.bots.agents.piano.modules.planning import Plan, PlanRequest
from voxpolis.bots.agents.piano.modules.self_reflection import Insight, Insights, ReflectRequest
from voxpolis.bots.agents.piano.modules.social_awareness import (
    Belief,
    Liking,
    Opinions,
    Profile,
    Profiles,
    ProfilesRequest,
    SocialRequest,
)
from voxpolis.bots.agents.piano.modules.talking import SILENT, Talk, TalkRequest
from voxpolis.bots.agents.piano.scripted import NO_INSIGHTS, NO_PROFILES, ScriptedPeople
from voxpolis.bots.agents.piano.society import (
    ABLATED,
    FULL,
    MODULES,
    Periods,
    Society,
    most_questions,
    run_once,
)
from voxpolis.bots.agents.piano.task import Action, Decision, Outcome, Standing, Task
