"""Counts the decisions that models were asked for, and those that failed."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from voxpolis.bots.models.model import Answering, ChatModel, ChatRequest, Completion, at_once
from voxpolis.bots.models.typed import wire_schema
from voxpolis.records.text import one_line

# Maximum length of the reason of the first failure, in characters.
MOST_SHOWN = 300
# Records an event. The arguments are the event's class, the agent's name and the event's fields.
Note = Callable[..., object]


@dataclass(frozen=True)
class Failure:
    """A failed decision.

    ``agent`` is None for roles without an agent, such as the judge.
    """

    role: str
    agent: str | None
    message: str


@dataclass
class Account:
    """The number of requested and failed decisions per agent.

    Decisions without an agent, such as the judge's, are counted per role.

    Attributes:
        asked: the number of decisions. A decision counts once, however often it is retried.
        failed: for each agent or role, the number of failures per cause.
        roles: for each role, the numbers of ``asked`` and ``failed`` decisions.
        of_agents: for each role and agent (an empty name for roles without an agent), the numbers
            of usable answers and of failed decisions. A question that is still open counts as
            neither.
        first: agent, role and reason of the first failure; empty if there was none.
        again: for each role, the number of retries per cause.
        again_tokens: for each role, the tokens of retries, if the endpoints report tokens.
        measures: whether to collect ``usage``, which requires the text of every prompt.
        usage: for each role and agent, the number of calls and of the characters in prompts and
            answers.
        examples: the first and the last question of each role, answer type and agent. Empty unless
            usage is collected.
    """

    asked: Counter[str] = field(default_factory=Counter)
    failed: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    roles: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    of_agents: dict[tuple[str, str], list[int]] = field(
        default_factory=lambda: defaultdict(lambda: [0, 0])
    )
    first: str = ""
    again: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    again_tokens: Counter[str] = field(default_factory=Counter)
    measures: bool = False
    usage: dict[tuple[str, str | None], Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    examples: dict[tuple[str, str, str | None], list[ChatRequest]] = field(default_factory=dict)

    def ask(self, agent: str | None, role: str) -> None:
        self.asked[agent or role] += 1
        self.roles[role]["asked"] += 1

    def decided(self, agents: Iterable[str]) -> list[str]:
        """Return the agents who have given a usable answer in any role."""
        usable = {agent for (_, agent), counts in self.of_agents.items() if counts[0]}
        return [name for name in agents if name in usable]

    def use(self, agent: str | None, role: str) -> None:
        """Count a usable answer."""
        self.of_agents[role, agent or ""][0] += 1

    def fail(self, agent: str | None, role: str, message: str) -> None:
        """Count a failed decision. Its cause is the role and the message up to the first colon."""
        self.failed[agent or role][f"{role}: {message.partition(':')[0]}"] += 1
        self.first = (
            self.first or f"{agent or 'no agent'}, {role}: {one_line(message)[:MOST_SHOWN]}"
        )
        self.roles[role]["failed"] += 1
        self.of_agents[role, agent or ""][1] += 1

    def add(self, recorded: dict[str, Any]) -> None:
        """Add the counts of an earlier part of the run, as :meth:`as_json` returned them."""
        for name, one in recorded.get("agents", {}).items():
            self.asked[name] += int(one["asked"])
            self.failed[name].update(one["failed"])
        for role, counts in recorded.get("roles", {}).items():
            self.roles[role].update(counts)
        for role, causes in recorded.get("asked_again", {}).items():
            self.again[role].update(causes)
        self.again_tokens.update(recorded.get("asked_again_tokens", {}))
        self.first = str(recorded.get("first_failed", "")) or self.first

    def as_json(self) -> dict[str, Any]:
        """Return how many decisions were asked for and failed, in total, per role and per agent.

        The failures of an agent are listed by cause. ``asked_again`` is the number of additional
        calls per role and cause. ``asked_again_tokens``, if there are any, is the number of tokens
        of retries per role. ``first_failed``, if a decision failed, is the agent, the role and the
        reason of the first failure.
        """
        names = dict.fromkeys((*self.asked, *self.failed))
        tokens = dict(sorted(self.again_tokens.items()))
        return {
            "asked": self.asked.total(),
            "failed": sum(count.total() for count in self.failed.values()),
            **({"first_failed": self.first} if self.first else {}),
            "asked_again": {role: dict(self.again[role]) for role in sorted(self.again)},
            **({"asked_again_tokens": tokens} if tokens else {}),
            "roles": {
                role: {"asked": count["asked"], "failed": count["failed"]}
                for role, count in sorted(self.roles.items())
            },
            "agents": {
                name: {"asked": self.asked[name], "failed": dict(self.failed.get(name, {}))}
                for name in sorted(names)
            },
        }


class AccountedModel:
    """Passes calls on to another model, and counts the decisions.

    Attributes:
        account: the counts. Several models can share an account.
        pending: failures that the game's loop has not collected yet. The loop collects failures at
            fixed points, so that the record does not depend on the order in which answers arrive.
        tokens: the total number of tokens of prompts and answers.
    """

    def __init__(self, model: ChatModel, account: Account) -> None:
        self._model = model
        self.account = account
        self.pending: list[Failure] = []
        self.tokens = 0

    async def complete(self, request: ChatRequest) -> Completion:
        if not request.attempt:
            self.account.ask(request.agent, request.role)
        answer = await self._model.complete(request)
        self._count(request, answer)
        return answer

    def at_once(self) -> Answering | None:
        inner = at_once(self._model)
        if inner is None:
            return None
        account, count = self.account, self._count

        def answering(request: ChatRequest) -> Completion:
            if not request.attempt:
                account.ask(request.agent, request.role)
            answer = inner(request)
            if account.measures or answer.prompt_tokens or answer.completion_tokens:
                count(request, answer)
            return answer

        return answering

    def _count(self, request: ChatRequest, answer: Completion) -> None:
        if self.account.measures:
            usage = self.account.usage[request.role, request.agent]
            kind = "" if request.answer is None else request.answer().__name__
            seen = self.account.examples.setdefault((request.role, kind, request.agent), [])
            seen[1:] = [request]
            usage["calls"] += 1
            usage["prompts"] += sum(len(message["content"]) for message in request.messages)
            if request.answer is not None:
                usage["prompts"] += len(json.dumps(wire_schema(request.answer())))
            usage["answers"] += len(answer.written())
        tokens = (answer.prompt_tokens or 0) + (answer.completion_tokens or 0)
        self.tokens += tokens
        if request.attempt and tokens:
            self.account.again_tokens[request.role] += tokens
        self.count_further(request.role, answer)
        if answer.tries > answer.calls:
            self.account.again[request.role]["sent again"] += answer.tries - answer.calls

    def count_further(self, role: str, answer: Completion | None) -> None:
        """Count calls that were repeated because a thought left no room for the answer."""
        if answer is not None and answer.calls > 1:
            self.account.again[role]["thought took the room"] += answer.calls - 1

    def use(self, role: str, agent: str | None) -> None:
        """Count a decision whose answer could be used."""
        self.account.use(agent, role)

    def give_up(self, role: str, agent: str | None, message: str) -> None:
        self.account.fail(agent, role, message)
        self.pending.append(Failure(role, agent, message))

    def take_failures(self, agents: Iterable[str]) -> list[Failure]:
        """Return the failures since the last call of this method, and forget them.

        Failures without an agent come first; the others are in the order of ``agents``.
        """
        order = {name: number for number, name in enumerate(agents)}
        taken = sorted(self.pending, key=lambda one: order.get(one.agent or "", -1))
        self.pending = []
        return taken
