"""Goal generation: a social goal, made again when there is news of others or of the world."""

from __future__ import annotations

import re
from collections.abc import Coroutine, Mapping
from functools import partial
from typing import Any, ClassVar

from bots.agents.piano.agent import Agent, Basis
from bots.agents.piano.digest import Digest, digest
from bots.prompts import render
from bots.structured import (
    SEVERAL,
    AnswerError,
    UnclearError,
    alone,
    lines,
    listed,
    refuse_nothing,
    refuse_question,
    refuse_taken_back,
    remembered,
    tagged,
)
from bots.values import made_often
from records import events
from records.text import caseless

MAX_CHARACTERS = 200
#: Answers of up to so many characters are known again.
BRIEF = 500
#: Of how many others the agent is told how much it likes them: those that it likes most.
MOST_OTHERS = 5
#: Ours: a goal that no news has questioned is thought over after so many whole seconds.
STANDS_FOR_S = 300.0
#: How an answer says that the goal stays: the prompt's KEEP, and what models write for it.
_KEEPS = caseless(
    r"\W*(?:(?:i(?:'ll| will)? |you |to )?(?P<keep>keep|continue|maintain|stick|stay"
    r"|go on|carry on|remain|proceed)"
    r"(?: (?:with|to|it|on|pursuing|my|your|the|this|that|present|current"
    r"|same|old|existing|(?P<goal>goal)|i|you|have))*"
    r"|(?:(?:the|my|your|this) )?(?:goal )?(?:is |stays |remains )?(?:still )?(?:the )?"
    r"(?:same|unchanged|no change(?: needed)?)"
    r"(?: (?:goal|as before|to (?:my|the) goal|as now))*)(?!\w)"
)
#: The same in other languages, and what says that it does not without a new one.
_KEEPS_ABROAD = caseless(
    r"\W*(?:behalten|beibehalten|mantener|mantenere|manter|garder|maintenir"
    r"|\u4fdd\u6301|\u7dad\u6301|\u7ef4\u6301)\W*"
)
_KEEPS_NOT = caseless(
    r"\W*(?:do not|don't|not) keep(?: (?:it|my|the|this|that|goal|old|current))*\W*"
    r"|\W*(?:i|we) (?:do not|don't|have no|haven't|currently have no)(?: (?:currently|really|yet))*"
    r"(?: (?:have|got))?(?: (?:an?|any|no))?(?: (?:new|particular|specific))* goals?"
    r"(?: (?:right )?now| yet| at the moment| today)?\W*"
)
_BRACKETED = re.compile(r"[(\[][^()\[\]]*[)\]]\W*")
#: A new goal beside the old one.
_NEW = caseless(
    r"(?:(?:my|the|new|next|updated|revised|current|chosen|final) ){1,3}goal\W*:\s*(?P<goal>\S.*)"
    r"|(?:(?:my|final) ){0,2}decision\W*:\s*(?P<decided>\S.*)|goal \(new\)\W*:\s*(?P<also>\S.*)"
)
#: What says no more than that it stays, which goal it is, and a reason.
_STILL = caseless(r"[\s.,!)\]}\"'*]*(?:(?:for now|so far|as before|as it is)[\s.!)]*)?")
_WHICH = caseless(r"\s+(?:of|to)\s+[^,;:.!?]++\W*+")
_WHY = caseless(
    r"[\s,;:.(\u2013\u2014-]+(?:because|since|as (?:i|it|that|there)|for now|until|so far)\b.*"
)
#: What begins with more than a comma or a colon is a remark; what adds something is none.
_REMARK = re.compile(r"\s*[(.;!\u2013\u2014-]|,(?=.)")
_ADDS = caseless(r"\b(?:but|however|instead|also|then|unless|or|plus|new|goal\W*:)\b")


@made_often
class GoalRequest:
    """What the prompt for a goal is rendered from.

    ``liked``: name → 0 to 10, most liked first; ``profiles``: name → what the agent knows of
    others, in a line each; None: such agents keep none.
    """

    role: ClassVar[str] = "goal"

    agent: str
    traits: str
    liked: Mapping[str, int]
    digest: Digest
    profiles: Mapping[str, str] | None = None

    def prompt(self) -> str:
        """Return the question in words."""
        own = {"name": self.agent, "traits": self.traits, "state": str(self.digest)}
        if self.profiles is not None:
            known = "\n".join(f"{name}: {text}" for name, text in self.profiles.items())
            return render("piano/social_goal", profiles=known or "(nobody)", **own)
        others = "; ".join(f"{name} {value} of 10" for name, value in self.liked.items())
        return render("piano/goal", others=others or "nobody yet", **own)


def question(agent: Agent) -> GoalRequest:
    """Return what an agent is asked that sets itself a goal now."""
    liked = dict(sorted(agent.sentiments.items(), key=lambda pair: -pair[1])[:MOST_OTHERS])
    known = None if agent.profiles is None else dict(agent.profiles)
    return GoalRequest(agent.name, agent.traits, liked, digest(agent), known)


def strive(agent: Agent, goal: str) -> None:
    """Let an agent have a goal from now on, and record it where it is another one."""
    if goal != agent.goal:
        agent.goal = goal
        agent.note(events.GoalSet, text=goal)


def run(agent: Agent) -> Coroutine[Any, Any, None] | None:
    """Ask for a goal, if there is news or the goal is old; without an answer the old one stays."""
    request = question(agent)
    known = (tuple(request.liked.items()), request.profiles, request.digest.news)
    basis = Basis(request.digest.t, known)
    before = agent.goal_follows
    is_old = before is not None and round(basis.t - before.t) >= STANDS_FOR_S
    if before is not None and before.known == basis.known and not is_old:
        return None
    read = partial(_read_next, agent)
    return agent.ask(request, read, partial(_take, agent, basis))


def _read_next(agent: Agent, answer: str) -> str:
    """Return the goal of an answer, which may keep the one that the agent has then."""
    return read_goal(answer, agent.goal)


def _take(agent: Agent, basis: Basis, goal: str | None) -> None:
    """Let an agent have a goal that follows from something; None: without any the old one stays."""
    if goal is not None:
        agent.goal_follows = basis
        strive(agent, goal)


def read_goal(answer: str, before: str = "") -> str:
    """Return the goal of an answer: its line ``GOAL: …``, or its only line.

    Args:
        answer: of a model.
        before: the goal that it has, which ``GOAL: KEEP`` means; empty: it has none to keep.

    Raises:
        AnswerError: there is none, it says nothing, or nobody knows which.
    """
    return _known_goal(answer, before) if len(answer) <= BRIEF else _goal(answer, before)


def _goal(answer: str, before: str) -> str:
    """Return the goal of an answer in which nothing stands beside it."""
    return alone(answer, lambda text: _read_goal(text, before), ("goal", "new", "keep"), free=True)


def _read_goal(answer: str, before: str) -> str:
    """Return the goal of an answer."""
    said = lines(answer)
    goals = [
        one["goal"] or one["decided"] or one["also"]
        for line in said
        if (one := _NEW.fullmatch(line))
    ]
    goals = goals or [value for _, value in tagged(answer, ("GOAL",)) if value]
    if len(set(goals)) > 1:
        raise AnswerError(SEVERAL)
    if not goals and "{" in answer:
        raise AnswerError("there is no line GOAL: …, nor a field for it")
    if not goals:
        goals = listed(answer)
        if len(goals) > 1:
            raise AnswerError("there is no line GOAL: …")
    refuse_nothing(goals[-1])
    refuse_taken_back(goals[-1])
    refuse_question(goals[-1])
    if goals[-1].endswith("?"):
        raise AnswerError("a goal is no question: say what you want to bring about")
    if _KEEPS_NOT.fullmatch(goals[-1]):
        raise AnswerError("you keep no goal, and name no other: say what you want")
    stays = _keeps(goals[-1])
    if not stays and _BRACKETED.fullmatch(goals[-1]):
        raise AnswerError("what stands in brackets is no goal: say what you want")
    if not stays and "KEEP: True" in said:
        raise AnswerError("a goal stays or is a new one; write one of both")
    if stays:
        if not before:
            raise AnswerError("you have no goal that you could keep: say what you want")
        return before
    return goals[-1][:MAX_CHARACTERS]


#: The same for answers that are given again and again, as by thousands of scripted persons.
_known_goal = remembered(_goal)


def _keeps(goal: str) -> bool:
    """Whether words say that the goal stays.

    ``Keep the village fed`` says another one. KEEP in capitals is the form's own word.

    Raises:
        AnswerError: they say it and something else, or why.
    """
    found = _KEEPS.match(goal)
    if found is None:
        return bool(_KEEPS_ABROAD.fullmatch(goal))
    rest, keep = goal[found.end() :], found["keep"] or ""
    is_which = keep.lower() == "keep" and found["goal"] and _WHICH.fullmatch(rest)
    if (is_which and not _ADDS.search(rest)) or _STILL.fullmatch(rest):
        return True
    is_remark = bool(_REMARK.match(rest) and rest[:1] != ",") or bool(_WHY.fullmatch(rest))
    if is_remark or keep == "KEEP":
        error = UnclearError if _ADDS.search(rest) else AnswerError
        raise error("write KEEP alone, or a goal in other words")
    return False
