"""Event types, one class a kind.

An event is one line of ``events.jsonl``. Units are in the names; positions are blocks, as
``(x, y, z)``. A kind's fields may grow, never change meaning, without a new ``SCHEMA_VERSION``.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from records.contracts import ContractAgreed as ContractAgreed
from records.contracts import Critique as Critique
from records.contracts import HiddenThought as HiddenThought
from records.contracts import Judgement as Judgement
from records.contracts import NegotiationMessage as NegotiationMessage
from records.contracts import Reward as Reward
from records.contracts import Transfer as Transfer
from records.event import SCHEMA_VERSION, Counts, Position
from records.event import Event as Event
from records.society import AmendmentProposed as AmendmentProposed
from records.society import AmendmentTallied as AmendmentTallied
from records.society import BallotCast as BallotCast
from records.society import BeliefCorrected as BeliefCorrected
from records.society import ConditionStarted as ConditionStarted
from records.society import Converted as Converted
from records.society import Decided as Decided
from records.society import FeedbackGiven as FeedbackGiven
from records.society import GoalSet as GoalSet
from records.society import LawChanged as LawChanged
from records.society import MindFailed as MindFailed
from records.society import ReflexFired as ReflexFired
from records.society import SeasonOpened as SeasonOpened
from records.society import SentimentChanged as SentimentChanged
from records.society import Spoke as Spoke
from records.society import TaxPaid as TaxPaid


class RunStarted(Event):
    """The run folder's first event."""

    kind: Literal["run_started"] = "run_started"
    schema_version: int = SCHEMA_VERSION
    scenario: str
    mind: str


class RunEnded(Event):
    """The last event of a run; ``budget``: the next call to a model could have passed it."""

    kind: Literal["run_ended"] = "run_ended"
    reason: Literal["done", "fault", "interrupted", "budget"]


class RunResumed(Event):
    """A run that was cut off goes on; ``t`` goes on from its last event."""

    kind: Literal["run_resumed"] = "run_resumed"


class EpisodeStarted(Event):
    """All policies start with this event. ``run`` is the repetition, ``attempt`` counts from 1."""

    kind: Literal["episode_started"] = "episode_started"
    run: int
    attempt: int
    seed: int


class EpisodeEnded(Event):
    """``reason`` is time_limit, all_gained (nothing left to gain), policies_ended or fault."""

    kind: Literal["episode_ended"] = "episode_ended"
    reason: Literal["time_limit", "all_gained", "policies_ended", "fault"]
    seconds: float


class WorldBuilt(Event):
    """What an episode's world is made of, seen from above, before anybody changes it.

    ``ground``: rectangles ``(block, x, z, last x, last z)``, later ones on top of earlier ones;
    ``blocks``: positions by name; ``places``: what agents know by a name.
    """

    kind: Literal["world_built"] = "world_built"
    ground: list[tuple[str, float, float, float, float]] = []
    blocks: dict[str, list[Position]] = {}
    places: dict[str, Position] = {}


class Chat(Event):
    """What an agent said, as the server told everyone."""

    kind: Literal["chat"] = "chat"
    text: str


class Signal(Event):
    """A signal sent; its addressee's wait ends when it takes it."""

    kind: Literal["signal"] = "signal"
    to: str
    name: str


class BlockDug(Event):
    kind: Literal["block_dug"] = "block_dug"
    block: str
    position: Position


class BlockPlaced(Event):
    kind: Literal["block_placed"] = "block_placed"
    block: str
    position: Position


class BlockUsed(Event):
    """An agent used a block that has a meaning in the scenario; ``request`` is answered once."""

    kind: Literal["block_used"] = "block_used"
    block: str
    position: Position
    request: int


class ItemCollected(Event):
    kind: Literal["item_collected"] = "item_collected"
    item: str
    count: int


class ContainerMoved(Event):
    """Items that changed hands with a container: ``count`` > 0 was taken out, < 0 put in."""

    kind: Literal["container_moved"] = "container_moved"
    item: str
    count: int
    container: str


class LedgerEntry(Event):
    """What the server itself counted since its ledger was last read, about once a second.

    ``dug`` and ``placed`` are blocks, by its statistics; ``took`` and ``put`` are items, by what a
    chest and the inventories hold.
    """

    kind: Literal["ledger"] = "ledger"
    action: Literal["dug", "placed", "took", "put"]
    item: str
    count: int


class Perceived(Event):
    """What an agent perceived before it wrote a program, in the words of its prompt."""

    kind: Literal["perceived"] = "perceived"
    text: str


class Died(Event):
    kind: Literal["died"] = "died"


class PositionSampled(Event):
    """Where an agent's body is, about once a second."""

    kind: Literal["position"] = "position"
    position: Position


class Inventory(Event):
    """An agent's items as the world's own state has them, sampled.

    ``value``: what they are worth to it, or on the grid its score, where the scenario says.
    """

    kind: Literal["inventory"] = "inventory"
    items: Counts
    value: float | None = None


class CodeStarted(Event):
    """An agent's policy began to run; ``code`` is the whole program."""

    kind: Literal["code_started"] = "code_started"
    code: str


class CodeFinished(Event):
    """A policy ended without an error, or was ended with the episode (``stopped``, ``timeout``)."""

    kind: Literal["code_finished"] = "code_finished"
    status: Literal["done", "stopped", "timeout"]
    seconds: float
    logs: list[str]


class CodeFailed(Event):
    """A policy threw, did not parse, or had to be killed; ``line`` counts in the agent's code.

    ``done`` lists the primitives that had succeeded by then.
    """

    kind: Literal["code_failed"] = "code_failed"
    status: Literal["error", "killed"]
    message: str
    line: int | None
    column: int | None
    source: str | None
    done: list[str] = []
    seconds: float
    logs: list[str]


class CommandRefused(Event):
    """Agent code tried to give a server command through chat."""

    kind: Literal["command_refused"] = "command_refused"
    text: str


class Log(Event):
    """What a bot's own machinery printed; never evidence of anything."""

    kind: Literal["log"] = "log"
    text: str


class TaskStarted(Event):
    """A curriculum's task is tried; ``obtain`` is what the inventory must hold in the end."""

    kind: Literal["task_started"] = "task_started"
    task: str
    context: str
    obtain: Counts


class TaskEnded(Event):
    """A task is done, or given up after its last attempt."""

    kind: Literal["task_ended"] = "task_ended"
    task: str
    success: bool
    attempts: int


class SkillLearned(Event):
    """A program that worked went into the agent's skill library."""

    kind: Literal["skill_learned"] = "skill_learned"
    name: str
    description: str


class ItemObtained(Event):
    """An agent holds a kind of item for the first time, by the server's own account.

    ``iteration`` is the prompting iteration, ``distinct`` how many kinds that makes.
    """

    kind: Literal["item_obtained"] = "item_obtained"
    item: str
    iteration: int
    distinct: int


class Milestone(Event):
    """An agent reached a milestone of a tree for the first time."""

    kind: Literal["milestone"] = "milestone"
    name: str
    iteration: int


class PlanEnded(Event):
    """A plan of an agent on the grid is over; ``outcome`` is done or why it failed."""

    kind: Literal["plan_ended"] = "plan_ended"
    plan: str
    outcome: str


class EventExecuted(Event):
    """Somebody on the grid made an ``output`` at a station."""

    kind: Literal["event_executed"] = "event_executed"
    event: str
    output: str


class GroupsChanged(Event):
    """The groups that an agent is in, with its weight in each."""

    kind: Literal["groups_changed"] = "groups_changed"
    groups: dict[str, float]


class Produced(Event):
    """A referee gave an agent a resource: out of a pile (``source`` is ``pile``) or of an event."""

    kind: Literal["produced"] = "produced"
    resource: str
    source: str
    position: Position


class Fault(Event):
    """Something broke that was not the agent's doing.

    ``where`` is bot, bridge, server, model, or world: the world's own accounts disagree.
    """

    kind: Literal["fault"] = "fault"
    where: Literal["bot", "bridge", "server", "model", "world"]
    message: str


AnyEvent = Annotated[
    RunStarted
    | RunEnded
    | RunResumed
    | EpisodeStarted
    | EpisodeEnded
    | WorldBuilt
    | Chat
    | Signal
    | BlockDug
    | BlockPlaced
    | BlockUsed
    | ItemCollected
    | ContainerMoved
    | LedgerEntry
    | Perceived
    | Died
    | PositionSampled
    | Inventory
    | CodeStarted
    | CodeFinished
    | CodeFailed
    | CommandRefused
    | Log
    | NegotiationMessage
    | HiddenThought
    | ContractAgreed
    | Judgement
    | Transfer
    | Reward
    | Critique
    | TaskStarted
    | TaskEnded
    | SkillLearned
    | ItemObtained
    | Milestone
    | PlanEnded
    | EventExecuted
    | GroupsChanged
    | Produced
    | ConditionStarted
    | Spoke
    | GoalSet
    | Decided
    | SentimentChanged
    | BeliefCorrected
    | ReflexFired
    | MindFailed
    | SeasonOpened
    | TaxPaid
    | FeedbackGiven
    | AmendmentProposed
    | BallotCast
    | AmendmentTallied
    | LawChanged
    | Converted
    | Fault,
    Field(discriminator="kind"),
]

_ADAPTER: TypeAdapter[AnyEvent] = TypeAdapter(AnyEvent)


def parse_event(data: Any) -> AnyEvent:
    """Read one event from a dict.

    Raises:
        pydantic.ValidationError: unknown kind, or missing, extra or wrong fields.
    """
    return _ADAPTER.validate_python(data)
