"""Social awareness: what an agent hears changes its opinions of people and topics.

If ``Agent.profiles`` is set, the agent does not form opinions. Instead it writes one line about
every agent that it hears or sees.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field
from functools import lru_cache, partial
from typing import Any, ClassVar

from pydantic import Field

from voxpolis.bots.agents.piano.agent import Agent, Heard
from voxpolis.bots.models import Message
from voxpolis.bots.models.typed import Answer, each, integer, line, narrowed, one_of
from voxpolis.bots.prompts import messages, quoted_line
from voxpolis.bots.time import Wait
from voxpolis.bots.values import made_often
from voxpolis.records import events

LOWEST, HIGHEST = 0, 10
MAX_HEARD = 12
# Maximum length of a belief and of a profile, in characters.
MAX_BELIEF_CHARACTERS = 200
MAX_PROFILE_CHARACTERS = 200
MAX_SUBJECT_CHARACTERS = 40
MOST_BELIEFS = 8


class Liking(Answer):
    """How much you like a person now."""

    name: str
    liking: integer(LOWEST, HIGHEST) = Field(  # type: ignore[valid-type]
        description="0: you hate them; 5: neither; 10: you love them."
    )


class Belief(Answer):
    """Your new belief or wish in a matter."""

    subject: line(MAX_SUBJECT_CHARACTERS) = Field(description="The matter in a word or two.")  # type: ignore[valid-type]
    belief: line(MAX_BELIEF_CHARACTERS)  # type: ignore[valid-type]


class Opinions(Answer):
    """Changes in your opinions because of the things that you heard; empty lists: none."""

    likes: each(Liking, MAX_HEARD) = Field(  # type: ignore[valid-type]
        default=(), description="People whom you like more or less than before."
    )
    believes: each(Belief, MOST_BELIEFS) = Field(  # type: ignore[valid-type]
        default=(), description="What you believe or want now and did not before."
    )


class Profile(Answer):
    """Your knowledge of a person."""

    name: str
    profile: line(MAX_PROFILE_CHARACTERS)  # type: ignore[valid-type]


class Profiles(Answer):
    """Your new knowledge of people; empty: nothing new."""

    about: each(Profile, MAX_HEARD) = Field(default=())  # type: ignore[valid-type]


@lru_cache(1024)
def _opinions(people: tuple[str, ...]) -> type[Opinions]:
    liking = narrowed(Liking, name=one_of(people, "person"))
    said = Opinions.model_fields["likes"].description
    return narrowed(Opinions, likes=(each(liking, MAX_HEARD), Field((), description=said)))


@lru_cache(1024)
def _profiles(people: tuple[str, ...]) -> type[Profiles]:
    profile = narrowed(Profile, name=one_of(people, "person"))
    return narrowed(Profiles, about=(each(profile, MAX_HEARD), Field(())))


@made_often
class SocialRequest:
    """The data from which the prompt about heard utterances is built.

    Attributes:
        liked: how much the agent has liked the speakers so far, from 0 to 10.
        people: the names that the answer can use.
    """

    role: ClassVar[str] = "social"
    answer: ClassVar[type[Opinions]] = Opinions

    agent: str
    traits: str
    heard: tuple[Heard, ...]
    liked: Mapping[str, int]
    people: Collection[str] = ()

    def narrow(self) -> type[Opinions]:
        return _opinions(tuple(name for name in self.people if name != self.agent))

    def messages(self) -> list[Message]:
        liked = "; ".join(sorted(f"{name} {value} of 10" for name, value in self.liked.items()))
        return messages(
            "piano/social",
            name=self.agent,
            traits=self.traits,
            heard=_heard(self.heard),
            likes=liked or "you have no opinion of them yet",
        )


@made_often
class ProfilesRequest:
    """The data from which the profiles prompt is built.

    Attributes:
        seen: for each agent that this agent saw acting, its actions.
        profiles: the current line about each agent that this agent heard or saw.
        people: the names that the answer can use.
    """

    role: ClassVar[str] = "social"
    answer: ClassVar[type[Profiles]] = Profiles

    agent: str
    traits: str
    heard: tuple[Heard, ...]
    seen: Mapping[str, str] = field(default_factory=dict)
    profiles: Mapping[str, str] = field(default_factory=dict)
    people: Collection[str] = ()

    def narrow(self) -> type[Profiles]:
        return _profiles(tuple(name for name in self.people if name != self.agent))

    def messages(self) -> list[Message]:
        return messages(
            "piano/profiles",
            name=self.agent,
            traits=self.traits,
            heard=_heard(self.heard) or "(nothing)",
            seen="\n".join(f"{name}: {act}" for name, act in self.seen.items()) or "(nobody)",
            profiles="\n".join(f"{n}: {text}" for n, text in self.profiles.items()) or "(nothing)",
        )


def _heard(heard: tuple[Heard, ...]) -> str:
    return "\n".join(f"{one.speaker}: {quoted_line(one.text)}" for one in heard)


def run(agent: Agent) -> Wait | None:
    """Think about the utterances and actions that the agent has perceived since the last run."""
    profiles, deeds = agent.profiles, agent.unjudged_deeds
    if not agent.unjudged and not deeds:
        return None
    count = min(MAX_HEARD, len(agent.unjudged))
    heard = tuple([agent.unjudged.popleft() for _ in range(count)])
    seen = {name: deeds.pop(name) for name in list(deeds)[:MAX_HEARD]} if deeds else {}
    about = {*seen, *[one.speaker for one in heard]}
    people = agent.people or about
    if profiles is not None:
        before = {name: text for name, text in profiles.items() if name in about}
        asked = ProfilesRequest(agent.name, agent.traits, heard, seen, before, people)
        return agent.ask(asked, _as_it_is, partial(_take_profiles, agent, about))
    known = agent.sentiments
    liked = {one.speaker: known[one.speaker] for one in heard if one.speaker in known}
    request = SocialRequest(agent.name, agent.traits, heard, liked, people)
    return agent.ask(request, _as_it_is, partial(_take, agent))


def _as_it_is(answer: Any) -> Any:
    return answer


def _take(agent: Agent, opinions: Opinions | None) -> None:
    if opinions is None:
        return
    for one in opinions.likes:
        if agent.sentiments.get(one.name) != one.liking:
            agent.sentiments[one.name] = one.liking
            agent.note(events.SentimentChanged, about=one.name, value=one.liking)
    for belief in opinions.believes:
        agent.beliefs[belief.subject] = belief.belief


def _take_profiles(agent: Agent, about: Collection[str], found: Profiles | None) -> None:
    profiles = agent.profiles
    if found is None or profiles is None:
        return
    for one in found.about:
        if one.name in about and profiles.get(one.name) != one.profile:
            profiles[one.name] = one.profile
            agent.note(events.ProfileWritten, about=one.name, text=one.profile)
