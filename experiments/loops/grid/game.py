"""The loop of grid games. In each step all agents choose an action, and then the game takes the
step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from voxpolis.bots.asking import all_answered
from voxpolis.bots.models import AccountedModel
from voxpolis.experiments.run.agents import MINDLESS, RANDOM, kind_of
from voxpolis.grid.adasociety.game import Game, Rules
from voxpolis.grid.adasociety.metrics import (
    completion_rates,
    degrees,
    fairness,
    share_ratio,
    split_ratio,
)
from voxpolis.grid.adasociety.oracle import Optimum
from voxpolis.grid.adasociety.tables import STAY
from voxpolis.grid.adasociety.vector import VectorGame, social_graph
from voxpolis.grid.trained import TRAINED, TrainedPlayers
from voxpolis.records import RunWriter, events
from voxpolis.records.reader import PERSON
from voxpolis.worlds.adasociety.belief_map import Shown
from voxpolis.worlds.adasociety.execution import PlanExecution
from voxpolis.worlds.adasociety.players import PLANS_A_STEP, PlanningAgent, StepPlayer
from voxpolis.worlds.adasociety.situation import (
    BargainTurn,
    Society,
    Words,
    job_views,
    society_of,
    turns_of,
)
from voxpolis.worlds.grid_stage import Stage, standing

# Observation after one step; the first index is the agent: see
# :class:`grid.adasociety.vector.VectorGame`.
Observed = Mapping[str, npt.NDArray[np.generic]]
Actions = npt.NDArray[np.int64]
Masks = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class GridGame:
    """A grid game with its players.

    Attributes:
        rules: the resources, events and jobs of the game.
        game: the map and the players. A step is one second.
        agents: names of the agents, by their index in the game.
        best: maximum total reward of all agents.
    """

    rules: Rules
    game: Game
    agents: tuple[str, ...]
    best: Optimum


@dataclass(frozen=True)
class FirstHeld:
    """The time in seconds at which an agent first held a resource, and the number of the agent's
    plan at that time.
    """

    seconds: float
    iteration: int


@dataclass
class AgentAccount:
    """The results of one agent in an episode.

    Attributes:
        job: the agent's job.
        reward: total reward.
        items: resource → units at the end.
        firsts: when the agent first held each resource.
        plans_done: the plans that were completed. ``plans_failed`` contains those that failed.
        failed_answers: number of answers of the agent's model that could not be used.
    """

    job: str
    reward: float = 0.0
    items: Mapping[str, int] = field(default_factory=dict)
    firsts: dict[str, FirstHeld] = field(default_factory=dict)
    plans_done: list[str] = field(default_factory=list)
    plans_failed: list[str] = field(default_factory=list)
    failed_answers: int = 0

    @property
    def iterations(self) -> int:
        """The number of plans that have ended."""
        return len(self.plans_done) + len(self.plans_failed)


@dataclass(frozen=True)
class GridOutcome:
    """The outcome of an episode.

    Attributes:
        seed: seed of the episode.
        seconds: duration.
        agents: results by agent.
        acted: agents that made a usable plan or acted at random.
        best: maximum total reward of all agents.
        executed: how often each event of the rules (such as crafting) was carried out.
        degrees: degrees of agents and groups in the social graph.
        weights: each agent's share of its group's earnings, in games with negotiation.
    """

    seed: int
    seconds: float
    agents: Mapping[str, AgentAccount]
    acted: Sequence[str]
    best: Optimum
    executed: Mapping[str, int]
    degrees: Mapping[str, float]
    weights: Sequence[float] = ()

    @property
    def rewards(self) -> list[float]:
        """The rewards of the agents, in order."""
        return [account.reward for account in self.agents.values()]

    def measures(self) -> dict[str, object]:
        """Return AdaSociety's measures as fields of a result."""
        jobs = [account.job for account in self.agents.values()]
        return {
            "reward": sum(self.rewards),
            "normalised": sum(self.rewards) / self.best.welfare,
            "fairness": fairness(self.rewards),
            "completion": completion_rates(self.executed, self.best.executions),
            "degrees": dict(self.degrees),
            "share_ratio": share_ratio(self.rewards, jobs),
            "split_ratio": split_ratio(self.weights, jobs) if self.weights else None,
        }


class GridGameRun:
    """Plays episodes of a grid game and records them."""

    def __init__(
        self,
        played: GridGame,
        kinds: Mapping[str, str],
        model: AccountedModel,
        writer: RunWriter,
        stage: Stage,
    ) -> None:
        """Prepare the game.

        Args:
            played: the game.
            kinds: a dictionary from the name of each agent to its kind.
            model: model for those agents that use one.
            writer: writer of the record.
            stage: the world that carries out the steps.
        """
        self.played = played
        self._kinds = kinds
        self._model = model
        self._writer = writer
        self._stage = stage
        self._table = new_table(played)
        self._names = self._table.names._replace(agents=list(played.agents))
        self._jobs = job_views(self._table.tables, self._names, played.rules)
        self._random = np.array([kinds[agent] == RANDOM for agent in played.agents])
        files = {i: kinds[agent].partition(":")[2] for i, agent in enumerate(played.agents)}
        files = {i: f for i, f in files.items() if kind_of(kinds[played.agents[i]]) == TRAINED}
        self._trained = TrainedPlayers(files, self._table, played.best.welfare)

    async def play(self, number: int, seed: int, until: str = "") -> GridOutcome:
        """Play an episode.

        Args:
            number: number of the repetition, counted from 0.
            seed: seed of all random numbers.
            until: the episode ends when all agents have held this resource; empty for none.

        Raises:
            ModelError: the model does not answer.
            FaultError: the world was lost.
        """
        table = self._table
        jobs = (self._names.jobs[int(job)] for job in table.tables.job)
        pairs = zip(self.played.agents, jobs, strict=True)
        self._accounts = {agent: AgentAccount(job) for agent, job in pairs}
        self._ended: dict[str, list[PlanExecution]] = {}
        self._minds = self._planners()
        self._trained.begin(seed)
        self._said: list[BargainTurn] = []
        self._words: list[Words] = []
        self._to_send: dict[str, str] = {}
        observed, info = table.reset(seed=seed)
        await self._stage.build(table, self.played.agents)
        self._writer.event(events.EpisodeStarted, run=number, attempt=1, seed=seed)
        for agent in self.played.agents:
            if self._kinds[agent] == PERSON:
                self._writer.event(events.SeatTaken, agent)
        await self._steps(observed, info["action_mask"][0], np.random.default_rng(seed), until)
        seconds = self._stage.seconds()
        reason = "all_gained" if self._have_all_held(until) else "time_limit"
        self._writer.event(events.EpisodeEnded, reason=reason, seconds=seconds)
        return self._outcome(seed, seconds)

    def _planners(self) -> dict[int, PlanningAgent | StepPlayer]:
        made = (self._table.tables, self._names, self.played.rules, self._model)
        return {
            i: StepPlayer(i, *made)
            if self._kinds[agent] == PERSON
            else PlanningAgent(i, *made, self._end_plan)
            for i, agent in enumerate(self.played.agents)
            if kind_of(self._kinds[agent]) not in MINDLESS
        }

    async def _steps(
        self, observed: Observed, masks: Masks, rng: np.random.Generator, until: str
    ) -> None:
        table, is_over = self._table, False
        await self._stage.begin()
        self._account_for_all()
        while not is_over:
            actions = await self._choose(observed, masks, rng)
            before, now = table.state.executed[0].copy(), int(table.state.step[0])
            self._said += turns_of(table.tables, table.state, actions.tolist())
            observed, _, _, truncated, info = table.step(actions[None])
            masks = info["action_mask"][0]
            await self._stage.step()
            self._account_for_all()
            self._deliver(now)
            self._note_events(table.state.executed[0] - before)
            is_over = bool(truncated[0]) or self._have_all_held(until)

    def _have_all_held(self, until: str) -> bool:
        return bool(until) and all(until in a.firsts for a in self._accounts.values())

    async def _choose(self, observed: Observed, masks: Masks, rng: np.random.Generator) -> Actions:
        """Return the next action of each agent, as an array of shape (N,)."""
        actions = np.full(len(self.played.agents), STAY, dtype=np.int64)
        if self._random.any():
            drawn = (masks * rng.random(masks.shape)).argmax(1)
            actions[self._random] = drawn[self._random]
        for i, action in self._trained.act(observed, masks).items():
            actions[i] = action
        society = cache(self._society)
        own = (
            mind.act(_rows(observed, i), masks[i], society, self._shown_to(i, observed))
            for i, mind in self._minds.items()
        )
        for i, action in zip(self._minds, await all_answered(own), strict=True):
            actions[i] = action
        for failure in self._model.take_failures(self.played.agents):
            fields = {"role": failure.role, "message": failure.message}
            self._writer.event(events.MindFailed, failure.agent, **fields)
        for agent in self.played.agents:  # in a fixed order, independent of response times
            for execution in self._ended.pop(agent, ()):
                self._note_plan(agent, execution)
        return actions

    def _society(self) -> Society:
        tables, state = self._table.tables, self._table.state
        said, words = tuple(self._said), tuple(self._words)
        return society_of(tables, self._names, self._jobs, state, said, words=words)

    def _shown_to(self, agent: int, observed: Mapping[str, Any]) -> list[Shown]:
        shares = self._table.state.shares[0]
        if not shares.size:
            return []
        place, held, window = (observed[n][0] for n in ("position", "inventory", "window"))
        senders = np.flatnonzero(shares[:, agent]).tolist()
        return [(i, place[i], held[i], window[i]) for i in senders]

    # --- The record ------------------------------------------------------------------------------

    def _end_plan(self, agent: str, ended: PlanExecution) -> None:
        self._ended.setdefault(agent, []).append(ended)

    def _note_plan(self, agent: str, ended: PlanExecution) -> None:
        account, plan, outcome = self._accounts[agent], str(ended.plan), ended.outcome
        is_done = outcome.startswith("done")
        if is_done and ended.plan.words:
            self._to_send[agent] = ended.plan.words
        (account.plans_done if is_done else account.plans_failed).append(plan)
        self._writer.event(events.PlanEnded, agent, plan=plan, outcome=outcome)

    def _deliver(self, step: int) -> None:
        """Hand over and record the words of the messages that were sent in a step."""
        for i, (agent, to) in enumerate(
            zip(self.played.agents, self._table.state.sent[0].tolist(), strict=True)
        ):
            text = self._to_send.get(agent)
            if text and to >= 0:
                self._words.append(Words(step, i, to, text))
                fields = {"to": self.played.agents[to], "act": "tell", "text": text}
                self._writer.event(events.MessagePassed, agent, **fields)
        self._to_send.clear()

    def _account_for_all(self) -> None:
        rows = standing(self._table, self._names.resources)
        for agent, row in zip(self.played.agents, rows, strict=True):
            account = self._accounts[agent]
            account.items, account.reward = row.holds, row.score
            now = FirstHeld(self._stage.seconds(), account.iterations + 1)
            for item in row.holds:
                account.firsts.setdefault(item, now)

    def _note_events(self, executed: npt.NDArray[np.int32]) -> None:
        tables, names = self._table.tables, self._names
        for event in np.flatnonzero(executed):
            output = names.resources[tables.output[event]]
            for _ in range(int(executed[event])):
                self._writer.event(events.EventExecuted, event=names.events[event], output=output)

    def _outcome(self, seed: int, seconds: float) -> GridOutcome:
        acted = [agent for agent in self.played.agents if kind_of(self._kinds[agent]) in MINDLESS]
        for mind in self._minds.values():
            self._accounts[mind.name].failed_answers = mind.failed
            acted += [mind.name] if mind.asked > mind.failed else []
        for agent, account in self._accounts.items():
            fields = {"value": account.reward, "transfer": 0.0, "reward": account.reward}
            self._writer.event(events.Reward, agent, **fields)
        executed = self._table.state.executed[0].tolist()
        return GridOutcome(
            seed,
            seconds,
            self._accounts,
            acted,
            self.played.best,
            dict(zip(self._names.events, executed, strict=True)),
            degrees(social_graph(self._table)),
            self._weights(),
        )

    def _weights(self) -> list[float]:
        """Return the share of its group's earnings that each agent has negotiated."""
        if not self.played.game.stage.negotiation:
            return []
        state = self._table.state
        alone = state.group[0, :, 0] < 0
        weights: list[float] = np.where(alone, 1.0, state.weight[0, :, 0]).tolist()
        return weights


def most_plans(played: GridGame) -> int:
    """Return the largest possible number of calls to planners in an episode, whatever their plans
    achieve.

    In the contract stage, only one agent per step chooses a plan. In other stages, every agent that
    has no plan chooses one.
    """
    game, agents = played.game, len(played.agents)
    choosing = game.stage_steps if game.stage.contract else 0
    return PLANS_A_STEP * (choosing + agents * (game.length - choosing))


def new_table(played: GridGame) -> VectorGame:
    """Return the compiled game, as a batch of a single environment with action masks."""
    return VectorGame(played.rules, played.game, 1, action_masks=True, execution="auto")


def _rows(observed: Observed, agent: int) -> dict[str, npt.NDArray[np.generic]]:
    """Return one agent's part of an observation. All agents share the scalar ``step`` in it."""
    shared = ("step", "social")
    own = {name: rows[0, agent] for name, rows in observed.items() if name not in shared}
    return own | {"step": np.asarray(observed["step"][0])}
