"""Negotiation: players speak in turn, propose contracts, and accept or not.

Source of the procedure and its wire format: Yocum et al. (2023); unanimity among more than two
players: Christoffersen et al. (2023). A message holds a hidden thought, a public part, and perhaps
a contract, or accepts the proposal that stands::

    [thinking] what nobody else sees
    [message] what all see
    [contract]
    1. …
    [contract end]

    [accept]

Beside the words of a contract formal clauses may stand, between ``[clauses]`` and
``[clauses end]`` (``judge.formal``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from bots.models import ChatModel
from bots.prompts import quoted
from bots.structured import (
    AnswerError,
    complete_parsed,
    is_neutral,
    is_why,
    lines,
    own_words,
    plain,
)
from judge.agreement_in_words import refuse_agreement
from judge.compiling import compile_contract
from judge.contract import Contract, ContractError, Terms
from judge.formal import FormalContract, parse_clauses
from judge.message_parts import beside, parts_of
from judge.message_questions import EndsThoughtError, SaysMoreError, SaysSoError, UnsureError
from judge.message_tags import ACCEPT
from judge.message_words import agrees, says_more
from judge.prompts import render
from records.text import caseless

#: Source: Yocum et al. (2023), the negotiator's temperature and the number of messages in the code.
TEMPERATURE = 0.7
ROUNDS = 8
MAX_CONTRACT_CHARACTERS = 4000
#: What marks that a place is empty, and refuses nothing.
_EMPTY = ("", "none", "nothing", "n/a", "null")
#: Longer texts are no such words.
_LONGEST_NOTHING = 200
#: What stands in a contract's or a clause's place where none is proposed.
_NOTHING = caseless(
    r"(?!.*\d.*\b(?:pays?|owes?|gives?)\b)(?:1[.)] *)?[(\[]?"
    r"(?:none|nothing|n/a|null|nil|undefined|--?|\u2013|\u2014|\u2026"
    r"|(?:i (?:propose|want|prefer|offer) )?no(?: new)?"
    r" (?:contract|proposal|clauses?|changes?|agreement)|no)"
    r"(?: (?:yet|so far|needed|now|at this (?:time|stage|point)|for now|proposed|at all|from me))*"
    r"[)\]]?"
    r"(?:[ .]+2[.)] none)?"
)
#: A term that stands for others, which whoever reads this contract alone does not know.
_BEFORE = (
    r"(?:(?:in |your |my |the |our )*(?:above|before|earlier|previous(?:ly)?|last|proposed|standing"
    r"|current|first|original)\b(?: (?:proposal|contract|offer|terms?|one)\b)?)"
)
_AS_BEFORE = caseless(
    r"\W*(?:\d{1,2}[.):]\s*)?(?:"
    r"(?:(?:all|everything|the|term|clause|rest|others?|both|stays?|remains?|is|are|\d{1,2})\s+)*+"
    rf"(?:unchanged\b|(?:the )?same\W*$|(?:the )?(?:same|identical) (?:to |as )?{_BEFORE}"
    rf"|as (?:in )?{_BEFORE}(?=\W*$|\W+(?:but|except|with|plus|and|only)\b))"
    r"|(?:your|my|the|our) (?:\w+ )?(?:previous|last|earlier|standing|first|original)"
    r" (?:proposal|contract|offer|terms?)\b)"
)
#: What stands around words and behind them that says nothing.
_AROUND, _STOPS = '*_`"', ".,;:!"
#: What a message may be called.
_OWN = own_words(
    "message reply offer proposal contract negotiation my to the i would say situation"
)


@dataclass(frozen=True)
class Move:
    """One player's turn; ``thought`` is never shown to anybody else."""

    player: str
    thought: str = ""
    message: str = ""
    proposal: Contract | None = None
    accepts: bool = False


@dataclass(frozen=True)
class Negotiation:
    """How a negotiation went: all moves, and what was agreed, if anything."""

    moves: Sequence[Move]
    agreed: Contract | None


@dataclass(frozen=True)
class Turn:
    """What the negotiator's prompt is rendered from.

    Attributes:
        player: whose turn it is.
        briefing: what it is told of the game.
        terms: what formal clauses may name.
        moves: what was said so far.
        left: messages that are left, this one included.
        past: what came of earlier episodes; empty: there were none.
    """

    player: str
    briefing: str
    terms: Terms
    moves: tuple[Move, ...]
    left: int
    past: str = ""


@dataclass
class Table:
    """The state of a negotiation: what stands, and who is for it."""

    players: Sequence[str]
    standing: Contract | None = None
    in_favour: set[str] = field(default_factory=set)

    def open_to(self, player: str) -> Contract | None:
        """Return the proposal that a player may accept: the standing one, if it is another's."""
        return None if player in self.in_favour else self.standing

    def take(self, move: Move) -> Contract | None:
        """Let a move count; the contract, once all are for it.

        To propose is to be for one's own proposal and to set aside the one that stood; to repeat
        that one sets nobody's agreement aside.
        """
        if move.proposal is not None and self.standing is not None:
            is_repeated = _is_same(move.proposal, self.standing)
        else:
            is_repeated = False
        if is_repeated:
            self.in_favour.add(move.player)
        elif move.proposal is not None:
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
    """Let players negotiate, one message each in turn, at most ``rounds`` messages in all.

    Args:
        model: speaks for every player.
        briefings: what each player is told of the game, by player, in the order of turns.
        terms: what formal clauses may name.
        rounds: messages in all.
        on_move: called with each move.
        past: what came of earlier episodes, which all players know.
        compiled: have clauses made of what is proposed in words only (``judge.compiling``).

    Raises:
        ModelError: the model does not answer.
    """
    players = list(briefings)
    table = Table(players)
    moves: list[Move] = []
    for number in range(rounds):
        player = players[number % len(players)]
        turn = Turn(player, briefings[player], terms, tuple(moves), rounds - number, past)
        move = await _move(model, turn, table.open_to(player))
        if compiled and move.proposal is not None:
            move = replace(move, proposal=await compile_contract(model, move.proposal, terms))
        moves.append(move)
        on_move(move)
        agreed = table.take(move)
        if agreed is not None:
            return Negotiation(moves, agreed)
    return Negotiation(moves, None)


async def _move(model: ChatModel, turn: Turn, standing: Contract | None) -> Move:
    """One player's message; one that cannot be read, however often it is asked for, is a pass.

    What was said in a message that had to be asked about is told beside an acceptance all the
    same, and where nothing else can be read.
    """
    player, said, asked = turn.player, "", set[type[UnsureError]]()

    def read(answer: str) -> Move:
        nonlocal said
        try:
            move = read_move(player, answer, turn.terms, standing, asked)
        except UnsureError as problem:
            said = problem.said or said
            asked.add(type(problem))
            raise
        told = "\n".join(dict.fromkeys(filter(None, (said, move.message))))
        return replace(move, message=told) if move.accepts else move

    try:
        return await complete_parsed(
            model,
            [{"role": "user", "content": negotiator_prompt(turn)}],
            read,
            role="negotiator",
            agent=player,
            temperature=TEMPERATURE,
            about=turn,
        )
    except AnswerError:
        return Move(player, message=said or "(says nothing that can be understood)")


def negotiator_prompt(turn: Turn) -> str:
    """Return what a player sees before it speaks: its own thoughts, and nobody else's."""
    player, terms = turn.player, turn.terms
    shown = "\n\n".join(shown_to(move, player) for move in turn.moves)
    return render(
        "negotiator",
        player=player,
        others=" and ".join(name for name in terms.players if name != player),
        briefing=turn.briefing,
        items=terms.listed(with_most=True),
        past=turn.past or "Nothing yet: this is the first time.",
        history=shown or "Nobody has spoken yet.",
        left=str(turn.left),
    )


def shown_to(move: Move, to: str) -> str:
    """Return one move as a player sees it: who did what in our words, what was said quoted."""
    parts = []
    if move.thought and move.player == to:
        parts.append(f"You thought, and nobody else knows:\n{quoted(move.thought)}")
    if move.message:
        parts.append(f"{move.player} said:\n{quoted(move.message)}")
    if move.proposal is not None:
        parts.append(f"{move.player} proposed a contract:\n{quoted(move.proposal.text)}")
        parts.append(_in_force(move.proposal))
    if move.accepts:
        parts.append(f"{move.player} agreed to the proposal that stood.")
    return "\n".join(parts)


def _in_force(proposal: Contract) -> str:
    """How a proposal would be settled, which its own text can say anything about."""
    if not proposal.is_exact:
        return "It has no clauses that code can settle: a judge would decide by its words."
    return "\n".join(["Settled by these clauses, whatever its words say:", *proposal.clauses])


def read_move(
    player: str,
    answer: str,
    terms: Terms,
    standing: Contract | None,
    asked: Collection[type[UnsureError]] = (),
) -> Move:
    """Read a message in the wire format.

    Tags begin a line, or stand within one where nobody can take them for words; which
    ``[accept]`` counts say :mod:`judge.message_parts` and :mod:`judge.message_words`. To repeat the
    proposal that stands, with or without the tag, is to accept it: the negotiators in the paper's
    own transcripts do so. Who accepts it in words is asked for the tag.

    Args:
        player: whose message it is.
        answer: the message.
        terms: what clauses may name.
        standing: the proposal that the player may accept; None: there is none.
        asked: what it was asked about before. To the same again it says that it means it: words
            around its message that only lead to its answer, and words that only say why, say no
            more than that it accepts, an acceptance at the end of a thought is one, and words about
            agreeing are talk.

    Raises:
        UnsureError: it can be meant in two ways, and was not asked which.
        AnswerError: it is not in the format, proposes and accepts at once, or accepts nothing.
    """
    _refuse_others_turn(player, answer, terms.players)
    _refuse_label(answer, player)
    parts = parts_of(answer, ends_thought=EndsThoughtError in asked)
    said = beside(parts)
    if _is_nothing(parts.get("clauses", "")):
        said += f"\n{_unless_empty(parts.pop('clauses'))}"
    if "clauses" in parts:
        parts = {"contract": "", **parts}
    elif _is_nothing(parts.get("contract", "")):
        said += f"\n{_unless_empty(parts.pop('contract'))}"
    accepts = ACCEPT in parts
    if not parts.get("message") and "contract" not in parts and not accepts:
        raise AnswerError("say something after [message], propose a contract, or accept")
    if accepts and standing is None:
        raise AnswerError("there is no proposal of another player to accept")
    proposal = _proposal(parts, terms) if "contract" in parts else None
    if proposal is not None and standing is not None and _is_same(proposal, standing):
        proposal, accepts = None, True
    if accepts and proposal is not None:
        raise AnswerError("a message either proposes another contract or accepts one, not both")
    told, names, is_asked = parts.get("message", ""), terms.players, SaysMoreError in asked
    if accepts and says_more(said, names, message=told, is_asked=is_asked):
        raise SaysMoreError(told)
    if standing is not None and proposal is None and not accepts:
        refuse_agreement(told, names, is_asked=SaysSoError in asked)
    message = "\n".join(filter(None, (told, parts.get("contract end"))))
    return Move(player, parts.get("thinking", ""), message, proposal, accepts)


def _refuse_others_turn(player: str, answer: str, players: Iterable[str]) -> None:
    """Refuse a message that goes on with a transcript, and speaks for another player."""
    others = "|".join(re.escape(name) for name in players if name != player)
    label = rf"[\s>*_#]*(?:{others})[\s*_]*:[\s*_]*"
    tag = r"\[\s*(?:message|accept|contract|clauses)\s*\]"
    if re.match(rf"(?i){label}(?={tag}|.*\n)", answer) or re.search(rf"(?im)^{label}{tag}", answer):
        raise AnswerError(f"write [message] or [accept] for {player}, and nothing for another")


def _refuse_label(answer: str, player: str) -> None:
    """Refuse a line above the first tag that leads to it in other words than neutral ones.

    Raises:
        AnswerError: it may say that the message is another's, for another time, or not meant.
    """
    above, tag, _ = answer.partition("[")
    said = [line for line in above.splitlines() if line.strip(" \t*#>`~-")]
    if not tag or "{" in above or not said or not plain(said[-1]).endswith(":"):
        return
    if not is_neutral(said[-1], _OWN | {player.casefold()}) and not is_why(plain(said[-1])):
        raise AnswerError(
            f"leave out {plain(said[-1])[:60]!r} above your message; begin with "
            "[message] or [accept]"
        )


def _unless_empty(text: str) -> str:
    """Return what stands in an empty place, where it is more than a mark that it is empty."""
    return "" if text.strip(" .*_`()[]-\u2013\u2014\u2026").casefold() in _EMPTY else text


def _is_nothing(text: str) -> bool:
    """Whether a form says that there is nothing to fill in, in few words."""
    if len(text) > _LONGEST_NOTHING:
        return False
    bare = " ".join(text.split()).strip(" .*_`")
    return bool(text.strip()) and (not bare or bool(_NOTHING.fullmatch(bare)))


def _is_same(one: Contract, other: Contract) -> bool:
    """Whether a contract repeats another: the same words in the same lines, but for spaces, case,
    emphasis and stops at the ends of lines, and the same clauses, where it has some.
    """
    if one.clauses and [*one.clauses] != [*other.clauses]:
        return False
    return _lines(one.text) in (_lines(other.text), _lines(other.proposed or other.text))


def _lines(text: str) -> list[list[str]]:
    said = [[word.strip(_AROUND) or word for word in line.split()] for line in text.splitlines()]
    ends = [" ".join(words).rstrip(_STOPS).casefold().split() for words in said]
    return [words for words in ends if words]


def _proposal(parts: dict[str, str], terms: Terms) -> Contract:
    words = parts["contract"]
    formal: FormalContract | None = None
    if parts.get("clauses"):
        try:
            formal = parse_clauses("\n".join(lines(parts["clauses"])), terms)
        except ContractError as error:
            raise AnswerError(f"the clauses cannot be used: {error}") from error
    text = "\n".join(part for part in (words, f"Formally:\n{formal}" if formal else "") if part)
    if not text:
        raise AnswerError("the contract is empty")
    if any(map(_AS_BEFORE.match, text.splitlines())) or agrees(words, terms.players):
        raise AnswerError("write the whole contract, or [accept] to agree to the one that stands")
    if len(text) > MAX_CONTRACT_CHARACTERS:
        raise AnswerError(f"the contract is longer than {MAX_CONTRACT_CHARACTERS} characters")
    if formal is None:
        return Contract("negotiated", text)
    return Contract("negotiated", text, rule=formal.transfers, clauses=formal.lines)
