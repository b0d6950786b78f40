"""Invented situations in which each role can be asked with each of its prompts.

The code that asks is the same as in a run. Prompts and parsers are those of the agents and
institutions; only the situations are invented here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Protocol, runtime_checkable

from voxpolis.bots.agents.code_writer import JAVASCRIPT, PolicyRequest, assess, messages
from voxpolis.bots.agents.cooperation.knowledge import Finding, Known
from voxpolis.bots.agents.cooperation.requests import (
    CheckRequest,
    Claim,
    InduceRequest,
    Language,
    Moment,
    PredictRequest,
    RateRequest,
    ReplyRequest,
    SpeakRequest,
    WeighRequest,
    Words,
)
from voxpolis.bots.agents.cooperation.requests import Terms as AgreedTerms
from voxpolis.bots.agents.generative import Persona, Situation
from voxpolis.bots.agents.generative.prompts import (
    Act,
    Insights,
    Plan,
    Questions,
    React,
    TurnAnswer,
    messages_of,
    narrow_of,
)
from voxpolis.bots.agents.piano.actions import ActionSet
from voxpolis.bots.agents.piano.agent import Agent, Heard
from voxpolis.bots.agents.piano.body import StandIn
from voxpolis.bots.agents.piano.mind import Mind
from voxpolis.bots.agents.piano.society import run_once
from voxpolis.bots.agents.planner.plans import NextPlan, next_plan
from voxpolis.bots.agents.planner.player import NextPlanRequest
from voxpolis.bots.agents.planner.player import messages as next_plan_messages
from voxpolis.bots.agents.protocol import NOT_RUN, Briefing, PolicyFormat
from voxpolis.bots.agents.turns import Perception
from voxpolis.bots.agents.voyager.progress import Progress
from voxpolis.bots.agents.voyager.prompts import (
    answer_question,
    ask_questions,
    describe_program,
    propose_task,
)
from voxpolis.bots.asking import Request, ask
from voxpolis.bots.asking import ask as ask_typed
from voxpolis.bots.models import Answer, ChatModel, Message, ScriptedModel
from voxpolis.bots.models.typed import integer
from voxpolis.bots.time import RealTime
from voxpolis.experiments.loops.choices import Line
from voxpolis.experiments.loops.cooperation.cooperation import MODULES
from voxpolis.experiments.loops.society.scenario import SocietyScenario
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.options import RunOptions
from voxpolis.experiments.study.record_reading import ask as ask_of_record
from voxpolis.judge import Case, Contract
from voxpolis.judge.contracts.compiling import compile_contract
from voxpolis.judge.contracts.contract import Outcome, Terms
from voxpolis.judge.contracts.negotiation import negotiate
from voxpolis.judge.contracts.settlement import settle
from voxpolis.judge.deeds.account import CooperationRules
from voxpolis.judge.deeds.commitments import read_terms, term_types
from voxpolis.judge.law.assembly import ProposalRequest, Voter, VoteRequest
from voxpolis.judge.law.constitution import Amendment, Constitution
from voxpolis.judge.law.penalties import first_constitution
from voxpolis.records import Clock
from voxpolis.worlds.adasociety.plan_program import plan_format
from voxpolis.worlds.adasociety.situation import (
    Good,
    JobView,
    PlanSituation,
    Play,
    Recipe,
    Sighting,
    Society,
    Surroundings,
)
from voxpolis.worlds.adasociety.situation_text import plan_messages, vocabulary
from voxpolis.worlds.commons.accounts import BY_TREES
from voxpolis.worlds.commons.actions import Explore, GoTo, Immobilize, Stay

# Asks one role's questions to an agent; returns whether the answers were eventually usable.
Probe = Callable[[ChatModel, str], Awaitable[bool]]

OTHER = "Glitch"
GOAL = "Get wood, then stone, then iron."
SEEN = (
    "You are at (0, 64, 0). You hold a stone_pickaxe and nothing else. Near you are: iron_ore at "
    f"(4, 64, 1), oak_log at (-3, 64, 2), a crafting_table at (1, 64, 0), {OTHER} at (2, 64, 2)."
)
SEEN_ON_GRID = "You are at (2, 3), wood is at (4, 4)."
TOLD = "You stand on a platform with ore. What you hold in the end is yours: raw iron is worth 1."
PROGRAM = "async function mineIron(bot) {\n  await mineBlock(bot, 'iron_ore', 1);\n}\n"
HAPPENED = (
    f"Gizmo dug 6 iron ore and holds 6 raw iron. {OTHER} dug 4 diamond ore and holds 4 diamonds."
)
AGREEMENT = f"1. For each raw iron that Gizmo holds at the end Gizmo pays {OTHER} 2 emeralds."
ITEMS = {"iron": 12, "diamond": 12}
RESOURCES = ("wood", "stone", "hammer")


def _briefing(agent: str) -> Briefing:
    return Briefing(agent, TOLD, "")


async def _write(
    model: ChatModel, agent: str, policy_format: PolicyFormat, briefing: Briefing, seen: str
) -> bool:
    request = PolicyRequest(briefing, policy_format.name, seen, "")
    asked = messages(request, policy_format)
    await policy_format.policy.ask(
        model, asked, role="action", agent=agent, temperature=0.1, about=request
    )
    return True


async def _action(model: ChatModel, agent: str) -> bool:
    return await _write(model, agent, JAVASCRIPT, _briefing(agent), SEEN)


async def _action_on_the_grid(model: ChatModel, agent: str) -> bool:
    told = Briefing(agent, "Wood is worth 1 emerald. What you hold in the end is yours.", "")
    return await _write(model, agent, plan_format(RESOURCES, (agent, OTHER)), told, SEEN_ON_GRID)


def _game_of_the_grid(agent: str) -> PlanSituation:
    worth = {"wood": 1.0, "stone": 1.0, "hammer": 5.0}
    job = JobView(worth, {"hammer": 1}, ["hammer"])
    return PlanSituation(
        number=0,
        agents=2,
        job="carpenter",
        size=(15, 15),
        sight=3,
        goods={name: Good(value, (), ()) for name, value in worth.items()},
        recipes=(Recipe("hammercraft", "hammer", {"wood": 1, "stone": 1}, ()),),
        room={"hammer": 1},
        step=5,
        length=100,
        place=(2, 3),
        held={"stone": 1},
        groups={},
        around=Surroundings((), {"wood": Sighting(2, 1, (4, 4), 3)}, {}, {1: (2, 5)}, 150, {1: 2}),
        last=None,
        outcome="",
        has_chests=False,
        choice=Play(),
        society=Society((agent, OTHER), ("carpenter", "carpenter"), {"carpenter": job}),
        play=Play(),
    )


async def _planner_of_a_game(model: ChatModel, agent: str) -> bool:
    situation = _game_of_the_grid(agent)
    await ask_typed(
        model,
        plan_messages(situation),
        NextPlan,
        role="planner",
        agent=agent,
        temperature=0.1,
        about=situation,
        narrow=lambda: next_plan(vocabulary(situation)),
    )
    return True


async def _planner(model: ChatModel, agent: str) -> bool:
    request = NextPlanRequest(_briefing(agent), SEEN_ON_GRID, ())
    known = plan_format(RESOURCES, (agent, OTHER))
    asked = next_plan_messages(request, known)
    await known.step.ask(model, asked, role="planner", agent=agent, temperature=0.1, about=request)
    return True


async def _critic(model: ChatModel, agent: str) -> bool:
    view = await assess(model, _briefing(agent), JAVASCRIPT, PROGRAM, HAPPENED, NOT_RUN)
    return view.success or bool(view.critique)


async def _judge(model: ChatModel, agent: str) -> bool:
    players = (agent, OTHER)
    contract = Contract("probe", AGREEMENT.replace("Gizmo", agent))
    text = HAPPENED.replace("Gizmo", agent)
    case = Case(contract, players, Outcome(held={agent: {"iron": 6}, OTHER: {}}), text)
    return (await settle(case, model, "model")).method == "model"


async def _negotiator(model: ChatModel, agent: str) -> bool:
    briefings = {agent: TOLD, OTHER: TOLD}
    terms = Terms((agent, OTHER), ITEMS)
    found = await negotiate(model, briefings, terms, 1, lambda _: None)
    return bool(found.moves[0].proposal or found.moves[0].thought or found.moves[0].message)


async def _compiler(model: ChatModel, agent: str) -> bool:
    contract = Contract("probe", AGREEMENT.replace("Gizmo", agent))
    found = await compile_contract(model, contract, Terms((agent, OTHER), ITEMS))
    return found.is_exact


async def _curriculum(model: ChatModel, agent: str) -> bool:
    return await propose_task(model, _briefing(agent), GOAL, SEEN, Progress()) is not None


async def _questions(model: ChatModel, agent: str) -> bool:
    await ask_questions(model, agent, "Mine 3 oak_log", SEEN)
    return True


async def _answer(model: ChatModel, agent: str) -> bool:
    return bool(await answer_question(model, agent, "What is wood?"))


async def _describe(model: ChatModel, agent: str) -> bool:
    skill = await describe_program(model, agent, PROGRAM)
    return bool(skill.description.strip())


# --- Societies -----------------------------------------------------------------------------------


def _villager(model: ChatModel, name: str) -> Agent:
    def note(_kind: object, **_fields: object) -> None:
        """Record nothing."""

    time = RealTime(Clock())
    agent = Agent(
        name=name,
        traits="You like company, and you are careful with what you own.",
        index=0,
        body=StandIn("the square", ("Ben",), {"wheat": 12}),
        time=time,
        mind=Mind(model, name, 0, time, note, thinking_s=0.0, timeout_s=None),
        actions=ActionSet(),
        note=note,
        places=("the square", "the field"),
    )
    agent.unjudged.append(Heard(0.0, "Ben", "Taxes are far too high, do you not think so?"))
    agent.goal = "Be a good friend to Ben."
    for text in ("I worked in the field.", "I sold wheat.", "Ben greeted me."):
        agent.memory.add(0.0, text, 0.5)
    return agent


def _module(name: str, *, keeps_profiles: bool = False) -> Probe:
    async def ask(model: ChatModel, agent: str) -> bool:
        villager = _villager(model, agent)
        if keeps_profiles:
            villager.profiles = {"Ben": "A farmer, on the field all day."}
            villager.unjudged_deeds["Ben"] = "HARVEST"
        await run_once(name, villager)
        return villager.mind.answers.total() > 0

    return ask


@runtime_checkable
class _Readable(Protocol):
    """A question that can parse its own answer.

    A question with the attribute ``of_record`` is about the record of a run, and belongs to no
    agent.
    """

    role: ClassVar[str]

    @property
    def answer(self) -> type[Answer]: ...

    def messages(self) -> list[Message]: ...

    def read(self, answer: Any) -> object: ...


def _institutions() -> Iterator[tuple[str, Probe]]:
    """Yield the questions of the institutions of all societies, with their roles.

    Raises:
        TypeError: a question cannot parse its answer.
    """
    for experiment in registry.scenarios():
        if not issubclass(experiment, SocietyScenario):
            continue
        scenario = experiment.prepare(RunOptions(), experiment.settings(), "grid")
        for request in scenario.requests(_villager(ScriptedModel(lambda _: ""), "Ada")):
            if not isinstance(request, _Readable):
                raise TypeError(f"{type(request).__name__} lacks a method read")
            yield request.role, _institution(request)


def _institution(request: Any) -> Probe:
    async def ask(model: ChatModel, agent: str) -> bool:
        if getattr(request, "of_record", False):  # such a question has no agent
            return await ask_of_record(model, request) is not None
        return await _villager(model, agent).mind.ask(request, request.read) is not None

    return ask


def probes() -> Iterator[tuple[str, Probe]]:
    """Yield a pair for each probe: the role that it tests, and the probe.

    If a probe asks questions of several roles, the pair names the role of the first question. A
    role with several prompts has several probes.
    """
    yield from _of_each_role().items()
    yield "action", _action_on_the_grid
    yield "planner", _planner_of_a_game
    yield "goal", _module("goals", keeps_profiles=True)
    yield "social", _module("social_awareness", keeps_profiles=True)
    yield from turn_probes()


def _of_each_role() -> dict[str, Probe]:
    return {
        "action": _action,
        "critic": _critic,
        "judge": _judge,
        "negotiator": _negotiator,
        "compiler": _compiler,
        "planner": _planner,
        "curriculum": _curriculum,
        "questions": _questions,
        "answer": _answer,
        "describe": _describe,
        "decide": _module("controller"),
        "talk": _module("talking"),
        "social": _module("social_awareness"),
        "goal": _module("goals"),
        "plan": _module("planning"),
        "reflect": _module("self_reflection"),
        "choose": _choose(Pick, "You have 10 tokens. How many do you give to the other?"),
        "say": _choose(Line, "You are five fishers at a lake that grows again. What do you say?"),
        **dict(_institutions()),
    }


class Pick(Answer):
    """How much you give."""

    tokens: integer(0, 10)  # type: ignore[valid-type]


def _choose(answer: type[Answer], moment: str) -> Probe:
    async def probe(model: ChatModel, agent: str) -> bool:
        how: Any = {
            "role": "say" if answer is Line else "choose",
            "agent": agent,
            "temperature": 0.0,
        }
        return bool(await ask_typed(model, [{"role": "user", "content": moment}], answer, **how))

    return probe


# Placeholder for what other agents say.
MESSAGE, ANSWER, WORDS_OF_TERMS = "(what it says)", "(what it answers)", "(terms)"
HYPOTHESIS, AMENDMENT = "(a hypothesis of its own)", "(an amendment)"


def questions_of(
    moment: Moment,
    others: Sequence[str],
    modules: Sequence[str],
    lent: CooperationRules,
    law: Constitution,
    plan: str,
) -> Iterator[tuple[str, Request[object]]]:
    """Yield all questions that ``modules`` ask an agent, with the role and the name of the prompt.

    Args:
        moment: the situation of the agent.
        others: the other agents.
        modules: see :data:`experiments.loops.cooperation.cooperation.MODULES`.
        lent: the claims and deeds that can be named in the world.
        law: the constitution.
        plan: the agent's plan.
    """
    other, names = others[0], (moment.name, *others)
    account = lent.account

    def terms(said: Sequence[Any], words: str, parties: tuple[str, str]) -> AgreedTerms:
        found = read_terms(account, said, parties, (), moment.round)
        return AgreedTerms("; ".join([*found.forms, words]), words, tuple(found.forms), found)

    language = Language(
        names,
        lent.claims.forms,
        account.promises,
        partial(lent.claims.types, names),
        lent.claims.read,
        partial(term_types, account.forms, names, ()),
        terms,
    )
    claim = Claim(str(lent.example), lent.example)
    if "understanding" in modules:
        yield "induce", InduceRequest(moment, moment.changes, language)
        yield "predict", PredictRequest(moment, plan, 5, language)
        yield "check", CheckRequest(moment, moment.changes, (Finding(HYPOTHESIS),))
    if "communication" in modules:
        yield "speak", SpeakRequest(moment, tuple(others), language)
        asked = Words("ask", moment.name, MESSAGE, claims=(claim,))
        yield "reply", ReplyRequest(moment, other, asked, language)
        offered = Words("offer", moment.name, MESSAGE, terms=AgreedTerms(WORDS_OF_TERMS))
        yield "reply, to an offer", ReplyRequest(moment, other, offered, language)
        yield "weigh", WeighRequest(moment, other, MESSAGE, ANSWER, (claim,))
    if "constitution" in modules:
        voter = Voter(moment.name, moment.character, moment.world, "")
        yield "amendments", ProposalRequest(voter, law)
        raised = Amendment(1, AMENDMENT, {account.offence.number: 5.0})
        yield "ballot", VoteRequest(voter, law, (raised,))
    if "reputation" in modules:
        deeds = dict.fromkeys(others, ("took 3 apples", "attacked others 1 times"))
        yield "rate", RateRequest(moment.name, deeds, dict.fromkeys(others, (0, 0)))


# --- Canned turns: prompt and answer of each role of generative agents and modules ----------------

WORLD = "Apples grow again where others are near. A tree without an apple is dead for ever."
SEEN_IN_TURN = (
    "There is an apple at [3, 4]. It belongs to tree 1.",
    "There is grass at [3, 5]. It belongs to tree 1.",
    "Pedro is at [6, 4].",
)
ASKED_ITSELF = ("Who takes last apples?", "Where do apples grow?", "Whom can I rely on?")
PERCEPTION = Perception(
    turn=7,
    hour=12,
    clock="2023-11-19 12:00",
    cell=(5, 4),
    heading="north",
    is_playing=True,
    reward=1.0,
    last_action="go to position (5, 4)",
    last_outcome="You are there.",
    observations=SEEN_IN_TURN,
    changes=("At 2023-11-19 11:00 Pedro took an apple from [3, 5].",),
    actions=(Immobilize("Pedro", (6, 4)), GoTo((3, 4)), Stay(), Explore((1, 4))),
    area=432,
)


def turn_probes() -> Iterator[tuple[str, Callable[[ChatModel, str], Awaitable[bool]]]]:
    """Yield probes for each prompt of a generative agent, with their roles."""
    for kind in (React, Plan, Questions, Insights, Act):
        yield kind.role, _probe(kind)
    for title in _turn_questions("Gizmo"):
        yield title.partition(",")[0], _module_probe(title)


def _turn_questions(agent: str) -> dict[str, Request[object]]:
    moment = Moment(
        agent, "", WORLD, "You are at [5, 4].", SEEN_IN_TURN, SEEN_IN_TURN, Known(), 4, 12
    )
    law = first_constitution(BY_TREES.account, 3, 1, 3)
    rules = (MODULES, BY_TREES, law)
    return dict(questions_of(moment, ("Pedro", "Laura"), *rules, "I leave the last apple."))


def _module_probe(title: str) -> Callable[[ChatModel, str], Awaitable[bool]]:
    async def probe(model: ChatModel, agent: str) -> bool:
        question: Any = _turn_questions(agent)[title]
        own: Any = {"role": question.role, "agent": agent, "temperature": 0.1}
        typed: Any = {"narrow": question.narrow, "read": question.value, "about": question}
        await ask(model, question.messages(), question.answer, **own, **typed)
        return True

    return probe


def _probe(kind: type[TurnAnswer]) -> Callable[[ChatModel, str], Awaitable[bool]]:
    async def probe(model: ChatModel, agent: str) -> bool:
        situation = Situation(Persona(agent, "", WORLD), PERCEPTION, recent=SEEN_IN_TURN)
        if kind in (React, Act):
            situation = replace(situation, goals="Apples.", plan="I leave the last of each tree.")
        if kind is Insights:
            situation = replace(situation, questions=dict.fromkeys(ASKED_ITSELF, SEEN_IN_TURN))
        await ask(
            model,
            messages_of(kind, situation),
            kind,
            role=kind.role,
            agent=agent,
            temperature=0.1,
            about=situation,
            narrow=partial(narrow_of, kind, situation),
        )
        return True

    return probe
