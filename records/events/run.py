"""Events of the run itself: start and end, episodes, and faults."""

from __future__ import annotations

from typing import Any, Literal

from voxpolis.records.events.base import SCHEMA_VERSION, Event, Seconds


class RunStarted(Event, origin="experiment", lane="run", in_words="the run began; mind: {mind}"):
    """First event of a run folder."""

    kind: Literal["run_started"] = "run_started"
    schema_version: int = SCHEMA_VERSION
    scenario: str
    mind: str


class RunEnded(Event, origin="experiment", lane="run", in_words="the run ended: {reason}"):
    """Last event of a run; ``budget``: it ended because the next call could exceed the budget."""

    kind: Literal["run_ended"] = "run_ended"
    reason: Literal["done", "fault", "interrupted", "budget"]


class RunResumed(
    Event, origin="experiment", lane="run", in_words="the interrupted run was resumed"
):
    """An interrupted run was resumed; ``t`` continues from its last event."""

    kind: Literal["run_resumed"] = "run_resumed"


class Intervention(Event, origin="world", lane="rules", is_detailed=True):
    """A person intervened in the run.

    ``action`` is one of: ``say`` (an agent hears words), ``whisper`` (it notices something without
    a speaker), ``ask`` (it is asked a question outside the game), ``interview`` (the same, but it
    remembers the question), ``set`` (a setting changes), ``pause`` and ``continue`` (the game
    pauses and continues). ``by`` is the name given as speaker or actor; ``text`` is the words, or
    KEY=VALUE.
    """

    kind: Literal["intervention"] = "intervention"
    action: Literal["say", "whisper", "ask", "interview", "set", "pause", "continue"]
    by: str = ""
    text: str = ""

    def summary(self) -> str:
        if self.action == "pause":
            return f"intervention: the game pauses{self._by_whom()}"
        if self.action == "continue":
            return f"intervention: the game continues{self._by_whom()} ({self.text})"
        if self.action == "set":
            return f"intervention: {self.by} sets {self.text}"
        return f"intervention ({self.action}) by {self.by}: “{self.text}”"

    def _by_whom(self) -> str:
        return f", by {self.by}" if self.by else ""


class Interviewed(
    Event,
    origin="world",
    lane="rules",
    in_words="answers {by}, outside the game: “{text}”",
    is_detailed=True,
):
    """An agent's answer to a question asked outside the game."""

    kind: Literal["interviewed"] = "interviewed"
    by: str
    text: str


class EpisodeStarted(Event, origin="experiment", lane="run", is_detailed=True):
    """All policies start at this event.

    ``run`` is the index of the repetition. ``attempt`` counts from 1: an episode whose programs
    failed is repeated, and each attempt has its own number (``Event.episode``).
    """

    kind: Literal["episode_started"] = "episode_started"
    run: int
    attempt: int
    seed: int

    def summary(self) -> str:
        what = "episode" if self.attempt == 1 else f"attempt {self.attempt} at the episode"
        return f"{what} began, seed {self.seed}"


class EpisodeEnded(
    Event,
    origin="experiment",
    lane="run",
    in_words="episode ended after {seconds:g} s: {reason}",
    is_detailed=True,
):
    """An attempt at an episode ended.

    ``reason`` is time_limit, all_gained (nothing left to gain), policies_ended or fault.
    """

    kind: Literal["episode_ended"] = "episode_ended"
    reason: Literal["time_limit", "all_gained", "policies_ended", "fault"]
    seconds: Seconds


class ChoiceMade(Event, origin="mind", lane="mind"):
    """An agent's choice in a game, field by field."""

    kind: Literal["choice_made"] = "choice_made"
    choice: dict[str, Any]

    def summary(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in self.choice.items())


class PayoffsMade(Event, origin="world", lane="rules"):
    """Payoffs of a round of a game, by agent."""

    kind: Literal["payoffs_made"] = "payoffs_made"
    round: int
    payoffs: dict[str, float]

    def summary(self) -> str:
        told = ", ".join(f"{name} {value:g}" for name, value in self.payoffs.items())
        return f"round {self.round}: {told}"


class PaceMeasured(Event, origin="world", lane="run", is_detailed=True):
    """How well the machine kept up with the game during an episode in Minecraft.

    ``speed`` is the speed of the game clock, in multiples of real time. ``load`` is the machine's
    load average over the last minute. ``lost`` is the fraction of the episode by which the server,
    the bots or Python were late, whichever is largest; None if the server does not report it.
    ``longest_ms`` is the longest single delay of ``server``, ``bots`` and ``python``, in
    milliseconds of game time.
    """

    kind: Literal["pace"] = "pace"
    speed: float
    load: float
    lost: float | None
    longest_ms: dict[str, float]

    def summary(self) -> str:
        lost = "unknown" if self.lost is None else f"{self.lost:.0%}"
        longest = ", ".join(f"{who} {late:.0f} ms" for who, late in self.longest_ms.items())
        return (
            f"speed {self.speed:g}, load {self.load:.1f}, time lost {lost}, "
            f"longest delays in game time: {longest}"
        )


class TimeLost(
    Event,
    origin="world",
    lane="run",
    in_words="{share:.0%} of the episode's time was lost",
    is_detailed=True,
):
    """The machine was so late that the delay may have changed the outcome of the episode.

    ``share`` is the lost fraction of the episode's time, from 0 to 1.
    """

    kind: Literal["time_lost"] = "time_lost"
    share: float


class RunExcluded(Event, origin="experiment", lane="run"):
    """The current episode does not count in means: ``reasons`` says what did not happen in it."""

    kind: Literal["run_excluded"] = "run_excluded"
    reasons: list[str]

    def summary(self) -> str:
        return f"excluded from means: {'; '.join(self.reasons)}"


class EpisodeUnsound(
    Event,
    origin="experiment",
    lane="run",
    in_words="the episode does not count: the machine was too slow",
    is_detailed=True,
):
    """The outcome of the episode does not count: the machine was too slow for the game."""

    kind: Literal["episode_unsound"] = "episode_unsound"


class ConditionStarted(Event, origin="experiment", lane="run", is_detailed=True):
    """The condition of the episode that has begun, and its agents."""

    kind: Literal["condition_started"] = "condition_started"
    condition: str
    agents: list[str]

    def summary(self) -> str:
        return f"condition {self.condition}, {len(self.agents)} agents"


class Log(Event, origin="bot", lane="run", in_words="{text}"):
    """Output of the software that runs a bot; never evidence."""

    kind: Literal["log"] = "log"
    text: str


class Fault(
    Event, origin="bot", lane="run", in_words="fault of the {where}: {message}", is_detailed=True
):
    """Something broke through no fault of the agent.

    ``where`` is bot, bridge, server, model, person, code (a scenario's or voxpolis's), or world
    (the world's accounts contradict each other). ``trace`` is the location in the code, for faults
    of code.
    """

    kind: Literal["fault"] = "fault"
    where: Literal["bot", "bridge", "server", "model", "person", "world", "code"]
    message: str
    trace: str = ""


class BodyLost(
    Event, origin="bot", lane="run", in_words="its body was lost: {message}", is_detailed=True
):
    """An agent's body was lost, with its process or its connection, and will rejoin.

    The running program ends. The record lacks events of the last moments that had not been reported
    yet. If the process was lost, signals that it had not consumed are lost, too.
    """

    kind: Literal["body_lost"] = "body_lost"
    message: str


class BodyBack(Event, origin="bot", lane="run", in_words="its body is back after {seconds} s"):
    """An agent's body is back in the world, after some seconds of wall-clock time."""

    kind: Literal["body_back"] = "body_back"
    seconds: float
