"""What each role of a contract game would be asked, for ``--show-prompts``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from voxpolis.bots.agents.code_writer import JAVASCRIPT, PolicyRequest, messages
from voxpolis.bots.agents.cooperation.wording import Moment
from voxpolis.bots.agents.critic import critic_messages
from voxpolis.bots.agents.person import BINDS, GO
from voxpolis.bots.agents.planner.plan_program import PlanFormat
from voxpolis.bots.agents.planner.player import NextPlanRequest
from voxpolis.bots.agents.planner.player import messages as next_plan_messages
from voxpolis.bots.agents.protocol import Briefing, PolicyFormat
from voxpolis.bots.models import Message
from voxpolis.bots.prompts import quoted
from voxpolis.experiments.loops.contract.cooperation import NOW
from voxpolis.experiments.loops.contract.scenario import WRITERS, ContractScenario, Situation, told
from voxpolis.experiments.loops.cooperation.acts import ActsPlace
from voxpolis.experiments.loops.cooperation.prompts import known_example, prompt_of, questions_of
from voxpolis.experiments.loops.curriculum.prompts import task_prompts
from voxpolis.experiments.people.people import HUMAN, question
from voxpolis.judge import Case, Contract, Outcome
from voxpolis.judge.contracts.compiling import compiler_messages
from voxpolis.judge.contracts.negotiation import Turn, negotiator_messages
from voxpolis.judge.contracts.settlement import judge_messages

# --- What stands in prompts for what is known only when the game is played ---------------------
SEEN = "(what the agent perceives when it is asked)"
HAPPENED = "(what the world recorded of the episode)"
PROGRAM = "(the program that ran)"
AGREED = "(the contract that the players negotiate)"
FEEDBACK = "(the last program, how it went, what happened, and what critic and judge say)"
REMEMBERED = "(earlier episodes: contract, program, what came of it, rewards, critic and judge)"
#: Of a kind that this file does not know.
OWN = "(what a kind of agent of your own asks a model is not known before it plays)"


@dataclass(frozen=True)
class Asked:
    """What prompts follow from: ``rounds`` is None where the contract is given."""

    scenario: ContractScenario
    contract: Contract
    world: str
    seed: int
    rounds: int | None
    compiled: bool


def contract_prompts(asked: Asked, kinds: Mapping[str, str], *, remembers: bool) -> str:
    """Return the prompts of every role, agent and stage.

    Args:
        asked: the game.
        kinds: each agent's kind, by name.
        remembers: whether agents are told of earlier episodes.
    """
    contract = asked.contract
    if asked.rounds is not None:
        contract = Contract(contract.name, AGREED)
    shown = []
    for agent, kind in kinds.items():
        text = _told(asked, agent, contract)
        briefing = Briefing(agent, text, contract.text)
        if kind == HUMAN and asked.world == "minecraft":
            shown.append(_titled("a person in chat", agent, _for_person(asked, agent, text)))
        elif asked.rounds is not None:
            shown.append(_titled("negotiator", agent, _negotiator(asked, agent)))
        shown += _of_kind(kind, asked, briefing, remembers)
        shown += _of_modules(asked, agent)
    if asked.compiled:
        prompt = _joined(compiler_messages(contract, asked.scenario.terms()))
        shown.append(_titled("compiler", None, prompt))
    if contract.text:
        shown.append(_titled("judge", None, _joined(judge_messages(_case(asked, contract)))))
    return "\n\n".join(shown)


def _told(asked: Asked, agent: str, contract: Contract) -> str:
    """Return what an agent is told of the game, and by its modules, as an example."""
    known = known_example(asked.scenario.cooperation())
    return told(asked.scenario, Situation(agent, asked.world, contract, asked.seed, known=known))


def _of_modules(asked: Asked, agent: str) -> Iterator[str]:
    """Yield what an agent's modules of cooperation ask, before its first episode."""
    scenario = asked.scenario
    cooperation = scenario.cooperation()
    if cooperation is None:
        return
    view = ActsPlace(scenario.agent_names, scenario.counted_acts, NOW).view(agent)
    world = scenario.briefing(Situation(agent, asked.world, asked.contract, asked.seed))
    seen = (view.place, view.observations, view.changes)
    moment = Moment(agent, "", world, *seen, known_example(cooperation), 1, 0)
    others = tuple(name for name in scenario.agent_names if name != agent)
    rules = (cooperation.modules, cooperation.lent, cooperation.law)
    for title, asks in questions_of(moment, others, *rules, ""):
        yield _titled(title, agent, prompt_of(asks))


def _negotiator(asked: Asked, agent: str) -> str:
    text = _told(asked, agent, asked.contract)
    return _joined(negotiator_messages(_first_turn(asked, agent, text)))


def _first_turn(asked: Asked, agent: str, told: str) -> Turn:
    assert asked.rounds is not None
    return Turn(agent, told, asked.scenario.terms(), (), asked.rounds)


def _for_person(asked: Asked, agent: str, briefing: str) -> str:
    """Return what a person is told before it plays, and asked where it negotiates."""
    parts = [briefing]
    if asked.rounds is not None:
        parts.append(question(_first_turn(asked, agent, briefing)))
    elif asked.contract.text:
        parts.append(f"{BINDS}\n{quoted(asked.contract.text)}")
    return "\n\n".join([*parts, GO])


def _of_kind(kind: str, asked: Asked, briefing: Briefing, remembers: bool) -> Iterator[str]:
    """Yield what a kind of agent asks a model."""
    agent, policy_format = briefing.agent, _format(asked)
    remembering = replace(briefing, memory=REMEMBERED)
    if kind == "planner":
        assert isinstance(policy_format, PlanFormat)
        request = NextPlanRequest(briefing, SEEN, ())
        yield _titled("planner", agent, _joined(next_plan_messages(request, policy_format)))
        return
    if kind == HUMAN:
        return
    if kind == "voyager":
        yield from task_prompts(briefing, "")
        return
    if kind not in WRITERS:
        yield _titled(kind, agent, OWN)
        return
    stages = [("", briefing, ""), (", after a failure", briefing, FEEDBACK)]
    stages += [(", later episodes", remembering, "")] if remembers else []
    for stage, situation, feedback in stages:
        policy_request = PolicyRequest(situation, policy_format.name, SEEN, feedback)
        asked_for = _joined(messages(policy_request, policy_format))
        yield _titled("action", f"{agent}{stage}", asked_for)
    asked_for = _joined(critic_messages(briefing, policy_format, PROGRAM, HAPPENED))
    yield _titled("critic", agent, asked_for)


def _case(asked: Asked, contract: Contract) -> Case:
    """Return a case in which nobody has done anything yet."""
    scenario = asked.scenario
    held = {agent: dict.fromkeys(scenario.counted, 0) for agent in scenario.agent_names}
    values = dict.fromkeys(scenario.agent_names, 0.0)
    return Case(
        contract,
        tuple(scenario.agent_names),
        Outcome(held),
        HAPPENED,
        None if scenario.may_owe else values,
        scenario.setting(),
        scenario.worth(),
        values,
    )


def _format(asked: Asked) -> PolicyFormat:
    if asked.world != "grid":
        return JAVASCRIPT
    from voxpolis.worlds.grid import GridArena  # noqa: PLC0415 - loads the grid's compiler

    scenario = asked.scenario
    return GridArena.format_of(scenario.layout(asked.seed), scenario.agent_names)


def _joined(asked: list[Message]) -> str:
    return "\n\n".join(message["content"] for message in asked)


def _titled(role: str, agent: str | None, text: str) -> str:
    who = f"{role}, {agent}" if agent else role
    return f"{f' {who} ':=^80}\n{text}"
