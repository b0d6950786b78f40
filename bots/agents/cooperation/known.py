"""Knowledge that the modules of cooperation give to the mind that carries them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from voxpolis.bots.prompts import quoted_line

# What events say in the place of a claim that is in no form.
FREE = "free"


@dataclass(frozen=True)
class Finding:
    """Something that an agent supposes, or knows as a rule.

    It is told by its checkable form, which is what was put to the test: words beside it may say
    anything.

    Attributes:
        test: the claim that code checks; None: it is in no form.
        tries: how often it was put to the test.
        hits: how often it held.
        source: who said so; empty: the agent itself.
        trust: how far the agent believed its source at first; None: it is its own thought.
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
    """A promise that binds.

    Attributes:
        number: counts promises, from 1; 0: it is a payment at the end, or in no form.
        by: who gave it; empty: both parties, in words.
        other: whom it is not to attack; empty: it is not about that.
        until: the last round for which it holds; 0: that is not said.
        kind: which deeds it is about, by the world's name for them; empty: that is not said.
    """

    text: str
    number: int = 0
    by: str = ""
    other: str = ""
    until: int = 0
    kind: str = ""


@dataclass(frozen=True)
class Known:
    """Knowledge of an agent by its modules; a module that it does not carry leaves its part empty.

    Attributes:
        rules: what it found to be so.
        hunches: the best of what it supposes.
        law: the constitution, in words.
        numbers: the numbers of the constitution that can be set.
        breaches: the latest breaches of the constitution, a sentence each.
        promises: promises to and by the agent that are still open.
        reputation: by agent, from 0 to 10.
        trust: by agent, the part of what it claimed to this agent that was true (Laplace).
        talk: the latest words between this agent and others, a line each.
        is_banned: whether the law has banned it now.
        banned: what it is told then.
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
        """Return all of it as sections of a prompt, after two line ends; empty: nothing."""
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
