"""The vocabulary of decisions, and how answers with it are read."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bots.structured import AnswerError

_ACTION = re.compile(r"^\s*ACTION:\s*([A-Za-z]+)[ \t]*(.*?)\s*$", re.MULTILINE)
_ABOUT = re.compile(r"^\s*ABOUT:\s*(.*?)\s*$", re.MULTILINE)
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%")
KINDS = ("WORK", "GO", "VISIT", "PAY", "REST")
MAX_ABOUT = 120


@dataclass(frozen=True)
class Action:
    """What an agent does: ``target`` of GO is a place, of VISIT a person; ``share`` is of PAY."""

    kind: str
    target: str = ""
    share: float = 0.0

    def __str__(self) -> str:
        if self.kind == "PAY":
            return f"PAY {self.share * 100:.1f} %"
        return f"{self.kind} {self.target}".strip()


REST = Action("REST")


def read_decision(answer: str) -> tuple[Action, str]:
    """The action of an answer and what to talk about.

    Raises:
        AnswerError: there is no action of the vocabulary.
    """
    found = _ACTION.search(answer)
    if found is None:
        raise AnswerError("there is no line ACTION: …")
    about = _ABOUT.search(answer)
    subject = about[1][:MAX_ABOUT] if about and about[1].lower() != "nothing" else ""
    return read_action(found[1], found[2]), subject


def read_action(kind: str, rest: str) -> Action:
    """An action out of its words.

    Raises:
        AnswerError: it is not of the vocabulary.
    """
    kind = kind.upper()
    if kind not in KINDS:
        raise AnswerError(f"{kind} is no action; there are: {', '.join(KINDS)}")
    if kind == "PAY":
        share = _PERCENT.search(rest)
        if share is None or float(share[1]) > 100:
            raise AnswerError("PAY takes a share from 0 to 100 %, such as PAY 20 %")
        return Action(kind, share=float(share[1]) / 100)
    if kind in ("GO", "VISIT") and not rest:
        raise AnswerError(f"{kind} needs to know where to")
    return Action(kind, target=rest.removeprefix("to ").strip() if kind in ("GO", "VISIT") else "")
