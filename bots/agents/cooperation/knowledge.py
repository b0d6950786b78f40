"""Knowledge that the cooperation modules give to the mind that carries them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from voxpolis.bots.prompts import quoted_line

# Placeholder in events for a claim that cannot be checked.
FREE = "free"


@dataclass(frozen=True)
class Finding:
    """An agent's hypothesis or rule.

    It is shown in its checkable form, because that form was tested; the agent's wording may differ.

    Attributes:
        test: claim that code checks; None for free text.
        tries: number of tests.
        hits: number of tests that it passed.
        source: agent that claimed it; empty for the agent's own idea.
        trust: initial trust in the source; None for the agent's own idea.
    """

    text: str
    test: object = None
    tries: float = 0.0
    hits: float = 0.0
    source: str = ""
    trust: float | None = None

    def __str__(self) -> str:
        is_free = self.test is None
        how = "in no form that is checked; by your own judgement it " * is_free
        held = f"{how}held {self.hits:g} times of {self.tries:g}"
        said = f"{self.source} told you: " if self.source else ""
        return f"{said}{quoted_line(self.text if is_free else str(self.test))} ({held})"


@dataclass(frozen=True)
class Pledge:
    """A binding promise.

    Attributes:
        number: index of the promise, from 1; 0 for a payment at the end, or free text.
        by: promiser; empty for both parties, in words.
        other: agent that the promiser must not attack; empty for other kinds of promise.
        until: last round in which it binds; 0 if unspecified.
        kind: kind of deed promised, as the world names it; empty if unspecified.
    """

    text: str
    number: int = 0
    by: str = ""
    other: str = ""
    until: int = 0
    kind: str = ""


@dataclass(frozen=True)
class Known:
    """An agent's knowledge from its cooperation modules; fields of missing modules are empty.

    Attributes:
        rules: confirmed rules.
        hunches: best unconfirmed hypotheses.
        law: the constitution, in words.
        numbers: adjustable numbers of the constitution.
        breaches: latest breaches of the constitution, one sentence each.
        promises: open promises to and by the agent.
        reputation: by agent, from 0 to 10.
        trust: by agent, the share of its claims to this agent that were true (Laplace).
        talk: latest lines of conversation between this agent and others.
        is_banned: the law currently bans it.
        banned: message to a banned agent.
    """

    rules: tuple[Finding, ...] = ()
    hunches: tuple[Finding, ...] = ()
    law: str = ""
    numbers: Mapping[str, float] = field(default_factory=dict)
    breaches: tuple[str, ...] = ()
    promises: tuple[Pledge, ...] = ()
    reputation: Mapping[str, float] = field(default_factory=dict)
    trust: Mapping[str, float] = field(default_factory=dict)
    talk: tuple[str, ...] = ()
    is_banned: bool = False
    banned: str = ""

    def sections(self) -> str:
        """Return this knowledge as prompt sections, each after a blank line; may be empty."""
        parts = []
        found = [f"Rule: {one}" for one in self.rules]
        found += [f"Perhaps: {one}" for one in self.hunches]
        if found:
            parts.append(_section("What you have found out", found))
        if self.law:
            banned = [self.banned] * self.is_banned
            latest = [*self.breaches, *banned]
            told = f"{self.law}\n{_lines(latest)}" if latest else self.law
            parts.append(f"# The constitution that all live under\n{told}")
        if self.promises:
            texts = (one.text for one in self.promises)
            parts.append(_section("You have promised, or were promised", texts))
        if self.talk:
            parts.append(_section("What was said between you and others", self.talk))
        if self.trust:
            held = ", ".join(f"{name} {part:.0%}" for name, part in self.trust.items())
            parts.append(f"# How much of what others claimed to you was true\n{held}")
        if self.reputation:
            scores = ", ".join(f"{name} {score:.0f}" for name, score in self.reputation.items())
            parts.append(f"# Reputation, from 0 to 10\n{scores}")
        return "".join(f"\n\n{part}" for part in parts)


def _section(title: str, lines: Iterable[str]) -> str:
    return f"# {title}\n{_lines(lines)}"


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
