"""Signals between agents of different hosts: one queue, in the order in which they come.

Mailboxes are kept by the host of the addressee (``bridge/js/mailboxes.js``). Hosts know which
agents live elsewhere; what is for these comes here and is brought on. The sender's host counts what
was not taken, so that one agent's signals fill nobody's box from elsewhere either; that count is
kept here, too, for when a host is lost.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from voxpolis.bridge.protocol import CommandMessage, Credit, Deliver, Neighbours, Passing

# Tells a host something, without waiting for its reply.
Tell = Callable[[Any, type[CommandMessage], dict[str, Any]], None]


class SignalPost:
    """Brings signals from host to host.

    ``homes``: the host of each agent, None while an agent is on its way back to one.
    """

    def __init__(self, homes: Mapping[str, object | None], tell: Tell) -> None:
        self.epoch = 0
        self._homes = homes
        self._tell = tell
        # Of signals between hosts: how many of whom whoever has not taken.
        self._untaken: Counter[tuple[str, str]] = Counter()
        # For whom is on the way back: who sent them, and their names.
        self._held: dict[str, deque[tuple[str, str]]] = {}

    def pass_on(self, passing: Passing) -> None:
        """Bring on what a host has for another."""
        sender, to = passing.sender, passing.to
        if passing.epoch != self.epoch or sender not in self._homes or to not in self._homes:
            return
        if passing.kind == "signal":
            self._untaken[sender, to] += 1
            self._deliver(sender, to, passing.name)
        elif self._untaken[sender, to] > 0:
            self._untaken[sender, to] -= 1
            self._credit(sender, to, 1)

    def cleared(self) -> int:
        """Forget all signals; return the epoch that begins."""
        self.epoch += 1
        self._untaken.clear()
        self._held.clear()
        return self.epoch

    def joined(self, name: str, host: object, others: Iterable[object]) -> None:
        """Let other hosts know of an agent."""
        for other in others:
            if other is not host:
                self._tell(other, Neighbours, {"joined": [name], "left": []})

    def opened(self, host: object) -> None:
        """Let a new host know of everybody elsewhere."""
        names = [name for name, home in self._homes.items() if home is not host]
        if names:
            self._tell(host, Neighbours, {"joined": names, "left": []})

    def left(self, name: str, others: Iterable[object]) -> None:
        """Let hosts forget an agent."""
        for pair in [pair for pair in self._untaken if name in pair]:
            del self._untaken[pair]
        self._held.pop(name, None)
        for other in others:
            self._tell(other, Neighbours, {"joined": [], "left": [name]})

    def lost(self, names: Iterable[str]) -> None:
        """Take note that agents lost their host, with all signals that they had not taken."""
        gone = set(names)
        for (sender, to), count in list(self._untaken.items()):
            if to in gone:
                held = sum(one == sender for one, _ in self._held.get(to, ()))
                self._untaken[sender, to] = held
                self._credit(sender, to, count - held)

    def back(self, name: str, host: object) -> None:
        """Take note that an agent has joined anew; bring what was sent to it meanwhile."""
        for sender, to in [pair for pair in self._untaken if name in pair]:
            if self._homes[sender] is self._homes[to]:  # one box, which counts for itself
                del self._untaken[sender, to]
            elif sender == name:
                self._credit(sender, to, -self._untaken[sender, to])
        for sender, signal in self._held.pop(name, ()):
            self._tell(host, Deliver, {"sender": sender, "to": name, "name": signal})

    def _deliver(self, sender: str, to: str, name: str) -> None:
        home = self._homes[to]
        if home is None:
            self._held.setdefault(to, deque()).append((sender, name))
        else:
            self._tell(home, Deliver, {"sender": sender, "to": to, "name": name})

    def _credit(self, sender: str, to: str, count: int) -> None:
        home = self._homes.get(sender)
        if home is not None and count:
            self._tell(home, Credit, {"sender": sender, "to": to, "count": count})
