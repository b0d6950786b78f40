"""Games in which players make choices by answering typed questions, at the same time or in turn.

``ask_all`` and ``ask_in_turn`` ask for choices, and ``converse`` lets players talk. The ``play``
method of a scenario combines these functions. A game with several stages therefore simply makes
several calls.
"""

from __future__ import annotations

import inspect
import random
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import Field, ValidationError

from voxpolis.bots.agents.protocol import AgentError, Chooser, ChooserSetup, Question
from voxpolis.bots.agents.registry import KINDS
from voxpolis.bots.asking import all_answered
from voxpolis.bots.models import Message
from voxpolis.bots.models.typed import Answer, AnswerError, line, wire_schema
from voxpolis.bots.prompts import quoted_line
from voxpolis.experiments.run.agents import CHOOSER, RANDOM, SCRIPTED
from voxpolis.experiments.run.options import RunOptions
from voxpolis.experiments.run.scenario import Entry, LackingError, Result, Run, Scenario
from voxpolis.judge.contracts.settlement import TOLERANCE
from voxpolis.records import SimulatedClock, events
from voxpolis.records.measures import gini, known_mean_and_sd, welfare
from voxpolis.records.reader import PERSON
from voxpolis.worlds.chests import Chests, CountedChests, RecordedChests
from voxpolis.worlds.circle import Circle
from voxpolis.worlds.recorded import ReplayWriter

A = TypeVar("A", bound=Answer)


@dataclass(frozen=True)
class Choice(Generic[A]):
    """A question to a player.

    Attributes:
        rules: the part of the prompt that never changes: the game and the player's goal.
        moment: the part of the prompt that describes the current situation.
        answer: the type of the answer.
        about: the data from which both texts were rendered, for scripted minds.
        narrow: returns a subtype of ``answer`` that only allows what the player can choose now.
        role: the role of the question, which determines the model that answers.
    """

    rules: str
    moment: str
    answer: type[A]
    about: object = None
    narrow: Callable[[], type[A]] | None = None
    role: str = "choose"


async def ask_all(
    run: Run, players: Sequence[str], question: Callable[[str], Choice[A]]
) -> dict[str, A]:
    """Ask all players at the same time. No player sees the answer of another.

    Returns:
        A dictionary from players to answers. Players without a usable answer are missing in it, and
        are counted in the record.

    Raises:
        ModelError: a model does not answer.
    """
    if strange := {*players} - run.agents.keys():
        raise LackingError(f"{', '.join(map(str, strange))} is asked, but is not a player")
    choices = {player: question(player) for player in players}
    found = await all_answered(_answer(run, name, choice) for name, choice in choices.items())
    answers = {}
    for player, answer in zip(players, found, strict=True):
        if answer is not None:
            answers[player] = answer
            run.note(events.ChoiceMade, player, choice=answer.model_dump(mode="json"))
    run.note_failures()
    return answers


async def ask_in_turn(
    run: Run, players: Sequence[str], question: Callable[[str], Choice[A]]
) -> dict[str, A]:
    """Ask players one after another. A question may mention what earlier players have chosen."""
    answers: dict[str, A] = {}
    for player in players:
        answers |= await ask_all(run, [player], question)
    return answers


class Line(Answer):
    """A line of dialogue that all players hear."""

    say: line() = Field(description="What you say to all, in one or two sentences.")  # type: ignore[valid-type]


async def converse(
    run: Run, players: Sequence[str], question: Callable[[str, str], Choice[Line]]
) -> list[tuple[str, str]]:
    """Let each player say one line in turn. Players hear the earlier lines first.

    ``question`` is called with the name of the player and with the lines said so far, in quotation
    marks.
    """
    said: list[tuple[str, str]] = []
    for player in players:
        so_far = "\n".join(f"{name}: {quoted_line(text)}" for name, text in said)
        answer = await _answer(run, player, question(player, so_far))
        run.note_failures()
        if answer is not None:
            said.append((player, answer.say))
            run.note(events.Chat, player, text=answer.say)
    return said


async def _answer(run: Run, player: str, choice: Choice[A]) -> A | None:
    """Return a player's answer, or None if the answer could not be used."""
    kind = (choice.narrow or (lambda: choice.answer))()
    if run.agents[player] == RANDOM:
        rng = run.kept.setdefault(
            f"random {player} {run.seed}", random.Random(f"{run.seed} {player}")
        )
        return choice.answer.model_validate(_drawn(wire_schema(kind, thought=False), rng))
    rules: Message = {"role": "system", "content": f"You are {player}. {choice.rules}"}
    messages: list[Message] = [rules, {"role": "user", "content": choice.moment}]
    question = Question(player, choice.role, messages, choice.answer, kind, choice.about)
    own = _custom_agent(run, player)
    try:
        answer = await (question.ask(run.model) if own is None else own.choose(question))
    except AnswerError:
        return None
    try:  # also restricts scripted minds and custom agents
        if not isinstance(answer, choice.answer):
            raise AnswerError(f"it is no {choice.answer.__name__}")
        kind.model_validate(answer.model_dump())
    except (AnswerError, ValidationError) as error:
        why = str(error)
        if isinstance(error, ValidationError):
            first = error.errors()[0]
            why = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        who = player if own is None else f"the agent of {player}, {type(own).__name__},"
        raise LackingError(f"{who} answers {choice.role} with {answer!r:.80}: {why}") from error
    if own is not None:
        run.kept.setdefault(f"chose {run.seed}", set()).add(player)
    return answer


def _custom_agent(run: Run, player: str) -> Chooser | None:
    """Return the player's custom agent, or None if the player has none. The agent is kept for the
    whole repetition.

    Raises:
        AgentError: the class of the agent has no ``choose`` method.
    """
    kind = KINDS.get(run.agents[player])
    if kind is None or kind.source is None:
        return None
    key = f"chooser {player} {run.seed}"
    if key not in run.kept:
        if not inspect.iscoroutinefunction(getattr(kind.source, "choose", None)):
            told = f"the agent of {player}, {kind.source.__name__}"
            raise AgentError(f"{told}: choose() must be an async function")
        note = lambda event, **fields: run.note(event, player, **fields)  # noqa: E731
        made: Any = kind.source
        run.kept[key] = made(ChooserSetup(player, run.model, note, run.seed))
    found: Chooser = run.kept[key]
    return found


async def with_chests(run: Run, chests: Sequence[str], most: int) -> Chests:
    """Return the world of a game in which agents put tokens into named chests. Each player has a
    chest, and there is a common pot, into which players usually put at most ``most`` tokens.

    On a server, bots join before the first repetition and leave after the last repetition.
    """
    run.writer.begin_episode(run.number)  # the repetition that the new world belongs to
    if isinstance(run.clock, SimulatedClock):
        pot = next(chest for chest in chests if chest not in run.agents)
        circle = Circle(run.note, list(run.agents), (pot, "blackstone", "terracotta"), most)
        return CountedChests(run.clock, circle, pot)
    if run.server is None:
        assert isinstance(run.writer, ReplayWriter)
        return RecordedChests(run.writer)
    # Only Minecraft needs a server and its bots.
    from voxpolis.worlds.minecraft.chests import MinecraftChests  # noqa: PLC0415
    from voxpolis.worlds.minecraft.session import open_session  # noqa: PLC0415

    if "session" not in run.kept:
        who = (run.server, run.writer, tuple(run.agents))
        opening = open_session(*who, standstill=run.standstill, hosts=run.hosts)
        run.kept["session"] = await run.stack.enter_async_context(opening)
    world = MinecraftChests(run.kept["session"], list(run.agents), chests)
    await world.build()
    return world


def advance(run: Run, seconds: float) -> None:
    """Let time pass on the grid; elsewhere, time passes by itself."""
    if isinstance(run.clock, SimulatedClock):
        run.clock.set(run.clock.now() + seconds)


def _drawn(schema: Mapping[str, Any], rng: random.Random) -> Any:
    """Return a random value that a JSON schema allows."""
    if "anyOf" in schema:
        return _drawn(rng.choice(schema["anyOf"]), rng)
    if "enum" in schema:
        return rng.choice(schema["enum"])
    if "const" in schema:
        return schema["const"]
    match schema.get("type"):
        case "object":
            return {name: _drawn(part, rng) for name, part in schema["properties"].items()}
        case "integer":
            return rng.randint(schema.get("minimum", 0), schema.get("maximum", 100))
        case "number":
            return rng.uniform(schema.get("minimum", 0.0), schema.get("maximum", 1.0))
        case "boolean":
            return rng.random() < 0.5
        case "array":
            return [_drawn(schema["items"], rng) for _ in range(schema.get("minItems", 0))]
        case "null":
            return None
    return "…"


class ChoiceOptions(RunOptions):
    """The options of games of choices. A repetition is one episode, which consists of several
    rounds.
    """

    episodes: int = Field(default=1, ge=1, le=1, json_schema_extra={"hidden": True})


class ChoiceScenario(Scenario):
    """The base class of games of choices without a map.

    Subclasses define ``play``, which calls :meth:`end` last. A measure ``mean.NAME`` is the mean of
    the values that were passed to ``end`` under the name ``NAME``.
    """

    worlds: ClassVar[Mapping[str, Sequence[str]]] = {"grid": (CHOOSER, SCRIPTED, RANDOM, PERSON)}
    measures: ClassVar[Sequence[str]] = ("mean.welfare", "mean.gini")
    options: ClassVar[type[RunOptions]] = ChoiceOptions

    rounds: int = Field(default=10, ge=1, le=1000, description="Number of rounds in an episode.")

    @property
    @abstractmethod
    def agent_names(self) -> Sequence[str]:
        """The names of the players."""

    @property
    def optimum(self) -> float | None:
        """The largest possible welfare, which results show beside the welfare; None if unknown."""
        return None

    def begin(self, run: Run) -> None:
        run.writer.begin_episode(run.number)
        run.note(events.EpisodeStarted, run=run.number, attempt=1, seed=run.seed)
        for name, kind in run.agents.items():
            if kind == PERSON:
                run.note(events.SeatTaken, name)

    def end_round(self, run: Run, number: int, payoffs: Mapping[str, float], **more: Any) -> Entry:
        """Record each player's payoff for a round, and return the round's row in the result. On the
        grid, a round takes 1 s and ends at a whole second.
        """
        if strange := payoffs.keys() - {*self.agent_names}:
            raise LackingError(
                f"{self.name}: payoffs given for {', '.join(strange)}, who is not a player"
            )
        advance(run, 1 - run.clock.now() % 1)
        run.note(events.PayoffsMade, round=number, payoffs=dict(payoffs))
        return {"round": number, "payoffs": dict(payoffs), **more}

    def end(
        self,
        run: Run,
        rows: Sequence[Entry],
        seconds: float | None = None,
        transfers: Mapping[str, float] | None = None,
        **more: Any,
    ) -> None:
        """Finish a repetition. A player's reward is the sum of its payoffs, plus its amount in
        ``transfers``.

        ``seconds`` is the duration of the repetition, for worlds that have their own clock.
        """
        moved = dict.fromkeys(self.agent_names, 0.0) | dict(transfers or {})
        if strange := moved.keys() - {*self.agent_names}:
            raise LackingError(
                f"{self.name}: a transfer goes to {', '.join(strange)}, who is not a player"
            )
        if not abs(sum(moved.values())) <= TOLERANCE:
            raise LackingError(
                f"{self.name}: transfers sum to {sum(moved.values()):g}; they must sum to zero"
            )
        if run.kept.get("ended") == (run.condition, run.number):
            raise LackingError(f"{self.name}: end() was called twice in one repetition")
        run.kept["ended"] = run.condition, run.number
        values = {
            name: sum(row["payoffs"].get(name, 0.0) for row in rows) for name in self.agent_names
        }
        rewards = {name: value + moved[name] for name, value in values.items()}
        run.note(
            events.EpisodeEnded,
            reason="time_limit",
            seconds=float(len(rows) if seconds is None else seconds),
        )
        for name, reward in rewards.items():
            told = {"value": values[name], "transfer": moved[name], "reward": reward}
            run.note(events.Reward, name, **told)
        decided = run.model.account.decided(self.agent_names)
        # custom agents may act without asking a model
        chose = run.kept.get(f"chose {run.seed}", ())
        acted = [
            n for n in self.agent_names if run.agents[n] == RANDOM or n in decided or n in chose
        ]
        everybody = len(acted) == len(rewards)
        known = {"welfare", "gini", *more}
        if lacking := {name.removeprefix("mean.") for name in self.measures} - known:
            raise LackingError(f"{self.name}: end() was not given the measure {', '.join(lacking)}")
        run.finish(
            {
                "agents": {name: {"reward": reward} for name, reward in rewards.items()},
                "welfare": welfare(list(rewards.values())) if everybody else None,
                "gini": gini(list(rewards.values())) if everybody else None,
                "rounds": list(rows),
                "acted": acted,
                **more,
            }
        )

    def summary(self, entries: Sequence[Entry]) -> Result:
        """Return the mean and the standard deviation of each measure."""
        names = [measure.removeprefix("mean.") for measure in self.measures]
        spread = {name: known_mean_and_sd([entry[name] for entry in entries]) for name in names}
        known = {} if self.optimum is None else {"welfare_optimum": self.optimum}
        return {
            **known,
            "mean": {name: pair[0] for name, pair in spread.items()},
            "sd": {name: pair[1] for name, pair in spread.items()},
        }

    def show(self, result: Result) -> None:
        """Print one row per repetition, and then the means."""
        from rich.table import Table  # noqa: PLC0415 - a command that plays shows it at the end

        from voxpolis.experiments.run.tables import mean_with_sd  # noqa: PLC0415
        from voxpolis.records.console import plain_console, print_whole  # noqa: PLC0415

        columns = [measure.removeprefix("mean.") for measure in self.measures]
        table = Table(title=f"{self.name}, {self.condition}, mind {result['mind']}")
        for column in ("seed", *self.agent_names, *columns):
            table.add_column(column, justify="right", no_wrap=True)
        for entry in result["runs"]:
            rewards = [f"{own['reward']:g}" for own in entry["agents"].values()]
            cells = [mean_with_sd(entry[name], None) for name in columns]
            table.add_row(str(entry["seed"]), *rewards, *cells)
        console = plain_console()
        print_whole(console, table)
        if len(result["runs"]) > 1:
            for name in columns:
                spread = mean_with_sd(result["mean"][name], result["sd"][name])
                console.print(f"{name}: {spread}")
