"""From a contract in words to clauses: a model writes them, code checks them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from bots.models import ChatModel
from bots.prompts.quoting import quoted
from bots.structured import AnswerError, complete_parsed
from judge.contract import Contract, ContractError, Terms
from judge.formal import FormalContract, parse_clauses
from judge.prompts import render
from judge.wording import in_words

#: As the judge's: the same text should become the same clauses.
TEMPERATURE = 0.1
IMPOSSIBLE = "IMPOSSIBLE"
_FENCE = re.compile(r"^```\w*\s*$", re.MULTILINE)


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
            lambda answer: _read(answer, terms),
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
    return replace(contract, text=text, rule=formal.transfers, clauses=formal.lines)


def compiler_prompt(contract: Contract, terms: Terms) -> str:
    """Return what the compiler sees."""
    return render(
        "compiler",
        players=", ".join(terms.players),
        contract=quoted(contract.text),
        items=", ".join(terms.items),
    )


def _read(answer: str, terms: Terms) -> FormalContract | None:
    text = _FENCE.sub("", answer).strip()
    if text.upper().strip(".") == IMPOSSIBLE:
        return None
    try:
        return parse_clauses(text, terms)
    except ContractError as error:
        raise AnswerError(str(error)) from error
