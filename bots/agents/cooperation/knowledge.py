"""The knowledge that the cooperation modules add to an agent's prompts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from voxpolis.bots.prompts import quoted_line

# In events, this word replaces the test of a claim that code cannot check.
FREE = "free"


@dataclass(frozen=True)
class Finding:
    """A hypothesis or a rule, as prompts show it to the agent.

    If code can check the hypothesis, the prompt shows the checkable form and not the agent's own
    wording, because the wording may differ from what was tested.

    Attributes:
        test: claim that code can check; None if the hypothesis is free text.
        tries: number of tests.
        hits: number of tests that confirmed the hypothesis.
        source: agent that claimed the hypothesis; empty if it is the agent's own idea.
        trust: the trust in the source when the claim was heard; None if the hypothesis is the
            agent's own idea.
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
        number: number of the promise, counted from 1; 0 for a payment at the end of the game and
            for a term in free text.
        by: agent that made the promise; empty for a term in free text, which both parties have
            promised.
        other: agent that the promiser must not attack; empty for other kinds of promise.
        until: last round in which the promise binds; 0 if the promise has no last round.
        kind: kind of the promised deed, in the world's terms; empty if there is none.
    """

    text: str
    number: int = 0
    by: str = ""
    other: str = ""
    until: int = 0
    kind: str = ""


@dataclass(frozen=True)
class Known:
    """The knowledge that an agent has from its cooperation modules.

    The fields that belong to a module are empty if the agent lacks this module.

    Attributes:
        rules: hypotheses that became rules.
        hunches: the best hypotheses that are not rules yet.
        law: the constitution, in words.
        numbers: the adjustable numbers of the constitution.
        breaches: the latest breaches of the constitution, one sentence per breach.
        promises: open promises that the agent made or received.
        reputation: each agent's reputation, from 0 to 10.
        trust: for every other agent, the estimated share of true claims among the claims that it
            made to this agent (Laplace's rule of succession).
        talk: the latest lines of conversation between this agent and other agents.
        is_banned: whether the constitution currently bans the agent.
        banned: the text that tells a banned agent of its ban.
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
        """Return this knowledge as the sections of a prompt. Each section starts with a blank line.

        The text is empty if the agent knows nothing.
        """
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
