"""Persons in a run: who has a seat, and how a person negotiates in the game's chat."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from bots.agents.person import Seat
from bots.models import ChatModel, ChatRequest, Completion, ModelError
from bots.models.recorded import RecordedModel
from bots.models.settings import CallSettings, ModelSettings
from judge.negotiation import Turn, shown_to
from records.reader import PERSON

#: The kind of agent that a person plays.
HUMAN: Final = PERSON
#: A person's message ends with this line; an acceptance alone needs none.
SEND: Final = "[send]"
ACCEPT: Final = "[accept]"

HOW = f"""It is your turn to speak; {{left}} messages are left, this one included.
Type what you say to all, and a line {SEND} to end it.
To propose a contract, type a line [contract], its terms, and a line [contract end]. Terms that code
settles stand in it between [clauses] and [clauses end], such as {{clause}}
To accept the proposal that stands, type {ACCEPT}"""


def seats_of(kinds: Mapping[str, str]) -> dict[str, Seat]:
    """Return a seat for each agent that a person plays, by name."""
    return {name: Seat(name) for name, kind in kinds.items() if kind == HUMAN}


def person_model(seat: Seat, record: Callable[[dict[str, Any]], None]) -> ChatModel:
    """Return a person as what answers for its agent; what it is asked is recorded."""
    settings = ModelSettings(default=CallSettings(model=HUMAN))
    return RecordedModel(PersonModel(seat), record, settings, None)


class PersonModel:
    """A person who is asked in chat; see :class:`bots.models.ChatModel`."""

    def __init__(self, seat: Seat) -> None:
        """``seat``: how to talk with the person."""
        self._seat = seat

    async def complete(self, request: ChatRequest) -> Completion:
        """Ask the person for a message of a negotiation, in short words, and wait for it.

        Raises:
            ModelError: persons are asked nothing else.
        """
        turn = request.about
        if not isinstance(turn, Turn):
            raise ModelError(f"a person cannot be asked for {request.role}")
        if request.attempt:
            complaint = request.messages[-1]["content"].splitlines()[0]
            await self._seat.tell(f"{complaint} Say it again, and end with {SEND}")
        else:
            await self._seat.brief(turn.briefing)
            await self._seat.tell(question(turn))
        return Completion(await self._message(), HUMAN)

    async def _message(self) -> str:
        """Return what the person types, up to the line that sends it."""
        typed: list[str] = []
        while (line := await self._seat.line()).lower() != SEND:
            typed.append(line)
            if line.lower() == ACCEPT:
                break
        return written(typed)


def question(turn: Turn) -> str:
    """Return what a person is asked: what was said since it spoke, and how to answer."""
    own = [number for number, move in enumerate(turn.moves) if move.player == turn.player]
    news = turn.moves[own[-1] + 1 if own else 0 :]
    said = [shown_to(move, turn.player) for move in news] or ["Nobody has spoken yet."]
    payer, payee = turn.terms.players[:2]
    clause = f"{payer} pays {payee} 2 * held({payer}, {next(iter(turn.terms.items))})"
    return "\n".join([*said, HOW.format(left=turn.left, clause=clause)])


def written(typed: list[str]) -> str:
    """Return lines in the negotiation's wire format: what stands before any tag is the message."""
    is_tagged = bool(typed) and typed[0].startswith("[")
    return "\n".join(typed if is_tagged else ["[message]", *typed])
