"""An experiment: repetitions of a scenario under one condition, judged and measured."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from bots.action import ActionAgent, Briefing
from bots.critic import Assessment, assess
from bots.models import ChatModel
from bots.parsing import AnswerError
from bridge import RunResult
from bridge.bridge import MINECRAFT_VERSION
from judge import (
    Case,
    Contract,
    JudgeKind,
    Settlement,
    mean_and_sd,
    negotiate,
    settle,
)
from judge.negotiation import Move
from records import events
from records.measures import gini, welfare
from scenarios import words
from scenarios.arena import outcome_of
from scenarios.episode import EpisodeResult
from scenarios.live import LiveView
from scenarios.minds import ChosenMind
from scenarios.scenario import Scenario
from scenarios.theatre import Theatre


@dataclass(frozen=True)
class Condition:
    """What is held fixed over the repetitions.

    ``rounds`` is how many messages the players have to negotiate a contract of their own; None
    where ``contract`` is given. ``compiled``: have clauses made of what they propose in words.
    ``episodes`` are played in each repetition; ``renegotiate`` before each of them, knowing what
    came of those before, instead of once. ``world``: where they are played.
    """

    contract: Contract
    rounds: int | None
    judge: JudgeKind
    mind: ChosenMind
    model: ChatModel
    seed: int
    runs: int
    compiled: bool = False
    episodes: int = 1
    renegotiate: bool = False
    world: Literal["minecraft", "grid"] = "minecraft"


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
    """One repetition, or one of its episodes, which count from 1."""

    seed: int
    episode: int
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
            "episode": self.episode,
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
        self, scenario: Scenario, condition: Condition, theatre: Theatre, live: LiveView
    ) -> None:
        self.scenario = scenario
        self.condition = condition
        self.theatre = theatre
        self.live = live
        self._next_episode = 0
        self._contract = condition.contract
        self._messages = 0
        self._past: list[str] = []

    async def run(self, number: int) -> AsyncIterator[RunOutcome]:
        """Play repetition ``number``: its episodes, each until all policies run without an error.

        Raises:
            FaultError: a bot, the bridge or the server was lost.
            ModelError: the language model does not answer.
        """
        self._past = []
        for episode in range(1, self.condition.episodes + 1):
            yield await self._play(number, episode)

    async def _play(self, number: int, episode: int) -> RunOutcome:
        seed = self.condition.seed + number
        if self.condition.rounds is not None and (episode == 1 or self.condition.renegotiate):
            await self._negotiate(number, seed, self.condition.rounds)
        minds = {name: self._mind(name) for name in self.scenario.agents}
        policies: dict[str, str] = {}
        feedback = dict.fromkeys(minds, "")
        for attempt in range(1, self.scenario.max_attempts + 1):
            self._begin(number, attempt, seed)
            await self.theatre.build(self.scenario, seed)
            policies |= await self._write_policies(minds, set(minds) - set(policies), feedback)
            self.theatre.note(events.EpisodeStarted, run=number, attempt=attempt, seed=seed)
            result = await self.theatre.play(self.scenario, policies, seed, self.live.on_snapshot)
            self.theatre.note(events.EpisodeEnded, reason=result.reason, seconds=result.seconds)
            seen = list(self.theatre.seen)
            settlement, outcome = await self._judge(seed, episode, attempt, result, seen)
            unsound = await self.theatre.check_speed(result.seconds)
            if unsound is not None:
                self.live.say(f"warning: {unsound}")
                outcome.faults.append(unsound)
            failed = {name for name, program in result.programs.items() if _failed(program)}
            nothing = self.theatre.language.nothing
            failed |= {name for name in policies if policies[name] == nothing}
            critiques = await self._criticise(minds, policies, result, seen)
            if not failed:
                break
            for name in failed:
                critique, code = critiques[name].critique, policies.pop(name)
                feedback[name] = words.feedback(code, result.programs[name], critique, settlement)
        self._past.append(self._told(outcome, words.outcome(result.inventories, seen)))
        return outcome

    def _told(self, outcome: RunOutcome, happened: str) -> str:
        """What came of an episode, for the next negotiation."""
        rewards = ", ".join(f"{name} {own.reward:g}" for name, own in outcome.agents.items())
        contract = self._contract.text or "There was none."
        return (
            f"Episode {outcome.episode}. The contract:\n{contract}\nWhat happened:\n{happened}\n"
            f"Emeralds in the end: {rewards}."
        )

    async def _negotiate(self, number: int, seed: int, rounds: int) -> None:
        """Let the players agree on a contract of their own; without one there is none."""
        self.theatre.begin(self._next_episode)
        self.live.begin(number, self.condition.runs, 1, seed)
        self.live.say("the players negotiate")
        scenario = self.scenario
        briefings = {agent: scenario.briefing(agent) for agent in scenario.agents}
        negotiation = await negotiate(
            self.condition.model,
            briefings,
            scenario.terms(),
            rounds,
            self._note_move,
            past="\n\n".join(self._past),
            compiled=self.condition.compiled,
        )
        self._messages = len(negotiation.moves)
        self._contract = negotiation.agreed or Contract("negotiated", "")
        note_contract(self.theatre.note, self._contract)

    def _note_move(self, move: Move) -> None:
        if move.thought:
            self.theatre.note(events.HiddenThought, move.player, text=move.thought)
        self.theatre.note(
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
        return ActionAgent(briefing, self.condition.model, self.theatre.language)

    def _begin(self, number: int, attempt: int, seed: int) -> None:
        self.theatre.begin(self._next_episode)
        self._next_episode += 1
        self.live.begin(number, self.condition.runs, attempt, seed)

    async def _write_policies(
        self, minds: dict[str, ActionAgent], missing: set[str], feedback: dict[str, str]
    ) -> dict[str, str]:
        """Have all agents that need a program write one, at the same time."""
        names = sorted(missing)
        self.live.say(f"{', '.join(names)} write{'s' if len(names) == 1 else ''} a program")
        perceived = {name: await self._perceive(name) for name in names}
        asked = (minds[name].write_policy(perceived[name], feedback[name]) for name in names)
        written = await asyncio.gather(*(_answer_or_error(answer) for answer in asked))
        return {
            name: self._program(name, answer) for name, answer in zip(names, written, strict=True)
        }

    async def _perceive(self, agent: str) -> str:
        text = await self.theatre.perceive(agent)
        self.theatre.note(events.Perceived, agent, text=text)
        return text

    def _program(self, agent: str, answer: str | AnswerError) -> str:
        """What was written, or the program that does nothing, with a note why."""
        if isinstance(answer, str):
            return answer
        self.theatre.note(
            events.CodeFailed,
            agent,
            status="error",
            message=str(answer),
            line=None,
            column=None,
            source=None,
            seconds=0.0,
            logs=[],
        )
        return self.theatre.language.nothing

    async def _judge(
        self,
        seed: int,
        episode: int,
        attempt: int,
        result: EpisodeResult,
        seen: Sequence[events.Event],
    ) -> tuple[Settlement, RunOutcome]:
        scenario, held = self.scenario, result.inventories
        model = self.condition.model if self.condition.mind.is_language_model else None
        values = {agent: scenario.value(agent, held[agent]) for agent in scenario.agents}
        counts = {agent: scenario.count(held[agent]) for agent in scenario.agents}
        case = Case(
            self._contract,
            scenario.agents,
            held,
            outcome_of(counts, seen, scenario.dug),
            words.outcome(held, seen),
            None if scenario.may_owe else values,
        )
        settlement = await settle(case, model, self.condition.judge)
        outcomes = {
            agent: AgentOutcome(counts[agent], values[agent], settlement.transfers[agent])
            for agent in scenario.agents
        }
        self._note_judgement(settlement, outcomes)
        run = RunOutcome(
            seed,
            episode,
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
        self.theatre.note(
            events.Judgement,
            method=settlement.method,
            transfers=dict(settlement.transfers),
            reasons=list(settlement.reasons),
            error=settlement.error,
        )
        for agent, outcome in outcomes.items():
            self.theatre.note(events.Transfer, agent, amount=outcome.transfer)
            self.theatre.note(
                events.Reward,
                agent,
                value=outcome.value,
                transfer=outcome.transfer,
                reward=outcome.reward,
            )

    async def _criticise(
        self,
        minds: dict[str, ActionAgent],
        policies: dict[str, str],
        result: EpisodeResult,
        seen: Sequence[events.Event],
    ) -> dict[str, Assessment]:
        async def one(agent: str) -> Assessment:
            told = words.outcome(result.inventories, seen, result.programs[agent])
            return await assess(self.condition.model, minds[agent].briefing, policies[agent], told)

        found = await asyncio.gather(*(one(agent) for agent in minds))
        for agent, view in zip(minds, found, strict=True):
            self.theatre.note(events.Critique, agent, success=view.success, text=view.critique)
        return dict(zip(minds, found, strict=True))


def note_contract(note: Callable[..., object], contract: Contract) -> None:
    """Record the contract in force."""
    clauses = [str(clause) for clause in contract.formal.clauses] if contract.formal else []
    note(events.ContractAgreed, name=contract.name, text=contract.text, clauses=clauses)


async def _answer_or_error(answer: Awaitable[str]) -> str | AnswerError:
    try:
        return await answer
    except AnswerError as error:
        return error


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
        "world": condition.world,
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
