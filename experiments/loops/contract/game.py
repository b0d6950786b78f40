"""The loop of contract games: players negotiate, write policies, play an episode, settle, and
learn.

Source of the procedure: Yocum et al., "Mitigating Generative Agent Social Dilemmas" (2023). From
the second episode on, a player's prompt contains the player's last program and its errors, the
chat, both inventories, the reward after transfers, and the messages of the critic and the judge.
"""

from __future__ import annotations

import inspect
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from voxpolis.bots.agents.code_writer import describe_result, quote_feedback, unwritten
from voxpolis.bots.agents.person import READY
from voxpolis.bots.agents.protocol import NOT_RUN, Agent, AgentSetup, Briefing, Lesson, Note, Review
from voxpolis.bots.agents.registry import KINDS
from voxpolis.bots.asking import all_answered
from voxpolis.bots.prompts import quoted
from voxpolis.experiments.loops.contract.cooperation import ContractCooperation
from voxpolis.experiments.loops.contract.live_view import LiveView, Snapshot
from voxpolis.experiments.loops.contract.scenario import (
    ContractScenario,
    PastEpisode,
    Situation,
    counts_of,
    full_briefing,
    values_of,
)
from voxpolis.experiments.loops.institutions import negotiate, note_contract, settle
from voxpolis.experiments.loops.outcome_text import outcome_text
from voxpolis.experiments.run.agents import SCRIPTED
from voxpolis.experiments.run.options import UsageError
from voxpolis.experiments.run.scenario import Entry, LackingError, Run
from voxpolis.judge import Case, Contract, Outcome
from voxpolis.judge.contracts.settlement import Settlement
from voxpolis.records import SimulatedClock, events
from voxpolis.records.measures import gini, welfare
from voxpolis.records.reader import PERSON
from voxpolis.worlds.dry_run import DryRunWorld
from voxpolis.worlds.protocol import Account, Ending, Episode, World
from voxpolis.worlds.recorded import RecordedArena, ReplayWriter

if TYPE_CHECKING:  # only runs on the grid load the compiler
    from voxpolis.worlds.grid import GridArena

# Recorded for an agent whose model returned no program.
NO_PROGRAM: Mapping[str, object] = {
    "status": "error",
    "line": None,
    "column": None,
    "source": None,
    "seconds": 0.0,
    "logs": [],
}


@asynccontextmanager
async def contract_game(scenario: ContractScenario, run: Run) -> AsyncIterator[ContractGame]:
    """Open the world for a repetition, and show the live view until the repetition is over."""
    if "world" not in run.kept:
        run.kept["world"] = await _open_world(scenario, run)
    contract = scenario.contract
    if scenario.rounds is None and run.number == 0:
        note_contract(run.note, contract)
    title = f"{scenario.name} · {contract.name} · mind {run.choice.kind}"
    number = f"run {run.number + 1} of {run.options.runs}"
    world: World = run.kept["world"]
    shown = (title, number, scenario.agent_names, world, run.progress, run.choice.board)
    with LiveView(*shown) as live:
        game = ContractGame(scenario, run, world, live)
        try:
            yield game
        finally:  # also after an error
            run.note_failures(scenario.agent_names)


async def _open_world(scenario: ContractScenario, run: Run) -> World:
    """Open the world, which stays open until all repetitions are over."""
    agents = tuple(scenario.agent_names)
    if run.server is None:
        return _headless(scenario, run)
    # Only Minecraft needs a server and its bots.
    from voxpolis.worlds.minecraft.arena import MinecraftArena  # noqa: PLC0415
    from voxpolis.worlds.minecraft.session import open_session  # noqa: PLC0415

    opening = open_session(
        run.server,
        run.writer,
        agents,
        seats=run.seats,
        say=run.say,
        standstill=run.standstill,
        hosts=run.hosts,
    )
    return MinecraftArena(await run.stack.enter_async_context(opening), agents)


def _headless(scenario: ContractScenario, run: Run) -> GridArena | RecordedArena | DryRunWorld:
    if run.world == "grid":
        from voxpolis.worlds.grid import GridArena  # noqa: PLC0415 - loads the grid's compiler

        assert isinstance(run.clock, SimulatedClock)
        layout = scenario.layout(run.options.seed)
        where = (run.writer, run.clock, layout, scenario.agent_names)
        return GridArena(*where, steps_per_s=scenario.steps_per_s)
    if run.choice.is_counted:
        return DryRunWorld(run.writer, scenario.agent_names)
    assert isinstance(run.writer, ReplayWriter)
    others = set(run.agents.values()) - {"code_writer", SCRIPTED}
    if others:
        raise UsageError(f"runs of {others.pop()} agents in Minecraft cannot be replayed")
    return RecordedArena(run.writer, scenario.agent_names)


@dataclass
class SettledEpisode:
    """An episode that the judge has settled. Amounts are in emeralds.

    Attributes:
        settlement: the judge's settlement.
        counts: for each agent, the number of each counted quantity (agent → name → number).
        values: what each agent's items are worth to it.
        transfers: what each agent receives (> 0) or pays (< 0) under the contract, the law and
            agreements.
        faults: faults of the episode.
        sound: whether the machine kept up with the game clock. Otherwise the outcome does not
            count.
    """

    settlement: Settlement
    counts: Mapping[str, Mapping[str, int]]
    values: Mapping[str, float]
    transfers: Mapping[str, float]
    faults: list[str] = field(default_factory=list)
    sound: bool = True

    @property
    def rewards(self) -> dict[str, float]:
        """The reward of each agent: its value plus its transfer."""
        return {name: value + self.transfers[name] for name, value in self.values.items()}


class ContractGame:
    """One repetition of a contract game."""

    def __init__(self, scenario: ContractScenario, run: Run, world: World, live: LiveView) -> None:
        self.scenario, self.run, self.world, self.live = scenario, run, world, live
        self.kinds = {
            name: "code_writer" if kind == SCRIPTED else kind for name, kind in run.agents.items()
        }
        self._contract = scenario.contract
        self._messages = 0
        self._past: list[PastEpisode] = []
        # Each player's memory of past episodes, in words.
        self._memories: dict[str, list[str]] = defaultdict(list)
        self._told: dict[str, Mapping[str, int]] = {}
        # Agents without a policy or plan in this attempt because their decision failed.
        self._lacked: set[str] = set()
        # Cooperation modules of the repetition; None if agents carry none.
        self.cooperation: ContractCooperation | None = None
        if (rules := scenario.cooperation()) is not None:
            briefed = {n: scenario.briefing(self._situation(n)) for n in scenario.agent_names}
            self.cooperation = ContractCooperation(
                rules, scenario, briefed.__getitem__, run.model, world.note
            )

    # --- Before an episode -----------------------------------------------------------------------

    async def negotiate(self, rounds: int) -> None:
        """Let the players negotiate a contract. If they do not agree, there is no contract."""
        scenario = self.scenario
        self.world.begin(self._next_episode)
        self.live.begin(1, self.run.seed)
        if PERSON in self.kinds.values() and self.world.kind == "grid":
            # A person on the page sees the arena of which the contract speaks.
            await self._build()
        self.live.status("the players negotiate")
        without = scenario.contract
        self._contract, negotiation = await negotiate(
            self.run,
            {n: full_briefing(scenario, self._situation(n, without)) for n in scenario.agent_names},
            scenario.terms(),
            rounds,
            past="\n\n".join(episode.text for episode in self._past),
            compiled=scenario.asked.compiled,
            note=self.world.note,
        )
        self._messages = len(negotiation.moves)

    async def think(self) -> None:
        """Let the cooperation modules think and talk before an episode."""
        if self.cooperation is not None:
            self.world.begin(self._next_episode)
            await self.cooperation.before()
            self._note_failures()

    # --- An episode ------------------------------------------------------------------------------

    async def _build(self) -> None:
        world, seed = self.world, self.run.seed
        await world.build(self.scenario.layout(seed), seed)

    async def play(self, episode: int) -> Entry:
        """Play an episode and return its entry. The episode is played again if an agent wants
        another attempt, for example after an error in its program.
        """
        scenario, world, seed = self.scenario, self.world, self.run.seed
        agents = {name: self._agent(name) for name in scenario.agent_names}
        # What agents did settles their promises, so with modules there is only one attempt.
        attempts = scenario.max_attempts if self.cooperation is None else 1
        for attempt in range(1, attempts + 1):
            self._begin(attempt)
            await self._build()
            await self._prepare(agents)
            world.note(events.EpisodeStarted, run=self.run.number, attempt=attempt, seed=seed)
            ending = await self._live(agents)
            world.note(events.EpisodeEnded, reason=ending.reason, seconds=ending.seconds)
            account, seen = world.account(), list(world.seen)
            settled = await self._settle(account)
            await self._check_speed(settled, ending)
            text = outcome_text(account.inventories, seen)
            if not await self._review(agents, settled, episode, text, seen, attempt == attempts):
                break
        self._past.append(self._past_episode(episode, settled, text))
        self.run.faults += settled.faults
        return self._entry(episode, settled, ending, attempt)

    async def look_back(self, episode: int, entry: Entry) -> Entry:
        """Let the cooperation modules review the episode. Return the entry, with the measures of
        cooperation added.
        """
        if self.cooperation is not None:
            await self.cooperation.after_round()
            if episode == self.scenario.asked.episodes:
                self.cooperation.end()
            self._note_failures()
            entry["cooperation"] = dict(self.cooperation.measures())
        entry["failed_answers"] = dict(self.run.failed)
        self.run.failed.clear()
        return entry

    @property
    def _next_episode(self) -> int:
        """Return how many episodes have been started so far, in all repetitions together."""
        return int(self.run.kept.get("next_episode", 0))

    def _begin(self, attempt: int) -> None:
        self.world.begin(self._next_episode)
        self.run.kept["next_episode"] = self._next_episode + 1
        self._told.clear()
        self._lacked.clear()
        self.live.begin(attempt, self.run.seed)

    def _agent(self, name: str) -> Agent:
        situation = self._situation(name)
        text = full_briefing(self.scenario, situation)
        remembered = self._memories[name]
        kept = {"none": [], "last": remembered[-1:], "all": remembered}[self.scenario.asked.memory]
        briefing = Briefing(name, text, self._contract.text, situation, "\n\n".join(kept))
        setup = AgentSetup(briefing, self.world.body(name), self.run.model, self._noter(name))
        return KINDS[self.kinds[name]].create(setup)

    def _situation(self, name: str, contract: Contract | None = None) -> Situation:
        seed = self.run.seed
        starts = self.scenario.layout(seed).starts
        known = self.cooperation.known(name) if self.cooperation else None
        past = tuple(self._past)
        in_force = self._contract if contract is None else contract
        return Situation(name, self.world.kind, in_force, seed, starts, past, known)

    def _noter(self, name: str) -> Note:
        def note(kind: type[events.Event], **fields: object) -> None:
            self.world.note(kind, name, **fields)

        return note

    async def _prepare(self, agents: Mapping[str, Agent]) -> None:
        waiting = sorted(name for name, agent in agents.items() if not agent.is_ready)
        if not waiting:
            return
        writing = [name for name in waiting if self.kinds[name] != PERSON]
        if writing:
            self.live.status(f"{', '.join(writing)} write{'s' * (len(writing) == 1)} a program")
        for name in set(waiting) - set(writing):
            self.live.say(f"{name} is a person: the episode begins when they type {READY} in chat")
        observed = {}
        for name in waiting:  # in order, so that a replay records them in the same order
            observed[name] = await self.world.body(name).observe()
            self.world.note(events.Perceived, name, text=observed[name])
        problems = await all_answered(agents[n].prepare(observed[n]) for n in waiting)
        self._lacked |= self._note_failures()
        for name, problem in zip(waiting, problems, strict=True):
            if problem:
                self.world.note(events.CodeFailed, name, **NO_PROGRAM, message=problem)

    async def _live(self, agents: Mapping[str, Agent]) -> Ending:
        scenario = self.scenario
        lives = {name: agent.live() for name, agent in agents.items()}
        by_itself = scenario.dynamics(self.run.seed)
        if by_itself is not None and not inspect.iscoroutinefunction(by_itself.tick):
            whose = f"dynamics() of the scenario {scenario.name}"
            raise LackingError(f"{whose} returns a process whose tick is not an async function")
        ending = await self.world.run(Episode(lives, by_itself, self._watch, scenario.time_limit_s))
        self._lacked |= self._note_failures()
        return ending

    def _watch(self, account: Account) -> bool:
        """Record inventories that have changed. Return whether the scenario ends the episode."""
        scenario = self.scenario
        if self.world.kind == "grid":  # in Minecraft, a replay can only repeat them in the end
            self._lacked |= self._note_failures()
        values = values_of(scenario, account)
        for agent, items in account.inventories.items():
            if self._told.get(agent) != items:
                self._told[agent] = dict(items)
                self.world.note(events.Inventory, agent, items=dict(items), value=values[agent])
        left = max(scenario.time_limit_s - account.passed_s, 0.0)
        self.live.on_snapshot(Snapshot(left, account.inventories))
        over = scenario.is_over(account)
        if not hasattr(over, "__bool__") or over is None:
            raise LackingError(
                f"is_over() of the scenario {scenario.name} returns {over!r:.60}, not a bool"
            )
        return bool(over)

    def _note_failures(self) -> set[str]:
        return set(self.run.note_failures(self.scenario.agent_names))

    # --- After an episode ------------------------------------------------------------------------

    async def _settle(self, account: Account) -> SettledEpisode:
        """Apply the contract, the law and agreements to the outcome of an episode."""
        scenario, run = self.scenario, self.run
        case = judge_case(scenario, self._contract, account, self.world.seen)
        brought = self.cooperation.count(account) if self.cooperation else {}
        settlement = await settle(run, case, scenario.asked.judge, note=self.world.note)
        transfers = {a: settlement.transfers[a] + brought.get(a, 0.0) for a in scenario.agent_names}
        counts, values = counts_of(scenario, account), values_of(scenario, account)
        settled = SettledEpisode(settlement, counts, values, transfers)
        for agent, reward in settled.rewards.items():
            value, transfer = values[agent], transfers[agent]
            self.world.note(events.Transfer, agent, amount=transfer)
            self.world.note(events.Reward, agent, value=value, transfer=transfer, reward=reward)
        settled.faults += [
            f"{name} never acted: none of its model's answers was usable"
            for name in scenario.agent_names
            if name not in self._acted()
        ]
        return settled

    async def _check_speed(self, settled: SettledEpisode, ending: Ending) -> None:
        """Record whether the machine kept up with the game clock. If it did not, also record
        whether the outcome counts.
        """
        late = await self.world.check_speed(ending.seconds)
        if late is None:
            return
        # If the agents ended the episode and no program was cut short, a slow machine only
        # prolonged it.
        last = [self.world.body(name).last for name in self.scenario.agent_names]
        are_done = all(result is not None and result.status == "done" for result in last)
        settled.sound = ending.reason == "all_gained" or (
            ending.reason == "policies_ended" and are_done
        )
        said = late.verdict(counts=settled.sound)
        self.live.say(f"warning: {said}")
        settled.faults.append(said)
        if not settled.sound:
            self.world.note(events.EpisodeUnsound)

    async def _review(
        self,
        agents: Mapping[str, Agent],
        settled: SettledEpisode,
        episode: int,
        text: str,
        seen: Sequence[events.Event],
        is_last: bool,
    ) -> bool:
        """Let all agents review the episode. Return whether at least one agent wants another
        attempt.
        """
        contract, asked = self._contract.text, self.scenario.asked
        by = "by the contract" if self.cooperation is None else "by contract, law and agreements"
        is_paid = bool(contract or self.cooperation)
        got = _rewards_text(settled, by if is_paid else "")
        is_remembered = asked.memory != "none" and episode < asked.episodes
        reviews = {
            name: Review(
                f"{text}\n{got}",
                _judgement_to(name, settled.settlement),
                self.world.body(name).last or NOT_RUN,
                is_remembered,
            )
            for name in agents
        }
        lessons = await all_answered(own.review(reviews[n]) for n, own in agents.items())
        self._note_failures()
        for name, lesson in zip(agents, lessons, strict=True):
            if lesson is not None and not lesson.unwritten:
                fields = {"success": lesson.success, "text": lesson.critique}
                self.world.note(events.Critique, name, **fields)
        again = any(lesson is not None and lesson.again for lesson in lessons)
        if not again or is_last:
            for name, lesson in zip(agents, lessons, strict=True):
                remembered = recollection(name, episode, contract, reviews[name], lesson, seen)
                self._memories[name].append(remembered)
        return again

    def _past_episode(self, episode: int, settled: SettledEpisode, text: str) -> PastEpisode:
        rewards = ", ".join(f"{name} {reward:g}" for name, reward in settled.rewards.items())
        contract = quoted(self._contract.text) or "There was none."
        text = (
            f"Episode {episode}. The contract:\n{contract}\nWhat happened:\n{text}\n"
            f"Emeralds in the end: {rewards}."
        )
        return PastEpisode(episode, self._contract.text, settled.counts, settled.rewards, text)

    def _entry(self, episode: int, settled: SettledEpisode, ending: Ending, attempt: int) -> Entry:
        """Return the entry of an episode. The entry has no welfare and no Gini coefficient if an
        agent never acted.
        """
        acted, rewards = self._acted(), settled.rewards
        is_complete = set(acted) == set(rewards)
        agents = {
            name: {
                **settled.counts[name],
                "value": settled.values[name],
                "transfer": settled.transfers[name],
                "reward": reward,
            }
            for name, reward in rewards.items()
        }
        return {
            "condition": self.run.condition,
            "seed": self.run.seed,
            "episode": episode,
            "agents": agents,
            "welfare": welfare(list(rewards.values())) if is_complete else None,
            "gini": gini(list(rewards.values())) if is_complete else None,
            "seconds": ending.seconds,
            "attempts": attempt,
            "judged": settled.settlement.method,
            "judge_error": settled.settlement.error,
            "contract": self._contract.text,
            "messages": self._messages,
            "acted": list(acted),
            "failed_answers": dict(self.run.failed),
            "faults": settled.faults,
            "sound": settled.sound,
        }

    def _acted(self) -> tuple[str, ...]:
        """Return the agents that have taken part in this episode: those that have run a policy of
        their own, even an empty one, and those that people play.
        """
        nothing = self.world.format.nothing.strip()
        started = {
            event.agent
            for event in self.world.seen
            if isinstance(event, events.SeatTaken)
            or (
                isinstance(event, events.CodeStarted)
                and (event.code.strip() != nothing or event.agent not in self._lacked)
            )
        }
        return tuple(name for name in self.scenario.agent_names if name in started)


# --- The judge's input ----------------------------------------------------------------------------


def judge_case(
    scenario: ContractScenario, contract: Contract, account: Account, seen: Sequence[events.Event]
) -> Case:
    """Return the case for the judge: the contract, what happened in an episode, and what the
    outcome is worth to the agents.
    """
    counts, values = counts_of(scenario, account), values_of(scenario, account)
    names, log = scenario.dug, account.log
    dug = {
        agent: Counter({names[b]: n for b, n in log.of(agent, "dug").items() if b in names})
        for agent in counts
    }
    return Case(
        contract,
        tuple(scenario.agent_names),
        Outcome(counts, dug, log.signals),
        outcome_text(account.inventories, seen),
        None if scenario.may_owe else values,
        scenario.setting(),
        scenario.worth(),
        values,
    )


# --- Players' memory between episodes -------------------------------------------------------------


def _rewards_text(settled: SettledEpisode, by: str) -> str:
    """Describe each player's reward. ``by`` says where transfers come from; empty: none."""
    paid = {agent: f" {amount:+g} {by}" for agent, amount in settled.transfers.items()}
    return "\n".join(
        f"{agent} got {reward:g} emeralds: what it holds is worth "
        f"{settled.values[agent]:g}{paid[agent] if by else ''}."
        for agent, reward in settled.rewards.items()
    )


def _judgement_to(agent: str, settlement: Settlement) -> list[str]:
    """Return what the judge found, and the judge's critique of one player, as that player reads
    it.
    """
    critique = settlement.critiques.get(agent)
    return [*settlement.reasons, *([f"To {agent}: {critique}"] if critique else [])]


def recollection(
    agent: str,
    episode: int,
    contract: str,
    review: Review,
    lesson: Lesson | None,
    seen: Sequence[events.Event],
) -> str:
    """Describe an episode as a player remembers it. Text by other players is quoted."""
    ran = [e.code for e in seen if isinstance(e, events.CodeStarted) and e.agent == agent]
    program = f"Your last program:\n```\n{ran[-1].rstrip()}\n```" if ran else "You ran no program."
    ended = describe_result(review.program) if ran else ""
    if lesson is not None and lesson.unwritten:
        program, ended = f"Your last program: {unwritten(lesson.unwritten)}", ""
    parts = [
        f"## Episode {episode}",
        f"The contract:\n{quoted(contract)}" if contract else "There was no contract.",
        program,
        ended,
        f"What happened:\n{review.outcome}",
        *quote_feedback(lesson.critique if lesson else "", review.judgement),
    ]
    return "\n\n".join(part for part in parts if part)
