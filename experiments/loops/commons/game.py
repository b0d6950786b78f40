"""The loop of commons games: agents take turns with high-level actions; bots move in between."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from voxpolis.bots.agents.cooperation.knowledge import Known
from voxpolis.bots.agents.generative import Habits, Persona
from voxpolis.bots.agents.generative.agent import GenerativeAgent
from voxpolis.bots.agents.generative.prompts import place_of
from voxpolis.bots.agents.turns import Perception, TurnPlayer
from voxpolis.bots.models import ChatModel
from voxpolis.experiments.loops.cooperation.cooperation import Cooperation, CooperationRun, View
from voxpolis.experiments.people.interventions import MessageBuffer
from voxpolis.grid.commons.game import Commons
from voxpolis.grid.commons.tables import STAY
from voxpolis.judge.deeds.account import Form
from voxpolis.records import RunWriter, events
from voxpolis.worlds.commons.actions import Action, Doing, Immobilize, Stay, carry_out, victim_of
from voxpolis.worlds.commons.history import History
from voxpolis.worlds.commons.sight import Sight, Watcher, distance
from voxpolis.worlds.commons.stage import Stage, take_step
from voxpolis.worlds.commons.table import CommonsTable, Happening, position

# --- The context that a commons game gives the agents' cooperation modules ------------------------


@dataclass
class CommonsContext:
    """The facts about a commons that cooperation modules need; see
    :class:`experiments.loops.cooperation.cooperation.CooperationContext`.

    Attributes:
        table: the grid game.
        agents: the agents, which can hear and talk. Bots cannot.
        hears: how far agents hear each other, in cells.
        plan_of: returns an agent's plan.
        watchers: what each agent has perceived.
    """

    table: CommonsTable
    agents: Sequence[str]
    hears: int
    plan_of: Callable[[str], str]
    watchers: Mapping[str, Watcher] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.history = History(self.table.game.radius)

    def begin(self, watchers: Mapping[str, Watcher]) -> None:
        """Store the watchers, and begin the history with the state of the world at the start."""
        self.watchers = watchers
        table = self.table
        self.history.begin(table.apples, table.open, table.dirty_part, table.sites)

    @property
    def names(self) -> tuple[str, ...]:
        return self.table.names

    @property
    def things(self) -> Mapping[int, int]:
        """A dictionary from the number of each tree to the most apples that the tree can have."""
        return Counter(tree for tree in self.table.tree_of.values() if tree)

    def most(self, form: Form, thing: int) -> int | None:
        """Return the maximum number of times that an act can be done in a round. On a tree, this is
        at most the number of apples that the tree can have.
        """
        return None if form.most is None else min(form.most, self.things.get(thing, form.most))

    @property
    def hour(self) -> int:
        """The time, in steps of the grid game."""
        return self.table.steps

    def hearing(self, name: str) -> tuple[str, ...]:
        """Return the agents in the game that are close enough to an agent to hear it."""
        standing = {self.table.names[i]: cell for cell, i in self.table.standing().items()}
        return tuple(
            other
            for other in self.agents
            if other != name
            and {name, other} <= standing.keys()
            and distance(standing[name], standing[other]) <= self.hears
        )

    def view(self, name: str) -> View:
        """Return what an agent perceives now, for its modules."""
        return self.view_of(name, self.watchers[name].glance())

    def view_of(self, name: str, seen: Perception[Action]) -> View:
        """Convert an agent's perception in its turn into the view that its modules need."""
        plan = self.plan_of(name)
        return View(place_of(seen), seen.observations, seen.changes, plan, seen.about)


def without_attacks(perception: Perception[Action]) -> Perception[Action]:
    """Remove attacks from the actions that an agent can choose, because the law forbids the agent
    to attack.
    """
    allowed = tuple(one for one in perception.actions if not isinstance(one, Immobilize))
    return replace(perception, actions=allowed)


# --------------------------------------------------------------------------------------------------

# Decimal places of transfers in records.
DIGITS = 6
# Bots move once while agents move this many times.
BOTS_PACE = 2
# The kinds of bots, as outputs name them.
SCRIPTED_BOT, TRAINED_BOT = "scripted bot", "trained bot"

# Returns the number of a bot's next action.
Bot = Callable[[], int]


@dataclass(frozen=True)
class CommonsGame:
    """A commons game with its players.

    Attributes:
        game: the map and its rules.
        personas: the agents in turn order.
        bots: names of the bots.
        rounds: maximum number of rounds. The game also ends when no apple is left and none can
            grow.
        attention: maximum number of objects, and also maximum number of changes, that an agent
            notices in a turn.
        habits: parameters of the minds of generative agents.
        cooperation: the agents' cooperation modules; None if the agents have no modules.
        simultaneous: whether all agents choose in the same state and then act at the same time.
        bot_kind: :data:`SCRIPTED_BOT` or :data:`TRAINED_BOT`.
        bots_by: how trained bots were trained; empty for scripted bots.
    """

    game: Commons
    personas: tuple[Persona, ...]
    bots: tuple[str, ...]
    rounds: int
    attention: int
    habits: Habits
    cooperation: Cooperation | None = None
    simultaneous: bool = False
    bot_kind: str = SCRIPTED_BOT
    bots_by: str = ""

    @property
    def kinds_of_bots(self) -> dict[str, str]:
        """A dictionary from the name of each bot to its kind."""
        return dict.fromkeys(self.bots, self.bot_kind)

    @property
    def agents(self) -> tuple[str, ...]:
        return tuple(persona.name for persona in self.personas)

    @property
    def players(self) -> tuple[str, ...]:
        """The names of all players. Agents come first, then bots."""
        return self.agents + self.bots


@dataclass
class Turn:
    """An agent's turn while it is in progress.

    Attributes:
        player: index of the agent.
        perception: what the agent perceived at the start of the turn.
        last_apple: position of the nearest apple if no other apple was left on its tree, otherwise
            None.
        saw_it: whether the agent noticed that apple.
        began: position at the start of the turn.
        had: number of apples that the agent had taken before the turn.
        action: the action that the agent chose.
        doing: iterator over the steps of the action.
        moves: number of steps taken so far.
        outcome: how the action ended; empty while it is in progress.
    """

    player: int
    perception: Perception[Action]
    last_apple: tuple[int, int] | None
    saw_it: bool
    began: tuple[int, int]
    had: int
    action: Action = field(default_factory=Stay)
    doing: Doing | None = None
    moves: int = 0
    outcome: str = ""

    def next_step(self) -> int | None:
        """Return the next step of the action, or None if the action is over."""
        if self.outcome or self.doing is None:
            return None
        try:
            step = next(self.doing)
        except StopIteration as done:
            self.outcome = str(done.value)
            if self.moves:
                return None
            step = STAY  # time passes even if the action is impossible
        self.moves += 1
        return step


class CommonsRun:
    """One episode of a commons game, which is written to a run's record.

    Attributes:
        table: the grid game, which decides the outcome of each step.
        events: the recorded events of the episode.
        actions: the action that belongs to each ``TurnTaken`` event, in order.
        seated: the agents that people play.
        ears: messages from outside to each agent, which the agent perceives in its next turn.
        listen: a function that delivers these messages; called before agents perceive.
    """

    def __init__(
        self,
        played: CommonsGame,
        players: Mapping[str, TurnPlayer[Action]],
        bots: Callable[[CommonsTable, int], Bot],
        writer: RunWriter,
        stage: Stage,
        model: ChatModel | None = None,
    ) -> None:
        """Prepare the episode.

        Args:
            played: the game.
            players: the player that takes the turns of each agent.
            bots: creates a bot, given the game and the bot's index in it.
            writer: writer of the record.
            stage: the world that carries out the steps.
            model: the model for the cooperation modules; None if agents have none.
        """
        self.played = played
        self.table = CommonsTable(played.game, played.players)
        self.events: list[events.Event] = []
        self.actions: list[Action] = []
        self._players = players
        self._bots = bots
        self._writer = writer
        self._stage = stage
        self._targets: dict[str, str] = {}
        self.ears = {name: MessageBuffer() for name in played.agents}
        self.listen: Callable[[], None] = lambda: None
        self.seated: Sequence[str] = ()
        self.cooperation: CooperationRun | None = None
        if played.cooperation is not None and model is not None:
            hears = played.cooperation.hearing
            self._context = CommonsContext(self.table, played.agents, hears, self._plan_of)
            self.cooperation = CooperationRun(
                played.cooperation, played.personas, self._context, model, self._note
            )

    def known(self, name: str) -> Known:
        """Return the knowledge that an agent has from its modules, for its prompts."""
        return self.cooperation.known(name) if self.cooperation else Known()

    def has_acted(self, name: str) -> bool:
        """Return whether an agent has made at least one choice that could be used."""
        return bool(getattr(self._players[name], "acted", False))

    def _plan_of(self, name: str) -> str:
        player = self._players[name]
        return player.plan if isinstance(player, GenerativeAgent) else ""

    async def play(self, number: int, seed: int, failures: Callable[[], None]) -> None:
        """Play until the last round, or until no apple is left and none can grow.

        Args:
            number: number of the repetition, counted from 0.
            seed: seed of all random numbers.
            failures: called after each turn to record answers that could not be used.

        Raises:
            ModelError: a model does not answer.
            FaultError: the world was lost, or its state differs from the grid game's.
        """
        table, count = self.table, len(self.played.agents)
        table.reset(seed)
        self._moves = 0
        self._bodies = {i: self._bots(table, i) for i in range(count, len(table.names))}
        self._watchers = [Watcher(table, i, self.played.attention) for i in range(count)]
        self._last = dict.fromkeys(range(count), (0, "", ""))
        self._sights: dict[str, str] = {}
        await self._stage.build(table, self._note)
        self._note(events.EpisodeStarted, run=number, attempt=1, seed=seed)
        await self._stage.placed()
        for name in self.seated:
            self._note(events.SeatTaken, name)
        if self.cooperation:
            self._context.begin(dict(zip(self.played.agents, self._watchers, strict=True)))
            self.cooperation.begin()
            self._note_sights()
        together = [range(count)] if self.played.simultaneous else [[i] for i in range(count)]
        for round_ in range(1, self.played.rounds + 1):
            for players in together:
                if not table.is_spent:
                    await self._turns(round_, players)
                    failures()
            self._note(events.RoundEnded, round=round_, apples_left=len(table.apples),
                       trees_alive=table.trees_alive, rewards=table.eaten,
                       dirt=table.dirty_part)  # fmt: skip
            if self.cooperation:
                await self.cooperation.after_round()
                failures()
            if table.is_spent:
                break
        reason = "all_gained" if table.is_spent else "time_limit"
        self._note(events.EpisodeEnded, reason=reason, seconds=self._stage.seconds())
        transfers = self.cooperation.end() if self.cooperation else {}
        for name, eaten in (await self._stage.taken()).items():
            paid = round(transfers.get(name, 0.0), DIGITS)
            self._note(events.Reward, name, value=eaten, transfer=paid, reward=eaten + paid)

    async def _turns(self, round_: int, players: Sequence[int]) -> None:
        """Let agents perceive and choose, and then carry out their actions together, step by
        step.
        """
        self.listen()
        turns = [self._turn(player) for player in players]
        if self.cooperation:
            for turn in turns:  # in sequence, because each agent may react to earlier messages
                await self._think(self.cooperation, turn)
        for turn, action in zip(turns, await self._choices(turns), strict=True):
            turn.action = action or Stay()
            turn.doing = carry_out(self.table, turn.player, turn.action)
        self._targets = {self.table.names[one.player]: victim_of(one.action) for one in turns}
        while chosen := {
            turn.player: step for turn in turns if (step := turn.next_step()) is not None
        }:
            await self._step(chosen)
        for turn in turns:
            self._end_turn(round_, turn)

    async def _think(self, cooperation: CooperationRun, turn: Turn) -> None:
        name = self.table.names[turn.player]
        cooperation.companions[name].perceive(turn.perception.changes)
        if cooperation.is_banned(name):
            turn.perception = without_attacks(turn.perception)
        if turn.perception.is_playing:
            await cooperation.think(name, self._context.view_of(name, turn.perception))

    def _turn(self, player: int) -> Turn:
        table = self.table
        perception = self._watchers[player].perceive(*self._last[player])
        told = self.ears[table.names[player]].take()
        perception = replace(perception, changes=(*perception.changes, *told))
        last, saw_it = self._last_apple(player, perception)
        had = table.eaten[table.names[player]]
        return Turn(player, perception, last, saw_it, table.cells[player], had)

    async def _choices(self, turns: Sequence[Turn]) -> list[Action | None]:
        asked = [
            asyncio.ensure_future(
                self._players[self.table.names[turn.player]].choose(turn.perception)
            )
            for turn in turns
        ]
        try:
            return await asyncio.gather(*asked)
        finally:
            for one in asked:
                one.cancel()
            await asyncio.gather(*asked, return_exceptions=True)

    def _end_turn(self, round_: int, turn: Turn) -> None:
        """Record a turn, and keep its outcome for the agent's next perception."""
        table, player, last = self.table, turn.player, turn.last_apple
        name = table.names[player]
        self._last[player] = (table.eaten[name] - turn.had, str(turn.action), turn.outcome)
        self.actions.append(turn.action)
        self._note(
            events.TurnTaken,
            name,
            round=round_,
            action=str(turn.action),
            outcome=turn.outcome,
            moves=turn.moves,
            began=position(turn.began),
            ended=position(table.cells[player]),
            last_apple=None if last is None else position(last),
            saw_it=turn.saw_it,
        )

    def _last_apple(
        self, player: int, perception: Perception[Action]
    ) -> tuple[tuple[int, int] | None, bool]:
        """Return the nearest apple if it is the last of its tree, and whether the agent sees the
        apple.

        An apple under the agent does not count, because the agent cannot take it from there. Among
        equally near apples, one that is not the last of its tree counts as the nearest. The agent
        sees only the apples that it notices.
        """
        table, cell = self.table, self.table.cells[player]
        others = table.apples - {cell}
        if not others or not perception.is_playing:
            return None, False
        nearest = min(others, key=lambda a: (distance(cell, a), table.is_last(a), a))
        if not table.is_last(nearest):
            return None, False
        sight = perception.about
        assert isinstance(sight, Sight)
        return nearest, any(one.what == "apple" and one.cell == nearest for one in sight.objects)

    async def _step(self, moves: Mapping[int, int]) -> None:
        """Advance the world by one step with the moves of the agents. Bots only move in every
        second step.
        """
        self._moves += 1
        chosen = dict(moves)
        if self._moves % BOTS_PACE == 0:
            chosen |= {i: bot() for i, bot in self._bodies.items() if not self.table.out[i]}
        step = take_step(self.table, chosen)
        await self._stage.act(step)
        for one in step.happened:
            self._note_happening(one)
        for watcher in self._watchers:
            watcher.watch(step.happened)
        await self._stage.show(step)
        if self.cooperation:
            self._note_grass(step.grass)
            self._note_sights()

    # --- The record ------------------------------------------------------------------------------

    def _note(self, kind: type[events.Event], agent: str | None = None, **fields: object) -> None:
        event = self._writer.event(kind, agent, **fields)
        self.events.append(event)
        if self.cooperation:
            self.cooperation.take(event)

    def _note_grass(self, before: frozenset[tuple[int, int]]) -> None:
        after = self.table.grass
        if before != after:
            appeared = [position(cell) for cell in sorted(after - before)]
            vanished = [position(cell) for cell in sorted(before - after)]
            self._note(events.GrassChanged, appeared=appeared, vanished=vanished)

    def _note_sights(self) -> None:
        for i, name in enumerate(self.table.names):
            seen = "some" if self.table.view(i) & self.table.apples else "none"
            seen = "out" if self.table.out[i] else seen
            if self._sights.get(name) != seen:
                self._sights[name] = seen
                self._note(events.SightChanged, name, apples=seen)

    def _note_happening(self, one: Happening) -> None:
        at, target = position(one.cell), self._targets.get(one.agent)
        match one.what:
            case "eaten":
                fields = {"position": at, "tree": one.tree, "was_last": one.was_last}
                self._note(events.AppleEaten, one.agent, **fields)
            case "grown":
                self._note(events.AppleGrown, position=at, tree=one.tree)
            case "died":
                self._note(events.TreeDied, tree=one.tree, by=one.agent)
            case "fired":
                self._note(events.ZapFired, one.agent, target=target or None)
            case "hit":
                by_chance = target is not None and one.victim != target
                self._note(events.ZapHit, one.agent, victim=one.victim, by_chance=by_chance)
            case "cleaned":
                self._note(events.RiverCleaned, one.agent, cells=len(one.cleaned))
            case _:
                pass
