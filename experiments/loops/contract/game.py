"""The loop of contract games: negotiate, write policies, play an episode, judge it, learn.

Source of the procedure: Yocum et al., "Mitigating Generative Agent Social Dilemmas" (2023).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace

from voxpolis.bots.agents.person import READY
from voxpolis.bots.agents.protocol import NOT_RUN, Agent, AgentSetup, Briefing, Note, Review
from voxpolis.bots.agents.registry import KINDS
from voxpolis.bots.asking import all_answered
from voxpolis.bots.models import AccountedModel
from voxpolis.bots.prompts import quoted
from voxpolis.experiments.loops.contract.case import (
    judge_case,
    note_contract,
    note_judgement,
    note_move,
)
from voxpolis.experiments.loops.contract.cooperation import ContractCooperation
from voxpolis.experiments.loops.contract.memory import (
    Memories,
    judgement_to,
    recollection,
    rewards_text,
)
from voxpolis.experiments.loops.contract.outcome_text import outcome_text
from voxpolis.experiments.loops.contract.protocol import (
    AgentOutcome,
    ContractScenario,
    EpisodeOutcome,
    PastEpisode,
    Situation,
    counts_of,
    told,
    values_of,
)
from voxpolis.experiments.loops.contract.settings import PlayTerms
from voxpolis.experiments.people.people import HUMAN
from voxpolis.experiments.run.live_view import LiveView, Snapshot
from voxpolis.judge import Contract, negotiate, settle
from voxpolis.judge.contracts.settlement import Settlement
from voxpolis.records import events
from voxpolis.worlds.protocol import Account, Ending, Episode, Lateness, World

#: What the record says of an agent whose model gave no program.
NO_PROGRAM: Mapping[str, object] = {
    "status": "error",
    "line": None,
    "column": None,
    "source": None,
    "seconds": 0.0,
    "logs": [],
}


class ContractGame:
    """Plays one repetition of a contract game in a world."""

    def __init__(
        self,
        scenario: ContractScenario,
        terms: PlayTerms,
        world: World,
        model: AccountedModel,
        kinds: Mapping[str, str],
        live: LiveView,
        number: int,
        next_episode: int,
    ) -> None:
        """Get ready.

        Args:
            scenario: its rules.
            terms: how it is played.
            world: where.
            model: answers for all agents, and the judge.
            kinds: the agents' kinds by name.
            live: shows how it goes.
            number: the repetition, counting from 0.
            next_episode: the record's number of the first episode.
        """
        self.scenario = scenario
        self.terms = terms
        self.world = world
        self.model = model
        self.kinds = kinds
        self.live = live
        self.number = number
        self.next_episode = next_episode
        self._contract = terms.contract
        self._messages = 0
        self._past: list[PastEpisode] = []
        self._memories = Memories(terms.memory)
        self._told: dict[str, Mapping[str, int]] = {}
        #: Modules of cooperation through the repetition; None: agents carry none.
        self.cooperation: ContractCooperation | None = None
        #: Decisions of each agent that failed in the episode, whatever they were asked for.
        self._failed: Counter[str] = Counter()
        #: Who lacked a policy or a plan in the attempt, because its decision failed.
        self._lacked: set[str] = set()

    async def run(self, seed: int) -> AsyncIterator[EpisodeOutcome]:
        """Play a repetition: its episodes, each until all policies run without an error.

        Raises:
            FaultError: a bot, the bridge or the server was lost.
            ModelError: the language model does not answer.
        """
        self._past = []
        self._memories.clear()
        self._contract = self.terms.contract
        self.cooperation = self._cooperating(seed)
        try:
            for episode in range(1, self.terms.episodes + 1):
                self._failed.clear()
                rounds = self.terms.rounds
                if rounds is not None and (episode == 1 or self.terms.renegotiate):
                    await self._negotiate(seed, rounds)
                yield await self._play_round(seed, episode)
        finally:  # also where an error ends it
            self._note_failures()

    # --- One episode -----------------------------------------------------------------------------

    def _cooperating(self, seed: int) -> ContractCooperation | None:
        rules = self.scenario.cooperation()
        if rules is None:
            return None

        def briefed(name: str) -> str:
            return self.scenario.briefing(self._situation(name, self.terms.contract, seed))

        return ContractCooperation(rules, self.scenario, briefed, self.model, self.world.note)

    async def _play_round(self, seed: int, episode: int) -> EpisodeOutcome:
        """Play an episode, with what modules of cooperation do before and after it."""
        cooperation = self.cooperation
        if cooperation is None:
            return await self._play(seed, episode)
        self.world.begin(self.next_episode)
        await cooperation.before()
        self._note_failures()
        outcome = await self._play(seed, episode)
        await cooperation.after()
        if episode == self.terms.episodes:
            cooperation.end()
        self._note_failures()
        failed = dict(self._failed)
        return replace(outcome, failed_answers=failed, cooperation=cooperation.measures())

    async def _play(self, seed: int, episode: int) -> EpisodeOutcome:
        """Play an episode, again while agents learn from what went wrong."""
        scenario, world = self.scenario, self.world
        agents = {name: self._agent(name, seed) for name in scenario.agents}
        for attempt in range(1, self._most_attempts + 1):
            self._begin(attempt, seed)
            await world.build(scenario.layout(seed), seed)
            await self._prepare(agents)
            world.note(events.EpisodeStarted, run=self.number, attempt=attempt, seed=seed)
            ending = await self._live(agents, seed)
            world.note(events.EpisodeEnded, reason=ending.reason, seconds=ending.seconds)
            account, seen = world.account(), list(world.seen)
            settlement, outcome = await self._judge(seed, episode, attempt, ending, account)
            late = await world.check_speed(ending.seconds)
            if late is not None:
                outcome = self._counted(outcome, late, ending)
            if not await self._review(agents, settlement, outcome, account, seen):
                break
        self._past.append(self._past_episode(outcome, account, seen))
        return replace(outcome, failed_answers=dict(self._failed))

    @property
    def _most_attempts(self) -> int:
        """How often an episode is played: once, where what is done counts for promises."""
        return self.scenario.max_attempts if self.cooperation is None else 1

    def _counted(self, outcome: EpisodeOutcome, late: Lateness, ending: Ending) -> EpisodeOutcome:
        """Return an outcome that came late, and say and record whether it counts."""
        counts = self._was_in_time(ending)
        said = late.verdict(counts=counts)
        self.live.say(f"warning: {said}")
        outcome.faults.append(said)
        if counts:
            return outcome
        self.world.note(events.EpisodeUnsound)
        return replace(outcome, sound=False)

    def _was_in_time(self, ending: Ending) -> bool:
        """Whether an episode ended by what agents did, and none of their programs was cut short.

        A machine that was late has then changed how long it took, but not what came of it.
        """
        last = (self.world.body(name).last for name in self.scenario.agents)
        are_done = all(result is not None and result.status == "done" for result in last)
        return ending.reason == "all_gained" or (ending.reason == "policies_ended" and are_done)

    def _begin(self, attempt: int, seed: int) -> None:
        self.world.begin(self.next_episode)
        self.next_episode += 1
        self._told.clear()
        self._lacked.clear()
        self.live.begin(attempt, seed)

    def _agent(self, name: str, seed: int) -> Agent:
        situation = self._situation(name, self._contract, seed)
        briefing = Briefing(
            name,
            told(self.scenario, situation),
            self._contract.text,
            situation,
            self._memories.of(name),
        )
        setup = AgentSetup(briefing, self.world.body(name), self.model, self._noter(name))
        return KINDS[self.kinds[name]].made(setup)

    def _situation(self, name: str, contract: Contract, seed: int) -> Situation:
        starts = self.scenario.layout(seed).starts
        known = self.cooperation.known(name) if self.cooperation else None
        return Situation(name, self.world.kind, contract, seed, starts, tuple(self._past), known)

    def _noter(self, name: str) -> Note:
        def note(kind: type[events.Event], **fields: object) -> None:
            self.world.note(kind, name, **fields)

        return note

    async def _prepare(self, agents: Mapping[str, Agent]) -> None:
        """Have all agents that need to, get ready at the same time."""
        waiting = sorted(name for name, agent in agents.items() if not agent.is_ready)
        if not waiting:
            return
        writing = [name for name in waiting if self.kinds[name] != HUMAN]
        if writing:
            self.live.say(f"{', '.join(writing)} write{'s' * (len(writing) == 1)} a program")
        for name in set(waiting) - set(writing):
            self.live.say(f"{name} is a person: it begins when {READY} is typed in chat")
        observed = {}
        for name in waiting:  # one after another, so that a replay finds them in this order
            observed[name] = await self.world.body(name).observe()
            self.world.note(events.Perceived, name, text=observed[name])
        problems = await all_answered(agents[n].prepare(observed[n]) for n in waiting)
        self._lacked |= self._note_failures()
        for name, problem in zip(waiting, problems, strict=True):
            if problem:
                self.world.note(events.CodeFailed, name, **NO_PROGRAM, message=problem)

    async def _live(self, agents: Mapping[str, Agent], seed: int) -> Ending:
        dynamics, limit_s = self.scenario.dynamics(seed), self.scenario.time_limit_s
        lives = {name: agent.live() for name, agent in agents.items()}
        ending = await self.world.run(Episode(lives, dynamics, self._watch, limit_s))
        self._lacked |= self._note_failures()
        return ending

    def _note_failures(self) -> set[str]:
        """Record the decisions that failed since the last time; return whose they were."""
        failures = self.model.take_failures(self.scenario.agents)
        for failure in failures:
            told = {"role": failure.role, "message": failure.message}
            self.world.note(events.MindFailed, failure.agent, **told)
        whose = [failure.agent for failure in failures if failure.agent is not None]
        self._failed.update(whose)
        return set(whose)

    def _watch(self, account: Account) -> bool:
        """Record what changed of what everyone holds; return whether the episode is over."""
        scenario = self.scenario
        values = values_of(scenario, account)
        for agent, items in account.inventories.items():
            if self._told.get(agent) != items:
                self._told[agent] = dict(items)
                self.world.note(events.Inventory, agent, items=dict(items), value=values[agent])
        left = max(scenario.time_limit_s - account.passed_s, 0.0)
        self.live.on_snapshot(Snapshot(left, account.inventories))
        return scenario.is_over(account)

    async def _review(
        self,
        agents: Mapping[str, Agent],
        settlement: Settlement,
        outcome: EpisodeOutcome,
        account: Account,
        seen: Sequence[events.Event],
    ) -> bool:
        """Let all agents look back; return whether any wants another attempt."""
        contract, terms = self._contract.text, self.terms
        values = {name: own.value for name, own in outcome.agents.items()}
        transfers = {name: own.transfer for name, own in outcome.agents.items()}
        by = "by the contract" if self.cooperation is None else "by contract, law and agreements"
        is_paid = bool(contract or self.cooperation)
        got = rewards_text(values, transfers, by if is_paid else "")
        text = f"{outcome_text(account.inventories, seen)}\n{got}"
        is_remembered = terms.memory != "none" and outcome.episode < terms.episodes
        last = {name: self.world.body(name).last or NOT_RUN for name in agents}
        reviews = {
            name: Review(text, judgement_to(name, settlement), last[name], is_remembered)
            for name in agents
        }
        lessons = await all_answered(own.review(reviews[n]) for n, own in agents.items())
        self._note_failures()
        for name, lesson in zip(agents, lessons, strict=True):
            if lesson is not None and not lesson.unwritten:
                fields = {"success": lesson.success, "text": lesson.critique}
                self.world.note(events.Critique, name, **fields)
        again = any(lesson is not None and lesson.again for lesson in lessons)
        if not again or outcome.attempts == self._most_attempts:
            for name, lesson in zip(agents, lessons, strict=True):
                args = (name, outcome.episode, contract, reviews[name], lesson, seen)
                self._memories.add(name, recollection(*args))
        return again

    def _past_episode(
        self, outcome: EpisodeOutcome, account: Account, seen: Sequence[events.Event]
    ) -> PastEpisode:
        rewards = ", ".join(f"{name} {reward:g}" for name, reward in outcome.rewards.items())
        contract = quoted(self._contract.text) or "There was none."
        text = (
            f"Episode {outcome.episode}. The contract:\n{contract}\nWhat happened:\n"
            f"{outcome_text(account.inventories, seen)}\nEmeralds in the end: {rewards}."
        )
        counts = {name: own.counts for name, own in outcome.agents.items()}
        return PastEpisode(outcome.episode, self._contract.text, counts, outcome.rewards, text)

    # --- Institutions ----------------------------------------------------------------------------

    async def _negotiate(self, seed: int, rounds: int) -> None:
        """Let the players agree on a contract of their own; without one there is none."""
        self.world.begin(self.next_episode)
        self.live.begin(1, seed)
        self.live.say("the players negotiate")
        scenario = self.scenario
        briefings = {
            agent: told(scenario, self._situation(agent, self.terms.contract, seed))
            for agent in scenario.agents
        }
        negotiation = await negotiate(
            self.model,
            briefings,
            scenario.terms(),
            rounds,
            lambda move: note_move(self.world.note, move),
            past="\n\n".join(episode.text for episode in self._past),
            compiled=self.terms.compiled,
        )
        self._note_failures()
        self._messages = len(negotiation.moves)
        self._contract = negotiation.agreed or Contract("negotiated", "")
        note_contract(self.world.note, self._contract)

    async def _judge(
        self, seed: int, episode: int, attempt: int, ending: Ending, account: Account
    ) -> tuple[Settlement, EpisodeOutcome]:
        scenario, terms = self.scenario, self.terms
        counts, values = counts_of(scenario, account), values_of(scenario, account)
        case = judge_case(scenario, self._contract, account, self.world.seen)
        settlement = await settle(
            case, self.model if terms.is_language_model else None, terms.judge
        )
        self._note_failures()
        brought = self.cooperation.count(account) if self.cooperation else {}
        transfers = {a: settlement.transfers[a] + brought.get(a, 0.0) for a in scenario.agents}
        outcomes = {
            agent: AgentOutcome(counts[agent], values[agent], transfers[agent])
            for agent in scenario.agents
        }
        note_judgement(self.world.note, settlement, outcomes)
        outcome = EpisodeOutcome(
            terms.condition,
            seed,
            episode,
            outcomes,
            ending.seconds,
            attempt,
            settlement.method,
            self._contract,
            self._messages,
            settlement.error,
            self._acted(),
        )
        outcome.faults.extend(
            f"{name} never acted: no answer of its model could be used"
            for name in scenario.agents
            if name not in outcome.acted
        )
        return settlement, outcome

    def _acted(self) -> tuple[str, ...]:
        """Return who has executed a policy of its own in the episode, if only to do nothing, and
        whose person played.
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
        return tuple(name for name in self.scenario.agents if name in started)
