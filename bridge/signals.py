"""Signals between agents on different hosts.

Signals are delivered in the order in which they arrive in this module.

A signal waits in a mailbox on the addressee's host (``bridge/js/mailboxes.js``) until the addressee
receives it. A host knows which agents are on other hosts, and sends signals for them to this
module. The sender's host counts the signals that have not been received, so that an agent cannot
fill the mailboxes on other hosts. The same count is kept here, in case a host is lost.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from voxpolis.bridge.protocol import CommandMessage, Credit, Deliver, Neighbours, Passing

# Sends a command to a host without waiting for the reply.
Tell = Callable[[Any, type[CommandMessage], dict[str, Any]], None]


class SignalRouter:
    """Delivers signals between hosts.

    ``homes`` has the host of each agent; None while the agent is rejoining.
    """

    def __init__(self, homes: Mapping[str, object | None], tell: Tell) -> None:
        self.epoch = 0
        self._homes = homes
        self._tell = tell
        # The number of signals between hosts that were not received yet, by sender and addressee.
        self._untaken: Counter[tuple[str, str]] = Counter()
        # For each agent that is rejoining, the signals that wait for it: the sender and the
        # signal's name.
        self._held: dict[str, deque[tuple[str, str]]] = {}

    def pass_on(self, passing: Passing) -> None:
        """Pass a message of one host on to another host."""
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
        """Discard all signals, and return the new epoch."""
        self.epoch += 1
        self._untaken.clear()
        self._held.clear()
        return self.epoch

    def joined(self, name: str, host: object, others: Iterable[object]) -> None:
        """Tell all other hosts that an agent has joined ``host``."""
        for other in others:
            if other is not host:
                self._tell(other, Neighbours, {"joined": [name], "left": []})

    def opened(self, host: object) -> None:
        """Tell a new host which agents are on other hosts."""
        names = [name for name, home in self._homes.items() if home is not host]
        if names:
            self._tell(host, Neighbours, {"joined": names, "left": []})

    def left(self, name: str, others: Iterable[object]) -> None:
        """Tell hosts that an agent has left."""
        for pair in [pair for pair in self._untaken if name in pair]:
            del self._untaken[pair]
        self._held.pop(name, None)
        for other in others:
            self._tell(other, Neighbours, {"joined": [], "left": [name]})

    def lost(self, names: Iterable[str]) -> None:
        """Handle agents that have lost their host. The signals in their mailboxes are lost too."""
        gone = set(names)
        for (sender, to), count in list(self._untaken.items()):
            if to in gone:
                held = sum(one == sender for one, _ in self._held.get(to, ()))
                self._untaken[sender, to] = held
                self._credit(sender, to, count - held)

    def back(self, name: str, host: object) -> None:
        """Handle an agent that has rejoined. Deliver the signals that were sent to it meanwhile."""
        for sender, to in [pair for pair in self._untaken if name in pair]:
            # If both agents are on the same host, the host itself keeps the count.
            if self._homes[sender] is self._homes[to]:
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
