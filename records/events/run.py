"""Events of the run itself: its beginning and end, its episodes, and what broke."""

from __future__ import annotations

from typing import Any, Literal

from voxpolis.records.events.base import SCHEMA_VERSION, Event, Seconds


class RunStarted(Event, origin="experiment", lane="run", in_words="the run began; mind: {mind}"):
    """The run folder's first event."""

    kind: Literal["run_started"] = "run_started"
    schema_version: int = SCHEMA_VERSION
    scenario: str
    mind: str


class RunEnded(Event, origin="experiment", lane="run", in_words="the run ended: {reason}"):
    """The last event of a run; ``budget``: the next call to a model could have passed it."""

    kind: Literal["run_ended"] = "run_ended"
    reason: Literal["done", "fault", "interrupted", "budget"]


class RunResumed(
    Event, origin="experiment", lane="run", in_words="the run was cut off and goes on"
):
    """A run that was cut off goes on; ``t`` goes on from its last event."""

    kind: Literal["run_resumed"] = "run_resumed"


class Intervention(Event, origin="world", lane="rules", is_detailed=True):
    """Whoever runs the experiment did something to it.

    ``say``: an agent hears words; ``whisper``: it notices something, and hears nobody; ``ask``: it
    is asked something outside of the game; ``interview``: the same, and it remembers that; ``set``:
    a setting changes; ``pause`` and ``go_on``: the game stands still, and goes on. ``by``: in whose
    name; ``text``: the words, or KEY=VALUE.
    """

    kind: Literal["intervention"] = "intervention"
    action: Literal["say", "whisper", "ask", "interview", "set", "pause", "go_on"]
    by: str = ""
    text: str = ""

    def summary(self) -> str:
        if self.action == "pause":
            return f"intervention: the game pauses{self._by_whom()}"
        if self.action == "go_on":
            return f"intervention: the game goes on{self._by_whom()} ({self.text})"
        if self.action == "set":
            return f"intervention: {self.by} sets {self.text}"
        return f"intervention ({self.action}) by {self.by}: “{self.text}”"

    def _by_whom(self) -> str:
        return f", by {self.by}" if self.by else ""


class Interviewed(
    Event,
    origin="world",
    lane="rules",
    in_words="answers {by}, outside of the game: “{text}”",
    is_detailed=True,
):
    """What an agent answered to whoever asked it outside of the game."""

    kind: Literal["interviewed"] = "interviewed"
    by: str
    text: str


class EpisodeStarted(Event, origin="experiment", lane="run", is_detailed=True):
    """All policies start with this event.

    ``run`` is the repetition. ``attempt`` counts from 1: an episode whose programs failed is
    played again, each attempt under a number (``Event.episode``) of its own.
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
    """What an agent chose where a game asked it, field by field."""

    kind: Literal["choice_made"] = "choice_made"
    choice: dict[str, Any]

    def summary(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in self.choice.items())


class PayoffsMade(Event, origin="world", lane="rules"):
    """What a round of a game brought to each agent."""

    kind: Literal["payoffs_made"] = "payoffs_made"
    round: int
    payoffs: dict[str, float]

    def summary(self) -> str:
        told = ", ".join(f"{name} {value:g}" for name, value in self.payoffs.items())
        return f"round {self.round}: {told}"


class TimeLost(
    Event,
    origin="world",
    lane="run",
    in_words="{share:.0%} of the episode's time was lost",
    is_detailed=True,
):
    """The machine was so late that what came of the episode may be another for it.

    ``share`` is the part of the episode's time that was lost, from 0 to 1.
    """

    kind: Literal["time_lost"] = "time_lost"
    share: float


class EpisodeUnsound(
    Event,
    origin="experiment",
    lane="run",
    in_words="the episode does not count: the machine was too slow",
    is_detailed=True,
):
    """What came of the episode does not count: the machine was too slow for the game."""

    kind: Literal["episode_unsound"] = "episode_unsound"


class ConditionStarted(Event, origin="experiment", lane="run", is_detailed=True):
    """The condition of the episode that has begun, and the agents that live in it."""

    kind: Literal["condition_started"] = "condition_started"
    condition: str
    agents: list[str]

    def summary(self) -> str:
        return f"condition {self.condition}, {len(self.agents)} agents"


class Log(Event, origin="bot", lane="run", in_words="{text}"):
    """What a bot's own machinery printed; never evidence of anything."""

    kind: Literal["log"] = "log"
    text: str


class Fault(
    Event, origin="bot", lane="run", in_words="fault of the {where}: {message}", is_detailed=True
):
    """Something broke that was not the agent's doing.

    ``where`` is bot, bridge, server, model, person, code (a scenario's, or ours), or world: the
    world's own accounts disagree. ``trace`` is where in the code, of a fault of code.
    """

    kind: Literal["fault"] = "fault"
    where: Literal["bot", "bridge", "server", "model", "person", "world", "code"]
    message: str
    trace: str = ""


class BodyLost(
    Event, origin="bot", lane="run", in_words="its body was lost: {message}", is_detailed=True
):
    """An agent's body was lost, with its process or its connection, and joins anew.

    A program that ran ends with it. What had happened to the body in the last moments, and was not
    told yet, is not in the record. Where its process was lost, so are signals that it had not
    taken.
    """

    kind: Literal["body_lost"] = "body_lost"
    message: str


class BodyBack(Event, origin="bot", lane="run", in_words="its body is back after {seconds} s"):
    """An agent's body is back in the world, after so many seconds of the wall's clock."""

    kind: Literal["body_back"] = "body_back"
    seconds: float
