"""An experiment: repetitions of a scenario under one condition, judged and measured."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bots.action import ActionAgent, Briefing
from bots.critic import Assessment, assess
from bots.models import ChatModel
from bots.parsing import AnswerError
from bridge import BridgeError, RunResult, WorldError
from bridge.bridge import MINECRAFT_VERSION
from judge import (
    Case,
    Contract,
    JudgeKind,
    Settlement,
    gini,
    mean_and_sd,
    negotiate,
    settle,
    welfare,
)
from judge.negotiation import Move
from records import events
from scenarios import words
from scenarios.episode import EpisodeResult, play
from scenarios.live import LiveView
from scenarios.minds import ChosenMind
from scenarios.scenario import Scenario
from scenarios.world import FaultError, Stage
from server import RconError

#: A failed call is often the first sign of a fault whose own event is still on its way.
CAUSE_TIMEOUT_S = 2.0

#: What an agent does whose model gave no program.
NO_PROGRAM = "// The model gave no program.\n"


@dataclass(frozen=True)
class Condition:
    """What is held fixed over the repetitions.

    ``rounds`` is how many messages the players have to negotiate a contract of their own; None
    where ``contract`` is given.
    """

    contract: Contract
    rounds: int | None
    judge: JudgeKind
    mind: ChosenMind
    model: ChatModel
    seed: int
    runs: int


@dataclass(frozen=True)
class AgentOutcome:
    """What one agent got out of a run, in emeralds where not counts."""

    counts: dict[str, int]
    value: float
    transfer: float

    @property
    def reward(self) -> float:
        """Value and transfer together."""
        return self.value + self.transfer

    def as_json(self) -> dict[str, float]:
        """The columns of the result table."""
        return {
            **self.counts,
            "value": self.value,
            "transfer": self.transfer,
            "reward": self.reward,
        }


@dataclass(frozen=True)
class RunOutcome:
    """One repetition."""

    seed: int
    agents: dict[str, AgentOutcome]
    seconds: float
    attempts: int
    judged: str
    contract: Contract
    messages: int = 0
    judge_error: float | None = None
    faults: list[str] = field(default_factory=list)

    @property
    def rewards(self) -> list[float]:
        """All agents' rewards."""
        return [outcome.reward for outcome in self.agents.values()]

    def as_json(self) -> dict[str, Any]:
        """One entry of ``runs`` in the result object."""
        return {
            "seed": self.seed,
            "agents": {name: outcome.as_json() for name, outcome in self.agents.items()},
            "welfare": welfare(self.rewards),
            "gini": gini(self.rewards),
            "seconds": self.seconds,
            "attempts": self.attempts,
            "judged": self.judged,
            "judge_error": self.judge_error,
            "contract": self.contract.text,
            "messages": self.messages,
            "faults": self.faults,
        }


class Experiment:
    """Plays the repetitions one after another on a stage."""

    def __init__(
        self, scenario: Scenario, condition: Condition, stage: Stage, live: LiveView
    ) -> None:
        self.scenario = scenario
        self.condition = condition
        self.stage = stage
        self.live = live
        self._next_episode = 0
        self._contract = condition.contract
        self._messages = 0

    async def run(self, number: int) -> RunOutcome:
        """Play repetition ``number``: episodes until all policies run without an error.

        Raises:
            FaultError: a bot, the bridge or the server was lost.
            ModelError: the language model does not answer.
        """
        try:
            return await self._run(number)
        except (BridgeError, RconError, WorldError) as error:
            cause = await self.stage.fault_within(CAUSE_TIMEOUT_S)
            if cause is not None:
                raise FaultError(cause) from error
            where = "server" if isinstance(error, RconError | WorldError) else "bridge"
            self.stage.note(events.Fault, None, where=where, message=str(error))
            raise FaultError(str(error)) from error

    async def _run(self, number: int) -> RunOutcome:
        seed = self.condition.seed + number
        if self.condition.rounds is not None:
            await self._negotiate(number, seed, self.condition.rounds)
        minds = {name: self._mind(name) for name in self.scenario.agents}
        policies: dict[str, str] = {}
        feedback = dict.fromkeys(minds, "")
        for attempt in range(1, self.scenario.max_attempts + 1):
            self._begin(number, attempt, seed)
            await self.stage.reset(self.scenario.layout(), self.scenario.starts(seed))
            policies |= await self._write_policies(minds, set(minds) - set(policies), feedback)
            self.stage.note(events.EpisodeStarted, run=number, attempt=attempt, seed=seed)
            result = await play(self.scenario, self.stage, policies, seed, self.live.on_snapshot)
            self.stage.note(events.EpisodeEnded, reason=result.reason, seconds=result.seconds)
            settlement, outcome = await self._judge(seed, attempt, result)
            unsound = await self.stage.check_speed(result.seconds)
            if unsound is not None:
                self.live.say(f"warning: {unsound}")
                outcome.faults.append(unsound)
            failed = {name for name, program in result.programs.items() if _failed(program)}
            failed |= {name for name in policies if policies[name] == NO_PROGRAM}
            critiques = await self._criticise(minds, policies, result)
            if not failed:
                break
            for name in failed:
                critique, code = critiques[name].critique, policies.pop(name)
                feedback[name] = words.feedback(code, result.programs[name], critique, settlement)
        return outcome

    async def _negotiate(self, number: int, seed: int, rounds: int) -> None:
        """Let the players agree on a contract of their own; without one there is none."""
        self.stage.writer.episode = self._next_episode
        self.live.begin(number, self.condition.runs, 1, seed)
        self.live.say("the players negotiate")
        scenario = self.scenario
        briefings = {agent: scenario.briefing(agent) for agent in scenario.agents}
        negotiation = await negotiate(
            self.condition.model, briefings, scenario.terms(), rounds, self._note_move
        )
        self._messages = len(negotiation.moves)
        self._contract = negotiation.agreed or Contract("negotiated", "")
        note_contract(self.stage.note, self._contract)

    def _note_move(self, move: Move) -> None:
        if move.thought:
            self.stage.note(events.HiddenThought, move.player, text=move.thought)
        self.stage.note(
            events.NegotiationMessage,
            move.player,
            text=move.message,
            proposal=move.proposal.text if move.proposal else None,
            accepts=move.accepts,
        )

    def _mind(self, agent: str) -> ActionAgent:
        briefing = Briefing(
            agent, self.scenario.briefing(agent), self._contract.text, MINECRAFT_VERSION
        )
        return ActionAgent(briefing, self.condition.model)

    def _begin(self, number: int, attempt: int, seed: int) -> None:
        self.stage.writer.episode = self._next_episode
        self._next_episode += 1
        self.live.begin(number, self.condition.runs, attempt, seed)

    async def _write_policies(
        self, minds: dict[str, ActionAgent], missing: set[str], feedback: dict[str, str]
    ) -> dict[str, str]:
        """Have all agents that need a program write one, at the same time."""
        names = sorted(missing)
        self.live.say(f"{', '.join(names)} write{'s' if len(names) == 1 else ''} a program")
        written = await asyncio.gather(*(self._write(minds[n], feedback[n]) for n in names))
        return dict(zip(names, written, strict=True))

    async def _write(self, mind: ActionAgent, feedback: str) -> str:
        agent = mind.briefing.agent
        observation = words.observation(await self.stage.world.observe(agent))
        try:
            return await mind.write_policy(observation, feedback)
        except AnswerError as error:
            self.stage.note(
                events.CodeFailed,
                agent,
                status="error",
                message=str(error),
                line=None,
                column=None,
                source=None,
                seconds=0.0,
                logs=[],
            )
            return NO_PROGRAM

    async def _judge(
        self, seed: int, attempt: int, result: EpisodeResult
    ) -> tuple[Settlement, RunOutcome]:
        agents = self.scenario.agents
        model = self.condition.model if self.condition.mind.is_language_model else None
        told = words.outcome(result.inventories, self.stage.seen)
        case = Case(
            self._contract,
            agents,
            result.inventories,
            self.scenario.observed(result.inventories, self.stage.seen),
            told,
        )
        settlement = await settle(case, model, self.condition.judge)
        outcomes = {
            agent: AgentOutcome(
                counts=self.scenario.count(result.inventories[agent]),
                value=self.scenario.value(agent, result.inventories[agent]),
                transfer=settlement.transfers[agent],
            )
            for agent in agents
        }
        self._note_judgement(settlement, outcomes)
        run = RunOutcome(
            seed,
            outcomes,
            result.seconds,
            attempt,
            settlement.method,
            self._contract,
            self._messages,
            settlement.error,
        )
        return settlement, run

    def _note_judgement(self, settlement: Settlement, outcomes: dict[str, AgentOutcome]) -> None:
        self.stage.note(
            events.Judgement,
            method=settlement.method,
            transfers=dict(settlement.transfers),
            reasons=list(settlement.reasons),
            error=settlement.error,
        )
        for agent, outcome in outcomes.items():
            self.stage.note(events.Transfer, agent, amount=outcome.transfer)
            self.stage.note(
                events.Reward,
                agent,
                value=outcome.value,
                transfer=outcome.transfer,
                reward=outcome.reward,
            )

    async def _criticise(
        self, minds: dict[str, ActionAgent], policies: dict[str, str], result: EpisodeResult
    ) -> dict[str, Assessment]:
        async def one(agent: str) -> Assessment:
            told = words.outcome(result.inventories, self.stage.seen, result.programs[agent])
            return await assess(self.condition.model, minds[agent].briefing, policies[agent], told)

        found = await asyncio.gather(*(one(agent) for agent in minds))
        for agent, view in zip(minds, found, strict=True):
            self.stage.note(events.Critique, agent, success=view.success, text=view.critique)
        return dict(zip(minds, found, strict=True))


def note_contract(note: Callable[..., object], contract: Contract) -> None:
    """Record the contract in force."""
    clauses = [str(clause) for clause in contract.formal.clauses] if contract.formal else []
    note(events.ContractAgreed, name=contract.name, text=contract.text, clauses=clauses)


def _failed(program: RunResult) -> bool:
    return program.status in ("error", "killed")


def summary(
    scenario: Scenario,
    condition: Condition,
    run_dir: str,
    outcomes: Sequence[RunOutcome],
    error: str | None = None,
) -> dict[str, Any]:
    """The result object: ``result.json`` and what ``--json`` prints.

    With an error (the run was cut short) ``runs`` has the repetitions that were finished.
    """
    welfares = [welfare(outcome.rewards) for outcome in outcomes]
    ginis = [gini(outcome.rewards) for outcome in outcomes]
    spread = {
        name: mean_and_sd(values) if values else (None, None)
        for name, values in (("welfare", welfares), ("gini", ginis))
    }
    result = {
        "scenario": scenario.name,
        "world": "minecraft",
        "mind": condition.mind.kind,
        "contract": condition.contract.name,
        "seed": condition.seed,
        "run_dir": run_dir,
        "welfare_optimum": scenario.optimum,
        "runs": [outcome.as_json() for outcome in outcomes],
        "mean": {name: pair[0] for name, pair in spread.items()},
        "sd": {name: pair[1] for name, pair in spread.items()},
    }
    return result if error is None else {**result, "error": error}
