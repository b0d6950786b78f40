"""A condition of a contract scenario, ready to be played: its minds, worlds, results and tables."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from voxpolis.bots.agents.whole_policies import step_by_step
from voxpolis.bots.models.scripted import Script
from voxpolis.experiments.loops.contract.case import note_contract
from voxpolis.experiments.loops.contract.experiment import KINDS, NEGOTIATE
from voxpolis.experiments.loops.contract.game import ContractGame
from voxpolis.experiments.loops.contract.prompts import WRITERS, Asked, contract_prompts
from voxpolis.experiments.loops.contract.protocol import ContractScenario
from voxpolis.experiments.loops.contract.settings import ContractOptions, PlayTerms
from voxpolis.experiments.loops.cooperation.measures import print_cooperation, spread_of
from voxpolis.experiments.loops.cooperation.rules import MODULE_ROLES
from voxpolis.experiments.people.people import HUMAN
from voxpolis.experiments.run.agents import assign
from voxpolis.experiments.run.experiment import (
    Case,
    Entry,
    Result,
    Session,
    repetitions,
)
from voxpolis.experiments.run.live_view import LiveView
from voxpolis.experiments.run.model_choice import ModelChoice
from voxpolis.experiments.run.options import UsageError
from voxpolis.experiments.run.tables import print_contract_result
from voxpolis.judge import Contract
from voxpolis.records import SimulatedClock
from voxpolis.records.measures import known_mean_and_sd, mean_and_sd
from voxpolis.worlds.protocol import World
from voxpolis.worlds.recorded import RecordedArena, ReplayWriter

if TYPE_CHECKING:  # only a run on the grid loads its compiler
    from voxpolis.worlds.grid import GridArena


@dataclass
class PreparedContract:
    """A condition of a contract scenario; see :class:`experiments.run.experiment.Prepared`."""

    scenario: ContractScenario
    options: ContractOptions
    contract: Contract
    world: str
    #: Kinds of agents that can play there, the default first.
    kinds_there: Sequence[str]
    records_scripted_calls: bool = True
    needs_land = False
    _next_episode: int = 0
    _world: World | None = None

    @property
    def agents(self) -> Sequence[str]:
        """The players."""
        return self.scenario.agents

    @property
    def cases(self) -> Sequence[Case]:
        """The repetitions, each with the next seed."""
        return repetitions(self.contract.name, self.options.seed, self.options.runs)

    @property
    def rounds(self) -> int | None:
        """Messages that players have to negotiate; None where the contract is given."""
        return self.options.rounds if self.options.condition == NEGOTIATE else None

    def manifest(self) -> dict[str, Any]:
        """Return what ``run.yaml`` says of the condition."""
        options = self.options
        return {
            "contract": {"name": self.contract.name, "text": self.contract.text},
            "rounds": self.rounds,
            "compiled": options.compiled,
            "episodes": options.episodes,
            "renegotiate": options.renegotiate,
            "memory": options.memory,
            "judge": options.judge,
        }

    def notes(self, choice: ModelChoice) -> list[str]:
        """Return what people should know before it begins."""
        people = [text.partition("=")[0] for text in self.options.kinds_asked if "=human" in text]
        limit = ", who sends no signals" if self.world == "minecraft" else ""
        played = [f"{name} is played by a person{limit}." for name in people]
        usual = type(self.options).model_fields["rounds"].default
        if self.rounds is None and self.options.rounds != usual:
            name = self.contract.name
            played.append(f"--rounds changes nothing here: nobody negotiates in {name}.")
        if choice.is_language_model:
            return played
        lines = [
            *played,
            "Scripted minds: programs written beforehand, no language model is asked.",
        ]
        if self.contract.text and not self.contract.is_exact:
            lines.append("They cannot read a contract in free words: they play greedily under it,")
            lines.append("and nobody can judge it, so nothing will be transferred.")
        return lines

    def script(self, case: Case) -> Script:
        """Return the scripted minds."""
        script = self.scenario.script(case.seed)
        # code writers, who play where nobody else is asked for, ask for whole policies
        is_writers = not self.options.agent and self.kinds_there[0] == KINDS[self.world][0]
        return script if is_writers else step_by_step(script)

    async def play(self, case: Case, session: Session) -> AsyncIterator[Entry]:
        """Play one repetition."""
        if self._world is None:
            self._world = await self._enter(session)
        async for entry in self._play(case, session, self._world):
            yield entry

    async def _enter(self, session: Session) -> World:
        """Return the world, which stays open until the run is over."""
        if session.server is None:
            return self._headless(session)
        # only this world needs a server and its bots
        from voxpolis.worlds.minecraft.arena import MinecraftArena  # noqa: PLC0415
        from voxpolis.worlds.minecraft.session import open_session  # noqa: PLC0415

        agents = self.scenario.agents
        opening = open_session(
            session.server,
            session.writer,
            agents,
            seats=session.seats,
            say=session.say,
            standstill=session.standstill,
            hosts=session.hosts,
        )
        return MinecraftArena(await session.stack.enter_async_context(opening), agents)

    def _headless(self, session: Session) -> GridArena | RecordedArena:
        scenario = self.scenario
        if self.world == "grid":
            from voxpolis.worlds.grid import GridArena  # noqa: PLC0415 - loads the grid's compiler

            assert isinstance(session.clock, SimulatedClock)
            layout = scenario.layout(self.options.seed)
            args = (session.writer, session.clock, layout, scenario.agents)
            return GridArena(*args, steps_per_s=scenario.steps_per_s)
        assert isinstance(session.writer, ReplayWriter)
        others = set(session.agents.values()) - {"code_writer", "scripted"}
        if others:
            raise UsageError(f"runs of {others.pop()} agents in Minecraft cannot be replayed")
        return RecordedArena(session.writer, scenario.agents)

    async def _play(self, case: Case, session: Session, world: World) -> AsyncIterator[Entry]:
        options = self.options
        terms = PlayTerms(
            self.contract.name,
            self.contract,
            self.rounds,
            options.judge,
            options.compiled,
            options.renegotiate,
            options.episodes,
            options.memory,
            session.choice.is_language_model or session.choice.is_counted,
        )
        if self.rounds is None and case.number == 0:
            note_contract(session.writer.event, self.contract)
        kinds = {
            name: "code_writer" if kind == "scripted" else kind
            for name, kind in session.agents.items()
        }
        title = f"{self.scenario.name} · {self.contract.name} · mind {session.choice.kind}"
        number = f"run {case.number + 1} of {options.runs}"
        board = session.choice.board
        with LiveView(title, number, self.scenario.agents, world, board) as live:
            if live.is_moving:
                session.progress.hush()
            game = ContractGame(
                self.scenario,
                terms,
                world,
                session.model,
                kinds,
                live,
                case.number,
                self._next_episode,
            )
            async for outcome in game.run(case.seed):
                session.faults += outcome.faults
                self._next_episode = game.next_episode
                yield outcome.as_json()

    def _kinds(self) -> Mapping[str, str]:
        """Return each agent's kind."""
        where = f"{self.scenario.name} in the world {self.world}"
        return assign(self.options.kinds_asked, self.agents, self.kinds_there, where)

    def lasts_s(self, case: Case) -> float | None:
        """Return None: who negotiates for how long, and when a game is over, is up to the minds."""
        return None

    def most_calls(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Return all attempts, all rounds, all plans that time allows, and a judge of words.

        What kinds of a user's own ask is as often as it was counted.
        """
        options, scenario, most = self.options, self.scenario, dict(counted)
        episodes, cooperation = options.runs * options.episodes, scenario.cooperation()
        # a program that failed is written anew, and all play again; plans are made as one plays,
        # and with modules of cooperation an episode is played once
        tries = scenario.max_attempts if "action" in most and cooperation is None else 1
        attempts = episodes * tries
        writers = sum(kind in WRITERS for kind in self._kinds().values())
        if "action" in most:
            writing = attempts * writers
            most |= {role: max(writing, most.get(role, 0)) for role in ("action", "critic")}
        if "planner" in most:
            # only a run on the grid loads its compiler
            from voxpolis.bots.agents.planner.player import most_plans  # noqa: PLC0415

            each = most_plans(scenario.time_limit_s, scenario.steps_per_s)
            planners = sum(kind not in (*WRITERS, HUMAN) for kind in self._kinds().values())
            most["planner"] = attempts * planners * each
        if self.rounds is not None:
            talks = options.runs * (options.episodes if options.renegotiate else 1)
            most["negotiator"] = talks * self.rounds
            most |= {"compiler": talks * self.rounds} if options.compiled else {}
        is_read = options.judge != "exact" or not self.contract.is_exact
        if self.rounds is not None or (self.contract.text and is_read):
            most["judge"] = attempts
        if cooperation is not None:
            asked = options.runs * options.episodes * len(self.agents)
            roles = (role for module in cooperation.modules for role in MODULE_ROLES[module])
            most |= {role: max(asked, most.get(role, 0)) for role in roles}
        return most

    def summary(self, entries: Sequence[Entry]) -> Result:
        """Return means and standard deviations over all episodes that count.

        Those are sound, and everybody acted in them.
        """
        everybody = set(self.agents)
        counted = [e for e in entries if set(e["acted"]) == everybody and e.get("sound", True)]
        spread = {
            name: known_mean_and_sd([entry[name] for entry in counted])
            for name in ("welfare", "gini")
        }
        failed = sum(sum(entry["failed_answers"].values()) for entry in entries)
        rewards = {
            agent: mean_and_sd([entry["agents"][agent]["reward"] for entry in counted])[0]
            for agent in self.scenario.agents
            if counted
        }
        return {
            "contract": self.contract.name,
            "rewards": rewards,
            "published": self.scenario.published.get(self.contract.name),
            "measured": {
                world: by_name.get(self.contract.name)
                for world, by_name in self.scenario.measured.items()
            },
            "source": self.scenario.source,
            "welfare_optimum": self.scenario.optimum,
            "mean": {name: pair[0] for name, pair in spread.items()},
            "sd": {name: pair[1] for name, pair in spread.items()},
            "failed_answers": failed,
            **self._cooperated(entries),
        }

    def _cooperated(self, entries: Sequence[Entry]) -> Result:
        """Return what modules came to, over repetitions: each up to its last episode."""
        cooperation = self.scenario.cooperation()
        if cooperation is None:
            return {"modules": []}
        last = {entry["seed"]: entry["cooperation"] for entry in entries}
        return {"modules": list(cooperation.modules), "cooperation": spread_of(last.values())}

    def show(self, result: Result) -> None:
        """Print the table of all runs."""
        print_contract_result(self.scenario.counted, result)
        if result["modules"]:
            print_cooperation(", ".join(result["modules"]), result["cooperation"])

    def prompts(self) -> str:
        """Return what each role would be asked."""
        options = self.options
        asked = Asked(
            self.scenario, self.contract, self.world, options.seed, self.rounds, options.compiled
        )
        return contract_prompts(asked, self._kinds(), remembers=options.memory != "none")
