"""Societies of PIANO agents: what taxation and religion have in common.

A society lives in a habitat (a computed village, or Minecraft), for so many seconds, into a run's
record. On the grid time is simulated, so a run that was cut off is resumed by playing it again from
its seed, without asking anybody what is in the record, up to where it ended, and on from there.
"""

from __future__ import annotations

import gc
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from bots.agents.piano import Agent, Body, RealTime, SimulatedTime, Society, Thinker, Time
from bots.agents.piano.society import faults
from bots.models import ChatModel
from records import Event, RunWriter, events
from records.events import Position
from records.measures import coherence

#: Words by which an utterance announces an action of the societies' vocabulary.
ANNOUNCES: Mapping[str, re.Pattern[str]] = {
    "PAY": re.compile(r"\bI(?: am|'m| will|'ll)\b[^.]*\b(?:pay|paying|deposit)", re.IGNORECASE),
    "WORK": re.compile(r"\bI(?: am|'m| will|'ll)\b[^.]*\bwork", re.IGNORECASE),
    "VISIT": re.compile(r"\bI(?: am|'m| will|'ll)\b[^.]*\bvisit", re.IGNORECASE),
    "REST": re.compile(r"\bI(?: am|'m| will|'ll)\b[^.]*\brest", re.IGNORECASE),
    "GO": re.compile(r"\bI(?: am|'m| will|'ll)\b[^.]*\b(?:go|going|off) to", re.IGNORECASE),
}


class Habitat(Protocol):
    """The world of a society."""

    def body(self, name: str) -> Body:
        """An agent's body."""

    def position(self, name: str) -> Position:
        """Where an agent is."""


class Life:
    """One society from its beginning to its end, and its record."""

    def __init__(
        self,
        habitat: Habitat,
        time: Time,
        writer: RunWriter,
        model: ChatModel,
        *,
        seed: int,
        thinking_s: float,
        timeout_s: float | None,
        position_every_s: float | None = 10.0,
    ) -> None:
        """Open a society's life.

        ``thinking_s`` and ``timeout_s``: see :class:`bots.agents.piano.Thinker`. ``position_every_s``: how
        often positions are recorded; None where the world records them itself.
        """
        self.habitat = habitat
        self.time = time
        self.writer = writer
        self.agents: dict[str, Agent] = {}
        #: Where agents are from, for the record of their goals.
        self.homes: dict[str, str] = {}
        #: Called with each utterance: who spoke, the words, and who heard them.
        self.listeners: list[Callable[[str, str, list[str]], None]] = []
        self._acts: dict[str, list[tuple[str, str]]] = defaultdict(list)
        self._seed = seed
        self._position_every_s = position_every_s
        self._thinker = Thinker(model, thinking_s, timeout_s)
        self._society = Society(time, seed)

    def admit(
        self,
        name: str,
        traits: str,
        modules: Mapping[str, float],
        places: Iterable[str],
        *,
        broadcast: bool = True,
        quantum: float = 0.0,
    ) -> Agent:
        """Let an agent live here."""
        agent = Agent(
            name=name,
            traits=traits,
            index=len(self.agents),
            body=self.habitat.body(name),
            time=self.time,
            thinker=self._thinker,
            chance=random.Random(f"{self._seed} {name} agent"),
            note=lambda kind, **fields: self._note(name, kind, fields),
            places=tuple(places),
            broadcast=broadcast,
        )
        self.agents[name] = agent
        self._society.add(agent, modules, quantum)
        return agent

    def coherence(self) -> float | None:
        """How often agents did next what they had just said, over all of them."""
        found = [coherence(acts, ANNOUNCES) for acts in self._acts.values()]
        told = [value for value in found if value is not None]
        return sum(told) / len(told) if told else None

    def note(self, kind: type[Event], agent: str | None = None, **fields: Any) -> None:
        """Record an event of the scenario's own."""
        self.writer.event(kind, agent, **fields)

    def _note(self, name: str, kind: str, fields: Mapping[str, Any]) -> None:
        if kind == "decided":
            self._acts[name].append(("did", fields["action"]))
        if kind == "goal":
            fields = {**fields, "home": self.homes.get(name, "")}
        if kind != "spoke":
            self.writer.event(events.named(kind), name, **fields)
            return
        text, hearers = fields["text"], fields["hearers"]
        self._acts[name].append(("said", text))
        place = self.habitat.position(name)
        self.writer.event(events.Spoke, name, text=text, hearers=hearers, position=place)
        for hearer in hearers:
            self.agents[hearer].hear(name, text)
        for listener in self.listeners:
            listener(name, text, hearers)

    def tell_all(self, names: Iterable[str], text: str, urgent: bool = False) -> None:
        """Let agents be told something."""
        for name in names:
            self.agents[name].tell(text, urgent)

    async def last(self, seconds: float, *others: Any) -> None:
        """Let everybody live for so long.

        Args:
            seconds: of the society's time.
            others: coroutines that live along: institutions, clocks of the record.

        Raises:
            Exception: what broke the society, if something did.
        """
        broken = self._society.broken
        gc.freeze()  # all these agents stay: to look through them for garbage takes long
        works = [self.time.start(_guarded(work, broken)) for work in (*others, self._sample())]
        try:
            await self._pass(seconds)
        finally:
            for work in works:
                work.cancel()
            await self._society.end()
            gc.unfreeze()

    async def _pass(self, seconds: float) -> None:
        broken = self._society.broken
        if isinstance(self.time, SimulatedTime):
            second = 0.0
            while second < seconds and not broken.done():
                second = min(second + 1.0, seconds)
                await self.time.pass_until(second)
        else:
            while self.time.now() < seconds and not broken.done():
                await self.time.sleep(min(0.25, max(0.0, seconds - self.time.now())))
        if broken.done():
            broken.result()

    async def _sample(self) -> None:
        while self._position_every_s is not None:
            for name in self.agents:
                place = self.habitat.position(name)
                self.writer.event(events.PositionSampled, name, position=place)
            await self.time.sleep(self._position_every_s, key=-1)

    def faults(self) -> dict[str, dict[str, int]]:
        """How often each agent's mind failed, by kind."""
        return faults(self.agents.values())


async def _guarded(work: Any, broken: Any) -> None:
    try:
        await work
    except Exception as error:
        if not broken.done():
            broken.set_exception(error)


__all__ = ["Habitat", "Life", "RealTime", "SimulatedTime"]
