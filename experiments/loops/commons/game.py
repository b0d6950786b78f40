"""The loop of games about a commons: agents take turns with high-level actions, bots keep pace."""

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
from voxpolis.experiments.people.interventions import Ear
from voxpolis.grid.commons.game import Commons
from voxpolis.grid.commons.tables import STAY
from voxpolis.judge.deeds.account import Form
from voxpolis.records import RunWriter, events
from voxpolis.worlds.commons.actions import Action, Doing, Immobilize, Stay, carry_out, victim_of
from voxpolis.worlds.commons.history import History
from voxpolis.worlds.commons.sight import Sight, Watcher, distance
from voxpolis.worlds.commons.stage import Stage, take_step
from voxpolis.worlds.commons.table import CommonsTable, Happening, position

# --- What a game about a commons lends to the modules of cooperation that its agents carry --------


@dataclass
class CommonsPlace:
    """A commons as a place where agents cooperate.

    See :class:`experiments.loops.cooperation.cooperation.Place`.

    Attributes:
        table: the substrate.
        agents: who can hear and talk; bots cannot.
        hears: how many cells away agents hear each other.
        plan_of: returns an agent's plan.
        watchers: what each agent perceives.
    """

    table: CommonsTable
    agents: Sequence[str]
    hears: int
    plan_of: Callable[[str], str]
    watchers: Mapping[str, Watcher] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.history = History(self.table.game.radius)

    def begin(self, watchers: Mapping[str, Watcher]) -> None:
        """Look at what stands there at first."""
        self.watchers = watchers
        table = self.table
        self.history.begin(table.apples, table.open, table.dirty_part, table.sites)

    @property
    def names(self) -> tuple[str, ...]:
        """All players."""
        return self.table.names

    @property
    def things(self) -> Mapping[int, int]:
        """The trees, each with how many apples it can have."""
        return Counter(tree for tree in self.table.tree_of.values() if tree)

    def most(self, form: Form, thing: int) -> int | None:
        """Return how often anybody can do something in a round: a tree has so many apples."""
        return None if form.most is None else min(form.most, self.things.get(thing, form.most))

    @property
    def hour(self) -> int:
        """The substrate's steps."""
        return self.table.steps

    def hearing(self, name: str) -> tuple[str, ...]:
        """Return the agents that hear an agent: those in the game that are near enough."""
        standing = {self.table.names[i]: cell for cell, i in self.table.standing().items()}
        return tuple(
            other
            for other in self.agents
            if other != name
            and {name, other} <= standing.keys()
            and distance(standing[name], standing[other]) <= self.hears
        )

    def view(self, name: str) -> View:
        """Return what an agent perceives now."""
        return self.view_of(name, self.watchers[name].glance())

    def view_of(self, name: str, seen: Perception[Action]) -> View:
        """Return what an agent perceives in its turn, as its modules are told."""
        plan = self.plan_of(name)
        return View(place_of(seen), seen.observations, seen.changes, plan, seen.about)


def without_attacks(perception: Perception[Action]) -> Perception[Action]:
    """Return what an agent perceives whom the law forbids to attack: without these actions."""
    allowed = tuple(one for one in perception.actions if not isinstance(one, Immobilize))
    return replace(perception, actions=allowed)


# --------------------------------------------------------------------------------------------------

# Of transfers in records.
DIGITS = 6
# Bots move once for so many moves of the agents.
BOTS_PACE = 2
# What bots are called in every output.
SCRIPTED_BOT, TRAINED_BOT = "scripted bot", "trained bot"

# Returns a bot's next action, as a number.
Bot = Callable[[], int]


@dataclass(frozen=True)
class CommonsGame:
    """A game as it is played.

    Attributes:
        game: the map and its rules.
        personas: the agents, in the order of their turns.
        bots: the names of the bots.
        rounds: after so many it is over, or when no apple is left and none can grow.
        attention: how many objects an agent attends to, and how many changes.
        habits: how generative agents' minds work.
        cooperation: the modules that agents carry besides; None: none.
        simultaneous: all agents choose on the same state, and carry out what they chose together.
        bot_kind: what each bot is: :data:`SCRIPTED_BOT` or :data:`TRAINED_BOT`.
        bots_by: of trained bots, what they were trained on; empty: nothing.
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
        """What each bot is, by its name."""
        return dict.fromkeys(self.bots, self.bot_kind)

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents' names."""
        return tuple(persona.name for persona in self.personas)

    @property
    def players(self) -> tuple[str, ...]:
        """All names: the agents', then the bots'."""
        return self.agents + self.bots


@dataclass
class Turn:
    """An agent's turn while it is taken.

    Attributes:
        player: the agent's number.
        perception: what it perceived.
        last_apple: where the nearest apple was, if it was the last of its tree.
        saw_it: whether the agent saw that one.
        began: where it was.
        had: the apples that it had taken.
        action: what it chose.
        doing: the steps of that.
        moves: the steps that it has taken.
        outcome: what came of it; empty: it is at it still.
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
        """Return the next step of the action; None: it is over."""
        if self.outcome or self.doing is None:
            return None
        try:
            step = next(self.doing)
        except StopIteration as done:
            self.outcome = str(done.value)
            if self.moves:
                return None
            step = STAY  # time passes, also where nothing can be done
        self.moves += 1
        return step


class CommonsRun:
    """One episode, into a run's record.

    Attributes:
        table: the substrate, which decides what comes of a step.
        events: what was recorded of the episode.
        actions: the action of each of its events ``TurnTaken``, in their order.
        seated: the agents that persons play.
        ears: what each agent is told from outside, which it perceives in its next turn.
        listen: is called before agents perceive, to let them be told something.
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
        """Get ready.

        Args:
            played: what is played.
            players: what chooses for each agent.
            bots: returns a bot, from the world and its number in it.
            writer: of the record.
            stage: where it is carried out.
            model: answers for the modules of cooperation; None: agents carry none.
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
        self.ears = {name: Ear() for name in played.agents}
        self.listen: Callable[[], None] = lambda: None
        self.seated: Sequence[str] = ()
        self.cooperation: CooperationRun | None = None
        if played.cooperation is not None and model is not None:
            hears = played.cooperation.hearing
            self._place = CommonsPlace(self.table, played.agents, hears, self._plan_of)
            self.cooperation = CooperationRun(
                played.cooperation, played.personas, self._place, model, self._note
            )

    def known(self, name: str) -> Known:
        """Return what an agent knows by the modules that it carries."""
        return self.cooperation.known(name) if self.cooperation else Known()

    def has_acted(self, name: str) -> bool:
        """Return whether an agent has chosen an action of its own."""
        return bool(getattr(self._players[name], "acted", False))

    def _plan_of(self, name: str) -> str:
        player = self._players[name]
        return player.plan if isinstance(player, GenerativeAgent) else ""

    async def play(self, number: int, seed: int, failures: Callable[[], None]) -> None:
        """Play to the end of the last round, or until no apple is left and none can grow.

        Args:
            number: the repetition, counting from 0.
            seed: fixes what is drawn.
            failures: is called after each turn, to record answers that could not be used.

        Raises:
            ModelError: a model does not answer.
            FaultError: the world was lost, or is not as the substrate has it.
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
            self._place.begin(dict(zip(self.played.agents, self._watchers, strict=True)))
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
        """Let agents perceive and choose, and carry out what they chose step by step, together."""
        self.listen()
        turns = [self._turn(player) for player in players]
        if self.cooperation:
            for turn in turns:  # one after another: what is said depends on what was said
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
        """Let an agent's modules have their turn, and the law take what it forbids."""
        name = self.table.names[turn.player]
        cooperation.companions[name].perceive(turn.perception.changes)
        if cooperation.is_banned(name):
            turn.perception = without_attacks(turn.perception)
        if turn.perception.is_playing:
            await cooperation.think(name, self._place.view_of(name, turn.perception))

    def _turn(self, player: int) -> Turn:
        """Return an agent's turn as it begins."""
        table = self.table
        perception = self._watchers[player].perceive(*self._last[player])
        told = self.ears[table.names[player]].take()
        perception = replace(perception, changes=(*perception.changes, *told))
        last, saw_it = self._last_apple(player, perception)
        had = table.eaten[table.names[player]]
        return Turn(player, perception, last, saw_it, table.cells[player], had)

    async def _choices(self, turns: Sequence[Turn]) -> list[Action | None]:
        """Return what agents choose; they are asked at once."""
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
        """Record a turn, and keep what its agent is to be told of it."""
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
        """Return the nearest apple where it is the last of its tree, and whether it is seen.

        One that grew under the agent cannot be taken from there and does not count; of several
        that are as near one that is no last one counts. An agent sees what it attends to.
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
        """Let the world take a step with agents' moves, and with the bots' after every second."""
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
        """Record where grass appeared and vanished."""
        after = self.table.grass
        if before != after:
            appeared = [position(cell) for cell in sorted(after - before)]
            vanished = [position(cell) for cell in sorted(before - after)]
            self._note(events.GrassChanged, appeared=appeared, vanished=vanished)

    def _note_sights(self) -> None:
        """Record who begins to see apples, or to see none."""
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
