"""Negotiation: players speak in turn, propose contracts, and accept or reject them.

Source of the procedure: Yocum et al. (2023); unanimity among more than two players: Christoffersen
et al. (2023). Players accept a proposal by its number. A contract in words may also have formal
clauses (``judge.contracts.clauses``). The paper's wire format maps to the types: ``[thinking]`` is
the note, ``[message]`` the message, ``[contract]`` the move ``propose``, and ``[accept]`` the move
``accept``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Annotated, Any, Literal

from pydantic import Field

from voxpolis.bots.asking import ask
from voxpolis.bots.models import ChatModel, Message, Question
from voxpolis.bots.models.typed import Answer, AnswerError, line, maybe, narrowed, one_of, text
from voxpolis.bots.prompts import quoted
from voxpolis.judge.contracts.compiling import (
    ClauseAnswer,
    compile_contract,
    formal_of,
    narrow_clause,
)
from voxpolis.judge.contracts.contract import Contract, Terms
from voxpolis.judge.prompts import messages

# Source: Yocum et al. (2023), the negotiator's temperature, and the number of messages in their
# code.
TEMPERATURE = 0.7
ROUNDS = 8
MAX_CONTRACT_CHARACTERS = 4000
# Message of a player whose answer was unusable.
NOTHING_SAID = "(says nothing that can be understood)"
# Term number that some players write; removed because terms are numbered when they are shown.
_NUMBER = re.compile(r"^\d{1,2}[.)]\s+")


class Propose(Answer):
    """Propose a contract. It takes the place of the proposal that stood, and you are for it."""

    do: Literal["propose"] = "propose"
    terms: list[line(MAX_CONTRACT_CHARACTERS + 1)] = Field(  # type: ignore[valid-type]
        min_length=1,
        description="The whole contract in words, one to three terms; each names its players.",
    )
    clauses: list[ClauseAnswer] = Field(
        description="The same payments as clauses that code settles; empty: a judge decides by the "
        "words. Where there are clauses, they alone count.",
    )


class Accept(Answer):
    """Agree to the proposal of this number as it is. This binds."""

    do: Literal["accept"] = "accept"
    proposal: int = Field(description="The number of the proposal that stands.")


class Talk(Answer):
    """Only talk: propose nothing and accept nothing."""

    do: Literal["talk"] = "talk"


class Leave(Answer):
    """Leave the negotiation. It ends without a contract."""

    do: Literal["leave"] = "leave"


class TurnAnswer(Answer):
    """Your turn in the negotiation."""

    note: maybe(text()) = Field(  # type: ignore[valid-type]
        description="A note to yourself for later turns; no other player sees it. Null for none."
    )
    message: maybe(text()) = Field(  # type: ignore[valid-type]
        description="What you say to the others. It is not binding. Null for nothing."
    )
    move: Annotated[Propose | Accept | Talk | Leave, Field(discriminator="do")] = Field(
        description="What you do. Only this counts."
    )


@dataclass(frozen=True)
class Move:
    """One player's turn.

    Attributes:
        thought: private note, never shown to other players.
        proposal: proposed contract, if any.
        accepts: the player accepts the current proposal.
        leaves: the player ends the negotiation.
    """

    player: str
    thought: str = ""
    message: str = ""
    proposal: Contract | None = None
    accepts: bool = False
    leaves: bool = False


@dataclass(frozen=True)
class Negotiation:
    """Course of a negotiation: all moves, and the contract if the players agreed on one."""

    moves: Sequence[Move]
    agreed: Contract | None


@dataclass(frozen=True)
class Turn:
    """Values for the negotiator prompt.

    Attributes:
        terms: names that formal clauses can use.
        left: messages left, including this one.
        past: results of earlier episodes; empty if there were none.
        open: number of the proposal that the player may accept; None if there is none.
    """

    player: str
    briefing: str
    terms: Terms
    moves: tuple[Move, ...]
    left: int
    past: str = ""
    open: int | None = None


@dataclass
class Table:
    """State of a negotiation.

    Attributes:
        players: all players, each of whom must agree.
        standing: current proposal.
        in_favour: players who have agreed to the current proposal.
        number: number of proposals so far, and index of the latest one.
    """

    players: Sequence[str]
    standing: Contract | None = None
    in_favour: set[str] = field(default_factory=set)
    number: int = 0

    def open_to(self, player: str) -> int | None:
        """Return the number of the proposal that a player may accept, if any."""
        return self.number if self.standing and player not in self.in_favour else None

    def take(self, move: Move) -> Contract | None:
        """Apply a move; return the contract once all players are in favour.

        A new proposal replaces the current one and counts as its proposer's agreement. A player who
        repeats the current proposal accepts it.
        """
        if move.proposal is not None:
            self.number += 1
            if self.standing is not None and _is_same(move.proposal, self.standing):
                self.in_favour.add(move.player)
            else:
                self.standing, self.in_favour = move.proposal, {move.player}
        elif move.accepts and self.standing is not None:
            self.in_favour.add(move.player)
        everyone = self.standing is not None and self.in_favour >= set(self.players)
        return self.standing if everyone else None


async def negotiate(
    model: ChatModel,
    briefings: dict[str, str],
    terms: Terms,
    rounds: int,
    on_move: Callable[[Move], None],
    *,
    past: str = "",
    compiled: bool = False,
) -> Negotiation:
    """Run a negotiation in which players speak in turn, for at most ``rounds`` messages in total.

    Args:
        model: speaks for every player.
        briefings: description of the game by player, in order of turns.
        terms: names that formal clauses can use.
        rounds: maximum number of messages in total.
        on_move: called with each move.
        past: results of earlier episodes, known to all players.
        compiled: compile proposals in words into clauses (``compiling.py``).
    """
    players = list(briefings)
    table = Table(players)
    moves: list[Move] = []
    for number in range(rounds):
        player = players[number % len(players)]
        left, may_accept = rounds - number, table.open_to(player)
        turn = Turn(player, briefings[player], terms, tuple(moves), left, past, may_accept)
        move = await _move(model, turn, table.standing)
        if compiled and move.proposal is not None:
            move = replace(move, proposal=await compile_contract(model, move.proposal, terms))
        moves.append(move)
        on_move(move)
        agreed = table.take(move)
        if agreed is not None or move.leaves:
            return Negotiation(moves, agreed)
    return Negotiation(moves, None)


async def _move(model: ChatModel, turn: Turn, standing: Contract | None) -> Move:
    """Ask for one player's move; an unusable answer counts as a pass."""
    try:
        return await ask(
            model,
            Question(partial(negotiator_messages, turn)),
            TurnAnswer,
            role="negotiator",
            agent=turn.player,
            temperature=TEMPERATURE,
            about=turn,
            narrow=partial(turn_type, tuple(turn.terms.players), turn.open),
            read=partial(move_of, turn, standing),
        )
    except AnswerError:
        return Move(turn.player, message=NOTHING_SAID)


@lru_cache(256)
def turn_type(players: tuple[str, ...], may_accept: int | None) -> type[TurnAnswer]:
    """Return an answer type restricted to the options of a turn; see :class:`Turn`."""
    moves: Any = narrowed(Propose, clauses=list[narrow_clause(players)])  # type: ignore[misc]
    if may_accept is not None:
        moves |= narrowed(Accept, proposal=one_of([may_accept]))  # type: ignore[list-item]
    moves = Annotated[moves | Talk | Leave, Field(discriminator="do")]
    return narrowed(TurnAnswer, move=moves)


def move_of(turn: Turn, standing: Contract | None, answer: TurnAnswer) -> Move:
    """Convert an answer into a move.

    ``standing`` is the current proposal, whether or not the player may accept it.

    Raises:
        AnswerError: its clauses or its contract are unusable, or it accepts a proposal that is not
            current.
    """
    said = Move(turn.player, answer.note or "", answer.message or "")
    match answer.move:
        case Accept(proposal=number):
            if turn.open is None:
                raise AnswerError("there is no proposal of another player to accept")
            if number != turn.open:
                raise AnswerError(
                    f"proposal {number} is not the current one; proposal {turn.open} is"
                )
            return replace(said, accepts=True)
        case Propose() as proposed:
            proposal = contract_of(proposed, turn.terms)
            if turn.open is not None and standing is not None and _is_same(proposal, standing):
                return replace(said, accepts=True)
            return replace(said, proposal=proposal)
        case Leave():
            return replace(said, leaves=True)
    return said


def contract_of(proposed: Propose, terms: Terms) -> Contract:
    """Return the proposed contract.

    Raises:
        AnswerError: its clauses are unusable, or it is too long.
    """
    formal = formal_of(proposed.clauses, terms) if proposed.clauses else None
    bare = (_NUMBER.sub("", term) for term in proposed.terms)
    words = [f"{number}. {term}" for number, term in enumerate(bare, start=1)]
    whole = "\n".join([*words, *([f"Formally:\n{formal}"] if formal else [])])
    if len(whole) > MAX_CONTRACT_CHARACTERS:
        raise AnswerError(f"the contract is longer than {MAX_CONTRACT_CHARACTERS} characters")
    if formal is None:
        return Contract("negotiated", whole)
    return Contract("negotiated", whole, rule=formal.transfers, clauses=formal.lines)


def negotiator_messages(turn: Turn) -> list[Message]:
    """Return a player's prompt, which contains only its own notes."""
    player, terms = turn.player, turn.terms
    number, shown = 0, []
    for move in turn.moves:
        number += move.proposal is not None
        shown.append(shown_to(move, number, player))
    if turn.open is not None:
        shown.append(f"You may accept proposal {turn.open}.")
    return messages(
        "negotiator",
        player=player,
        others=" and ".join(name for name in terms.players if name != player),
        briefing=turn.briefing,
        items=terms.describe(with_most=True),
        past=turn.past or "Nothing yet: this is the first time.",
        history="\n\n".join(shown) or "Nobody has spoken yet.",
        left=str(turn.left),
    )


def shown_to(move: Move, number: int, to: str) -> str:
    """Render one move for a player: the action in our words, and the player's words quoted.

    ``number`` counts proposals up to and including this move.
    """
    parts = []
    if move.thought and move.player == to:
        parts.append(f"Your note to yourself, which nobody else knows:\n{quoted(move.thought)}")
    if move.message:
        parts.append(f"{move.player} said:\n{quoted(move.message)}")
    if move.proposal is not None:
        parts.append(f"{move.player} made proposal {number}:\n{quoted(move.proposal.text)}")
        parts += (
            ["Settled by these clauses, whatever its words say:", *move.proposal.clauses]
            if move.proposal.is_exact
            else ["It has no clauses that code can settle: a judge would decide by its words."]
        )
    if move.accepts:
        parts.append(f"{move.player} agreed to the proposal that stood.")
    if move.leaves:
        parts.append(f"{move.player} left the negotiation.")
    return "\n".join(parts)


def _is_same(one: Contract, other: Contract) -> bool:
    """Return whether two contracts have the same words and, where present, the same clauses.

    Case, white space and punctuation at the ends of lines are ignored.
    """
    if one.clauses and [*one.clauses] != [*other.clauses]:
        return False
    return _lines(one.text) in (_lines(other.text), _lines(other.proposed or other.text))


def _lines(text: str) -> list[str]:
    return [" ".join(line.casefold().split()).rstrip(".;!") for line in text.splitlines()]
