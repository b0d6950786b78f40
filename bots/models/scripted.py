"""Answers from a script, for runs without a language model.

The answers have the same types as those of a language model, and are always marked as scripted.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from voxpolis.bots.models.model import Answering, ChatRequest, Completion
from voxpolis.bots.models.typed import Answer
from voxpolis.bots.values import REMEMBERED

# The requests of the built-in agents are defined in this package. A script does not have to support
# the requests of other packages.
OUR_MODULES = "voxpolis."
# The name of the model in scripted answers.
SCRIPTED = "scripted"
# A script maps a question to its answer. The script uses the role, the agent and the structured
# data (``ChatRequest.about``), and does not read the prompt. The script returns an instance of the
# question's answer type, or a text with a fenced program if the question asks for one.
Script = Callable[[ChatRequest], Answer | str]


class ScriptError(TypeError):
    """A script cannot answer a question, or gives an answer of the wrong type."""

    is_one_line = True

    def __init__(self, request: ChatRequest, problem: str, kind: str = "") -> None:
        whose = f" of {request.agent}" if request.agent else ""
        if not kind:
            kind = "fenced program" if request.answer is None else request.answer().__name__
        asked = f"{request.role}{whose} about a {type(request.about).__name__}"
        super().__init__(
            f"the scripted minds cannot answer the question {asked}, {problem}: let a model "
            f"answer (--mind openai), or return a {kind} for it in minds() of a subclass of the "
            "scenario"
        )


class ScriptedModel:
    """A model whose answers come from a script.

    Its answers are processed like those of a language model.
    """

    def __init__(self, script: Script) -> None:
        self._script = script

    async def complete(self, request: ChatRequest) -> Completion:
        return _answer(self._script, request)

    def at_once(self) -> Answering:
        script = self._script
        return lambda request: _answer(script, request)


def _answer(script: Script, request: ChatRequest) -> Completion:
    try:
        answer: object = script(request)
    except Exception as error:
        if type(request.about).__module__.startswith(OUR_MODULES):
            raise
        raise ScriptError(request, f"which ends in {type(error).__name__}: {error}") from error
    if isinstance(answer, Answer):
        return Completion("", SCRIPTED, value=answer)
    if isinstance(answer, str):
        return _completion(answer)
    told = f"which they answer with {answer!r:.60}, neither an Answer nor a text"
    raise ScriptError(request, told)


@lru_cache(REMEMBERED)
def _completion(text: str) -> Completion:
    return Completion(text=text, model=SCRIPTED)


def program(*files: Path) -> str:
    """Return the text of an answer whose program consists of the given JavaScript files."""
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    return f"A scripted mind's policy.\n\n```javascript\n{text}```"


def plans(text: str) -> str:
    """Return the text of an answer whose program consists of plans."""
    return f"A scripted mind's plans.\n\n```\n{text}\n```"


class Chances:
    """The random decisions of a scripted agent.

    Each kind of decision has its own random numbers. Leaving out one kind of decision therefore
    does not change the other decisions.
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._sources: dict[str, random.Random] = {}

    def of(self, kind: str) -> random.Random:
        if kind not in self._sources:
            self._sources[kind] = random.Random(f"{self._seed} {kind}")
        return self._sources[kind]
