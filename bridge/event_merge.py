"""One record of several hosts: their events in the order of their time.

Each answer of a host says until when it has told everything. What one host tells is held back until
all others have told until then, or for a moment of the wall's clock at most, so that a host that
hangs holds nobody up. The order of one agent's events is kept in any case, and whoever waits for an
answer of a host has it once all that happened there before is handed on.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable, Sequence

from voxpolis.records import Event

#: The longest that an event is held back, in seconds of the wall's clock.
HOLD_S = 0.2


class EventMerge:
    """Hands events on, ordered by time over all hosts.

    ``hand_on`` is called with each; ``wall`` is the clock that holding back is measured by.
    """

    def __init__(
        self,
        hand_on: Callable[[Event], None],
        hold_s: float = HOLD_S,
        wall: Callable[[], float] = time.monotonic,
    ) -> None:
        self._hand_on = hand_on
        self._hold_s = hold_s
        self._wall = wall
        #: By host: when each event came, and it; and until when the host has told everything.
        self._held: dict[object, deque[tuple[float, Event | Callable[[], None]]]] = {}
        self._told: dict[object, float] = {}

    def add(
        self,
        host: object,
        events: Sequence[Event],
        until: float,
        then: Callable[[], None] | None = None,
    ) -> bool:
        """Take in what a host tells; it has told everything before the game's time ``until``.

        ``then`` is called once its events are handed on.

        Returns:
            whether something is held back, so that :meth:`release` is to be called later.
        """
        came = self._wall()
        held = self._held.setdefault(host, deque())
        held.extend((came, event) for event in events)
        if then is not None:
            held.append((came, then))
        self._told[host] = max(until, self._told.get(host, -math.inf))
        return self.release()

    def end(self, host: object) -> None:
        """Hand on what is left of a host, which tells nothing more."""
        for _, what in self._held.pop(host, ()):
            self._do(what)
        self._told.pop(host, None)
        self.release()

    def release(self) -> bool:
        """Hand on what is due; return whether something is still held back."""
        overdue = self._wall() - self._hold_s
        for held in self._held.values():
            self._reply(held)
        while waiting := {host: held[0] for host, held in self._held.items() if held}:
            first = min(waiting, key=lambda host: _time(waiting[host][1]))
            told = min(
                (until for host, until in self._told.items() if host not in waiting),
                default=math.inf,
            )
            is_late = any(came <= overdue for came, _ in waiting.values())
            if _time(waiting[first][1]) > told and not is_late:
                return True
            self._do(self._held[first].popleft()[1])
            self._reply(self._held[first])
        return False

    def _reply(self, held: deque[tuple[float, Event | Callable[[], None]]]) -> None:
        """Answer whoever waits for what comes before the next event."""
        while held and not isinstance(held[0][1], Event):
            self._do(held.popleft()[1])

    def _do(self, what: Event | Callable[[], None]) -> None:
        if isinstance(what, Event):
            self._hand_on(what)
        else:
            what()


def _time(what: Event | Callable[[], None]) -> float:
    """When an event happened; replies, of which none is a host's next thing, wait for nothing."""
    return what.t if isinstance(what, Event) else -math.inf
