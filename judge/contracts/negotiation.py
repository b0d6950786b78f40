"""Negotiation: players speak in turn, propose contracts, and accept or reject them.

The procedure is from Yocum et al. (2023). The rule that all players must agree, even if there are
more than two, is from Christoffersen et al. (2023). Players accept a proposal by its number. A
contract in words may also have formal clauses (``judge.contracts.clauses``). In place of the
paper's text format we use typed answers: the paper's ``[thinking]`` is our note, ``[message]`` is
our message, ``[contract]`` is our move ``propose``, and ``[accept]`` is our move ``accept``.
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

# Source: Yocum et al. (2023) for the temperature of the negotiator, and their code for the number
# of messages.
TEMPERATURE = 0.7
ROUNDS = 8
MAX_CONTRACT_CHARACTERS = 4000
# The message of a player whose answer was unusable.
NOTHING_SAID = "(says nothing that can be understood)"
# Some players number their terms. The numbers are removed, because terms are numbered when they are
# shown.
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
        description="A note to yourself for later turns, if any; no other player sees it."
    )
    message: maybe(text()) = Field(  # type: ignore[valid-type]
        description="What you say to the others, if anything. It is not binding."
    )
    move: Annotated[Propose | Accept | Talk | Leave, Field(discriminator="do")] = Field(
        description="What you do. Only this counts."
    )


@dataclass(frozen=True)
class Move:
    """The move of a player in one turn of a negotiation.

    Attributes:
        thought: a private note, which other players never see.
        proposal: the contract that the player proposes, if any.
        accepts: whether the player accepts the current proposal.
        leaves: whether the player ends the negotiation.
    """

    player: str
    thought: str = ""
    message: str = ""
    proposal: Contract | None = None
    accepts: bool = False
    leaves: bool = False


@dataclass(frozen=True)
class Negotiation:
    """A finished negotiation: all moves, and the contract if the players agreed on one."""

    moves: Sequence[Move]
    agreed: Contract | None


@dataclass(frozen=True)
class Turn:
    """The data from which the negotiator's prompt is built.

    Attributes:
        terms: the names that formal clauses can use.
        left: how many messages are left, including this message.
        past: the results of earlier episodes, in words; empty if there were none.
        open: the number of the proposal that the player may accept; None if there is none.
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
    """The state of a negotiation.

    Attributes:
        players: all players. Each player must agree.
        standing: the current proposal.
        in_favour: the players who have agreed to the current proposal.
        number: the number of proposals so far, which is also the number of the latest proposal.
    """

    players: Sequence[str]
    standing: Contract | None = None
    in_favour: set[str] = field(default_factory=set)
    number: int = 0

    def open_to(self, player: str) -> int | None:
        """Return the number of the proposal that a player may accept; None if there is none."""
        return self.number if self.standing and player not in self.in_favour else None

    def take(self, move: Move) -> Contract | None:
        """Apply a move. Return the contract once all players are in favour of it.

        A new proposal replaces the current one, and its proposer is in favour of it. A player who
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
    """Let players negotiate in turn, until they agree, a player leaves, or all messages are used.

    Args:
        model: speaks for every player.
        briefings: the description of the game for each player, in the order of turns.
        terms: the names that formal clauses can use.
        rounds: the maximum number of messages of all players together.
        on_move: is called with each move.
        past: the results of earlier episodes, which all players know.
        compiled: whether a model adds clauses to proposals in words (``compiling.py``).
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
    """Ask a player for a move. After an unusable answer, the player says nothing."""
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
    """Return the type of an answer that can only contain the moves that are possible in a turn."""
    moves: Any = narrowed(Propose, clauses=list[narrow_clause(players)])  # type: ignore[misc]
    if may_accept is not None:
        moves |= narrowed(Accept, proposal=one_of([may_accept]))  # type: ignore[list-item]
    moves = Annotated[moves | Talk | Leave, Field(discriminator="do")]
    return narrowed(TurnAnswer, move=moves)


def move_of(turn: Turn, standing: Contract | None, answer: TurnAnswer) -> Move:
    """Convert an answer into a move.

    ``standing`` is the current proposal, whether or not the player may accept it.

    Raises:
        AnswerError: the proposed clauses or the proposed contract cannot be used, or the answer
            accepts a proposal other than the current one.
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
    """Convert a proposal into a contract.

    Raises:
        AnswerError: the clauses cannot be used, or the contract is too long.
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
    """Build the prompt for a player's turn.

    The prompt contains the player's own notes, but no notes of other players.
    """
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
    """Describe a move to the player ``to``. The words of the player who made the move are quoted.

    ``number`` is the number of the latest proposal, which may be part of this move.
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
    """Return whether two contracts have the same words and the same clauses.

    Clauses are only compared if the contract ``one`` has any.

    Differences in case, white space and punctuation at the ends of lines do not matter.
    """
    if one.clauses and [*one.clauses] != [*other.clauses]:
        return False
    return _lines(one.text) in (_lines(other.text), _lines(other.proposed or other.text))


def _lines(text: str) -> list[str]:
    return [" ".join(line.casefold().split()).rstrip(".;!") for line in text.splitlines()]
