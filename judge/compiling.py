"""From a contract in words to clauses: a model writes them, code checks them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bots.models import ChatModel
from bots.prompts import quoted
from bots.structured import (
    AnswerError,
    complete_parsed,
    fenced,
    lines,
    places,
    read_objects,
    says_how_sure,
    spoken,
)
from bots.structured.outside import refuse_outside
from judge.contract import Contract, ContractError, Terms
from judge.formal import FormalContract, parse_clauses
from judge.prompts import render
from judge.wording import in_words
from records.text import caseless

#: As the judge's: the same text should become the same clauses.
TEMPERATURE = 0.1
IMPOSSIBLE = "IMPOSSIBLE"
#: What makes a line of an answer a clause, or the attempt at one.
_PAYS = caseless(r"\bpays\b")
#: What leads to clauses in their line, and to the word that there are none.
_LEAD = caseless(r"(?:(?:the|my) )?(?:answer|clauses?|result)(?: \d+)?(?: is| are)?\s*:\s*")
#: A reason behind a clause, which is none of it.
_WHY = caseless(r"\s+(?:[(\u2013\u2014-]+\s*)?because\b[^\d%,;:!?(\u2013\u2014]*$")
#: That word, perhaps with its reason.
_IMPOSSIBLE = re.compile(rf"{IMPOSSIBLE}\b(?:\W*$|\s*[^\w\s]|\s(?:since|because|as)\b)")
_ALONE = caseless(rf"{IMPOSSIBLE}\W*")
#: How an object calls its list of clauses, and what a model is told that says more than these.
_LISTS = ("clauses", "answer")
#: A mark before a clause by which it may be none: of a change, a comment, a cross or a box.
_MARKED = re.compile(
    r"^\s*(?:[-*]\s+)?(?:\+\s|//|;|#|~~|\[[ xX]?\]|[\u2713-\u2718\u274c\u274e\u2705\u2610-\u2612])"
    r"(?=.*\bpays?\b)",
    re.MULTILINE,
)
_ADVICE = f"write the clauses alone, or {IMPOSSIBLE} where they would not say all of the contract"
#: What says that a term is left out.
_UNSAID = caseless(r"\b(?:cannot|can't|can not) be (?:expressed|said|written|put)\b")


@dataclass(frozen=True)
class CompileRequest:
    """What the compiler's prompt is rendered from."""

    contract: Contract
    terms: Terms


async def compile_contract(model: ChatModel, contract: Contract, terms: Terms) -> Contract:
    """The contract with clauses beside its words, and the clauses in words again.

    Players accept all three, so that both know what will be settled; what is in force is what the
    clauses say. A contract that has clauses, or of which none can be made, comes back as it is.

    Args:
        model: asked in the role ``compiler``.
        contract: in words.
        terms: what clauses may name.

    Raises:
        ModelError: the model does not answer.
    """
    if contract.is_exact or not contract.text:
        return contract
    try:
        formal = await complete_parsed(
            model,
            [{"role": "user", "content": compiler_prompt(contract, terms)}],
            lambda answer: read_clauses(answer, terms),
            role="compiler",
            agent=None,
            temperature=TEMPERATURE,
            about=CompileRequest(contract, terms),
        )
    except AnswerError:
        formal = None
    if formal is None:
        return contract
    text = f"{contract.text}\nAs clauses:\n{formal}\nThat is:\n{in_words(formal)}"
    exact = replace(contract, text=text, rule=formal.transfers, clauses=formal.lines)
    return replace(exact, proposed=contract.text)


def compiler_prompt(contract: Contract, terms: Terms) -> str:
    """Return what the compiler sees."""
    return render(
        "compiler",
        players=", ".join(terms.players),
        contract=quoted(contract.text),
        items=terms.listed(),
    )


def read_clauses(answer: str, terms: Terms) -> FormalContract | None:
    """Return the clauses of an answer: in its last block, or else its lines that are payments.

    None where it says that there are none. What else it says of them is neutral words, or why a
    clause is there: they bind by code, so nobody else would see what they leave out.

    Raises:
        AnswerError: there are none that can be settled, or the answer says more.
    """
    whole = answer
    if _MARKED.search(answer):
        raise AnswerError(f"a clause has a mark that may take it out; {_ADVICE}")
    answer = _listed(answer) or answer
    blocks = [text for _, text in fenced(answer) if _PAYS.search(text)]
    said = [
        _WHY.sub("", _LEAD.sub("", line)).rstrip(";. ")
        for line in lines(blocks[-1] if blocks else answer)
    ]
    if len({" ".join(block.split()) for block in blocks}) > 1:
        raise AnswerError("the answer holds several blocks of clauses; write one")
    refuses = [line for line in (_LEAD.sub("", one) for one in lines(answer)) if _refuses(line)]
    clauses = [line for line in said if (blocks or _PAYS.search(line)) and not _refuses(line)]
    leaves_out = any(IMPOSSIBLE in line or _UNSAID.search(line) for line in lines(answer))
    if refuses or (clauses and leaves_out):
        if clauses:
            raise AnswerError(f"the answer has clauses, and says {IMPOSSIBLE}; decide for one")
        return None
    try:
        formal = parse_clauses("\n".join(clauses), terms)
    except ContractError as error:
        raise AnswerError(str(error)) from error
    if len(set(formal.lines)) < len(formal.lines):
        raise AnswerError("a clause stands twice, and would be paid twice; write each once")
    _refuse_beside(whole, clauses)
    return formal


def _refuse_beside(answer: str, clauses: Sequence[str]) -> None:
    """Refuse words beside clauses: they may say that these are not all of the contract.

    Raises:
        AnswerError: there are such words.
    """
    said = [_LEAD.sub("", line) for line in lines(_unlisted(answer))]
    beside = [line for line in said if _WHY.sub("", line).rstrip(";. ") not in clauses]
    refuse_outside(beside, clauses, lambda _: False, _ADVICE)


def _unlisted(answer: str) -> str:
    """Return what an answer says beside the list of clauses in its object.

    A thought before the list is none of it.
    """
    if not _listed(answer):
        return answer
    text = spoken(answer)
    ((found, start, end),) = places(text)
    names = [str(key).lower() for key in found]
    at = next(n for n, name in enumerate(names) if name in _LISTS)
    told = list(found.items())[at + 1 :]
    fields = [str(value) for key, value in told if not says_how_sure(str(key), value)]
    return "\n".join([text[:start], *fields, text[end:]])


def _listed(answer: str) -> str:
    """Return the clauses that an answer's only object lists, a line each; empty: there are none."""
    try:
        (found,) = read_objects(answer)
    except (AnswerError, ValueError):
        return ""
    said = [value for key, value in found.items() if str(key).lower() in _LISTS]
    items = said[0] if len(said) == 1 else None
    return "\n".join(map(str, items)) if items and isinstance(items, list) else ""


def _refuses(line: str) -> bool:
    text = line.strip(" \"'")
    return bool(_IMPOSSIBLE.match(text) or _ALONE.fullmatch(text))
