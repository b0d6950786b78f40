"""An overview of a run's model calls: those in progress, and what all calls so far have used."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from voxpolis.bots.models.model import ChatRequest, Completion
from voxpolis.bots.models.prices import Price, cost_of
from voxpolis.records.text import many


@dataclass
class Waiting:
    """A call that is waiting for its answer. Times are on the monotonic clock, in seconds.

    Attributes:
        since: the time at which the call began.
        tries: the number of requests that were sent to the endpoint.
        sent_at: the time of the last request.
        again_at: the time of the next request; 0 while the endpoint is working on a request.
    """

    model: str
    role: str
    since: float = field(default_factory=time.monotonic)
    tries: int = 0
    sent_at: float = 0.0
    again_at: float = 0.0


class CallBoard:
    """The calls of a run, and what they have used so far.

    Attributes:
        calls: the number of answered calls.
        cut_off: the number of calls that were abandoned after a request had been sent. Their tokens
            are unknown, but the endpoint may charge for them.
        unreported: the number of answered calls without token counts. Budgets assume the maximum
            for these calls.
        prompt_tokens: the tokens of all prompts.
        completion_tokens: the tokens of all answers.
        cached_tokens: the prompt tokens that endpoints had cached.
        reasoning_tokens: the completion tokens that were used for thought.
        cost: the cost in dollars of the calls to models with known prices.
        unpriced: the models without a known price.
        served: for each model name that an endpoint reports, the configurations
            (``system_fingerprint``) that answered.
        notes: what was learnt about models, for people to read.
    """

    def __init__(self, prices: Mapping[str, Price] | None = None) -> None:
        self._prices = prices or {}
        self._waiting: list[Waiting] = []
        self.calls = self.cut_off = self.unreported = 0
        self.prompt_tokens = self.completion_tokens = 0
        self.cached_tokens = self.reasoning_tokens = 0
        self.cost = 0.0
        self.unpriced: set[str] = set()
        self.served: dict[str, set[str]] = {}
        self.notes: list[str] = []

    @contextmanager
    def waiting(self, request: ChatRequest, model: str) -> Iterator[Waiting]:
        one = Waiting(model, request.role)
        self._waiting.append(one)
        try:
            yield one
        except asyncio.CancelledError:
            self.cut_off += one.tries > 0
            raise
        finally:
            self._waiting.remove(one)

    def record(self, model: str, answer: Completion) -> None:
        self.calls += answer.calls
        self.served.setdefault(answer.model, set()).update(filter(None, [answer.fingerprint]))
        self.unreported += None in (answer.prompt_tokens, answer.completion_tokens)
        self.prompt_tokens += answer.prompt_tokens or 0
        self.completion_tokens += answer.completion_tokens or 0
        self.cached_tokens += answer.cached_tokens or 0
        self.reasoning_tokens += answer.reasoning_tokens or 0
        cost = cost_of(self._prices, model, answer)
        if cost is None:
            self.unpriced.add(model)
        self.cost += cost or 0.0

    def longest_wait(self) -> float:
        """Return for how many seconds the oldest call in progress has waited; 0 if no call is in
        progress.
        """
        return time.monotonic() - self._waiting[0].since if self._waiting else 0.0

    def line(self) -> str:
        """Describe in one line the calls in progress and the total usage.

        The text is empty if no call is in progress.
        """
        if not self._waiting:
            return ""
        now, oldest = time.monotonic(), self._waiting[0]
        parts = [f"waiting for {oldest.model} ({oldest.role}): {now - oldest.since:.0f} s"]
        if oldest.tries > 1 or oldest.again_at:
            parts.append(f"try {oldest.tries}")
        if oldest.again_at > now:
            parts.append(f"asked again in {oldest.again_at - now:.0f} s")
        if oldest.tries == 0:
            parts.append("in line")
        if len(self._waiting) > 1:
            parts.append(f"{many(len(self._waiting), 'call')} under way")
        return ", ".join([*parts, f"so far {self.total()}"])

    def as_json(self) -> dict[str, object]:
        """Return the usage of all calls so far, as the fields of a result.

        ``cost`` is None if the price of a model is unknown.
        """
        return {
            "calls": self.calls,
            **({"cut_off": self.cut_off} if self.cut_off else {}),
            **({"unreported": self.unreported} if self.unreported else {}),
            "prompt_tokens": self.prompt_tokens,
            "cached_tokens": self.cached_tokens,
            "completion_tokens": self.completion_tokens,
            "reasoning_tokens": self.reasoning_tokens,
            "cost": None if self.unpriced or not self.calls else self.cost,
            "served": {model: sorted(found) for model, found in sorted(self.served.items())},
        }

    def total(self) -> str:
        is_known = bool(self.cost) or (self.calls > 0 and not self.unpriced)
        dollars = f"${self.cost:.4f}" if is_known else "dollars unknown"
        if self.cost and self.unpriced:
            dollars += f" without {', '.join(sorted(self.unpriced))}"
        cached = f" ({self.cached_tokens:,} cached)" if self.cached_tokens else ""
        thought = f" ({self.reasoning_tokens:,} thought)" if self.reasoning_tokens else ""
        unreported = f", {many(self.unreported, 'call')} without token counts"
        silent = unreported * bool(self.unreported)
        cut_off = f" ({self.cut_off:,} more were cut off without an answer)" if self.cut_off else ""
        return (
            f"{many(self.calls, 'call')}{cut_off}, {many(self.prompt_tokens, 'prompt token')}"
            f"{cached}, {many(self.completion_tokens, 'answer token')}{thought}{silent}, {dollars}"
        )
