"""The people in a run: which agents they play, and how they answer.

A person with a Minecraft client answers in the game's chat (:class:`~bots.agents.person.Seat`). All
other people answer with web forms, through the run's :class:`~records.questions.HumanInputQueue`.
In both cases, a model stands for the person, so that game loops do not have to treat people
differently.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, Final

from voxpolis.bots.agents.form_model import FormModel, patience_s, timeout_completion
from voxpolis.bots.agents.person import Seat
from voxpolis.bots.models import (
    ChatModel,
    ChatRequest,
    Completion,
    ModelError,
    ReplayModel,
    ResumedModel,
)
from voxpolis.bots.models.recorded import RecordedModel
from voxpolis.bots.models.settings import ROLES, CallSettings, ModelSettings
from voxpolis.experiments.run.options import UsageError
from voxpolis.judge.contracts.clauses import split_clause
from voxpolis.judge.contracts.compiling import ClauseAnswer
from voxpolis.judge.contracts.contract import ContractError
from voxpolis.judge.contracts.negotiation import Accept, Propose, Talk, Turn, TurnAnswer, shown_to
from voxpolis.records import Record
from voxpolis.records.questions import HumanInputQueue
from voxpolis.records.reader import PERSON
from voxpolis.records.text import suggestion

# Agent kind of persons.
HUMAN: Final = PERSON
# Line that ends a person's message; an acceptance ends without it.
SEND: Final = "[send]"
ACCEPT: Final = "[accept]"

HOW_TO_ANSWER = f"""It is your turn to speak; {{left}} messages are left, this one included.
Type what you say to all, and a line {SEND} to end it.
To propose a contract, type a line [contract], its terms, and a line [contract end]. Terms that code
settles stand in it between [clauses] and [clauses end], such as {{clause}}
To accept the proposal that stands, type {ACCEPT}. What you said before it is your message."""
LATE = "Your time for this message is over; the others go on without it."


# The model settings that a record contains for the answers of people.
SETTINGS: Final = ModelSettings(default=CallSettings(model=HUMAN))
# Records a call.
RecordCall = Callable[[dict[str, Any]], None]
# Questions that a person answers: an agent's name, and a role, or None for all roles.
Part = tuple[str, str | None]


def seats_of(kinds: Mapping[str, str]) -> dict[str, Seat]:
    """Return a dictionary from the name of each agent that a person plays to the person's seat."""
    return {name: Seat(name) for name, kind in kinds.items() if kind == HUMAN}


def parts_of(asked: Sequence[str], kinds: Mapping[str, str]) -> list[Part]:
    """Return the agents and roles that people play through the web form. A person can play a whole
    agent (kind ``human``) or one role of an agent.

    Args:
        asked: the values of ``--human``, NAME or NAME:ROLE.
        kinds: a dictionary from the name of each agent to its kind.

    Raises:
        UsageError: there is no such agent or role.
    """
    parts: list[Part] = [(name, None) for name, kind in kinds.items() if kind == HUMAN]
    for text in asked:
        name, colon, role = text.rpartition(":")
        if not colon:
            continue
        if name not in kinds:
            raise UsageError(f"there is no agent {name!r}; {suggestion(name, kinds)}")
        if role not in ROLES:
            raise UsageError(
                f"--human {text}: there is no role {role!r}; {suggestion(role, ROLES)}"
            )
        parts.append((name, role))
    return parts


class ModelWithPeople:
    """Sends some questions to people and all other questions to a model; see :class:`ChatModel`."""

    def __init__(
        self,
        others: ChatModel,
        people: ChatModel,
        parts: Iterable[Part],
        awaited: Counter[str] | None = None,
    ) -> None:
        """Divide the questions.

        Args:
            others: answers the questions that people do not answer.
            people: answers the questions that people answer.
            parts: agents and roles whose questions people answer.
            awaited: counts the open questions of each person.
        """
        self._others = others
        self._people = people
        self._parts = frozenset(parts)
        self._awaited = Counter() if awaited is None else awaited

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a conversation; see :class:`~bots.models.model.ChatModel`."""
        name = request.agent or ""
        if not {(name, None), (name, request.role)} & self._parts:
            return await self._others.complete(request)
        self._awaited[name] += 1
        try:
            return await self._people.complete(request)
        finally:
            self._awaited[name] -= 1


def people_of(
    folder: Path,
    within_s: float,
    record: RecordCall,
    before: Record | None,
    *,
    is_replayed: bool,
) -> ChatModel:
    """Return the model that stands for the people who answer web forms in a run. The model records
    their answers.

    Args:
        folder: folder of the run.
        within_s: how many seconds people have to answer.
        record: records each call.
        before: record of the run that is replayed or resumed; its answers are used again.
        is_replayed: whether only recorded answers are used.
    """
    answered = [call for call in before.calls if is_of_person(call)] if before else []
    if is_replayed:
        return RecordedModel(ReplayModel(answered, SETTINGS), record, SETTINGS, None)
    live = RecordedModel(FormModel(HumanInputQueue(folder), within_s), record, SETTINGS, None)
    return ResumedModel(ReplayModel(answered, SETTINGS), live) if answered else live


def is_of_person(call: Mapping[str, Any]) -> bool:
    """Return whether a person answered a recorded call."""
    return call.get("requested") == HUMAN


def person_model(seat: Seat, within_s: float, record: RecordCall) -> ChatModel:
    """Return a model that asks a person in the chat and records the answers.

    ``within_s`` is how many seconds the person has to answer.
    """
    return RecordedModel(PersonModel(seat, within_s), record, SETTINGS, None)


class PersonModel:
    """A model that stands for a person who answers in the chat; see
    :class:`bots.models.ChatModel`.
    """

    def __init__(self, seat: Seat, within_s: float) -> None:
        """Connect to the person through ``seat``. The person has ``within_s`` seconds to answer."""
        self._seat = seat
        self._within_s = within_s
        self._missed = 0

    async def complete(self, request: ChatRequest) -> Completion:
        """Ask the person for a message in a negotiation, and wait for it.

        Returns:
            The message, which is empty if the person sent none in time.

        Raises:
            ModelError: the question is not part of a negotiation.
            PersonLeftError: the person has left the game.
        """
        turn = request.about
        if not isinstance(turn, Turn):
            raise ModelError(f"a person cannot be asked for {request.role}")
        if request.attempt and self._missed:
            return timeout_completion()  # the person was not in the game a moment ago
        if self._missed:
            self._seat.forget()  # discard lines that came too late for the last message
        if request.attempt:
            await self._seat.tell(f"{request.error} Say it again, and end with {SEND}")
        else:
            await self._seat.brief(turn.briefing)
            await self._seat.tell(question(turn))
        try:
            async with asyncio.timeout(patience_s(self._missed, self._within_s)):
                answer = await self._answer(turn)
        except TimeoutError:
            self._missed += 1
            await self._seat.tell(LATE)
            return timeout_completion()
        self._missed = 0
        return Completion(answer.text(), HUMAN)

    async def _answer(self, turn: Turn) -> TurnAnswer:
        """Collect the lines that the person writes, until a line sends the message or accepts a
        proposal.
        """
        typed: list[str] = []
        while (line := (await self._seat.line()).strip()).lower() != SEND:
            if line.lower() == ACCEPT and turn.open is not None:
                said = " ".join(typed) or None
                return TurnAnswer(note=None, message=said, move=Accept(proposal=turn.open))
            if line.lower() == ACCEPT:
                await self._seat.tell("There is no proposal of another player to accept.")
                continue
            typed.append(line)
        return written(typed)


def question(turn: Turn) -> str:
    """Return the text that asks a person for a message in a negotiation. It contains the messages
    since the person's last turn, and says how to answer.
    """
    own = [number for number, move in enumerate(turn.moves) if move.player == turn.player]
    numbers = accumulate(int(move.proposal is not None) for move in turn.moves)
    shown = [shown_to(*one, turn.player) for one in zip(turn.moves, numbers, strict=True)]
    said = shown[own[-1] + 1 if own else 0 :] or ["Nobody has spoken yet."]
    payer, payee = turn.terms.players[:2]
    clause = f"{payer} pays {payee} 2 * held({payer}, {next(iter(turn.terms.items))})"
    return "\n".join([*said, HOW_TO_ANSWER.format(left=turn.left, clause=clause)])


def written(typed: Sequence[str]) -> TurnAnswer:
    """Convert lines from the chat to an answer. Lines outside a contract are the message."""
    sections: dict[str, list[str]] = {"": [], "[contract]": [], "[clauses]": []}
    at = ""
    for line in filter(None, typed):
        if line.lower() in (*sections, "[contract end]", "[clauses end]"):
            at = line.lower() if line.lower() in sections else ""
        else:
            sections[at].append(line)
    said, terms, clauses = sections.values()
    move: Propose | Talk = Talk()
    if terms or clauses:
        move = Propose(terms=terms or clauses, clauses=[_clause(line) for line in clauses])
    return TurnAnswer(note=None, message=" ".join(said) or None, move=move)


def _clause(line: str) -> ClauseAnswer:
    """Read a clause. An invalid line becomes the clause's amount, to be rejected later."""
    try:
        payer, receiver, amount, condition = split_clause(line)
    except ContractError:
        payer, receiver, amount, condition = "", "", line, None
    return ClauseAnswer(payer=payer, receiver=receiver, amount=amount, condition=condition)
