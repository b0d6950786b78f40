"""A person who answers instead of a model: by a form, or by a key.

Every question that an agent asks its model can be asked of a person. The form is made of the
schema of the answer's type, and what is filled in is validated like a model's answer: an error is
shown, and the person is asked again. A person who gives no answer in time leaves the decision to
the role's default, as a model does that fails.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from voxpolis.bots.asking import ABSENT, ask
from voxpolis.bots.models import Answer, AnswerError, ChatModel, ChatRequest, Completion
from voxpolis.bots.models.typed import narrowed, one_of, wire_schema
from voxpolis.records.questions import Choice, Desk
from voxpolis.records.reader import PERSON

# Questions in a row that a person leaves unanswered before it is taken to be away, and how long
# each further one then waits, in seconds; whoever answers one is back.
MOST_MISSED, AWAY_S = 3, 2.0
# What a person is asked for who plays with keys: the next step.
STEP = "step"
# Of choices that have no key of their own: neither . and p (see the grid's steps), nor 0, + and -,
# which zoom.
KEYS = "123456789abcdefghijklmnoqrstuvwxyz"


@dataclass(frozen=True)
class StepRequest:
    """The next step of somebody who plays with keys: how things stand, and what can be done."""

    agent: str
    text: str
    choices: tuple[Choice, ...]

    def chosen(self, said: str) -> str:
        """Return the words of the step that a key or a text names; the same text for none."""
        said = said.strip()
        found = (one.text for one in self.choices if said and said in (one.text, one.key))
        return next(found, said)


class Step(Answer):
    """The next step."""

    step: str


class FormModel:
    """The persons of a run, asked at its desk; see :class:`bots.models.ChatModel`."""

    def __init__(self, desk: Desk, within_s: float) -> None:
        """``within_s``: how long a question waits for its answer."""
        self._desk = desk
        self._within_s = within_s
        self._missed: Counter[str] = Counter()

    async def complete(self, request: ChatRequest) -> Completion:
        """Ask the person, and wait for the answer; an empty answer where it is late."""
        agent, about = request.agent or "", request.about
        step = about if isinstance(about, StepRequest) else None
        if request.attempt and self._missed[agent]:
            return absent()  # the person was away a moment ago
        schema = None
        if step is None and request.answer is not None:
            schema = wire_schema(request.answer(), thought=False)
        shown = request.messages if step is None else ()
        text = await self._desk.ask(
            agent,
            request.role,
            step.text if step else "\n\n".join(message["content"] for message in shown),
            schema=schema,
            complaint=request.error,
            choices=step.choices if step else (),
            within_s=patience_s(self._missed[agent], self._within_s),
        )
        if text is None:
            self._missed[agent] += 1
            return absent()
        self._missed[agent] = 0
        if step is not None:
            text = json.dumps({"step": step.chosen(text)})
        elif request.answer is None and "```" not in text:
            text = f"```\n{text}\n```"
        return Completion(text, PERSON)


def patience_s(missed: int, within_s: float) -> float:
    """Return how long a person is waited for, in seconds, who missed so many questions in a row."""
    return AWAY_S if missed >= MOST_MISSED else within_s


def absent() -> Completion:
    """Return what stands for the answer of a person who gave none in time."""
    return Completion("", PERSON, finish_reason=ABSENT)


def keys() -> Iterator[str]:
    """Yield a key for each of many choices; then none for any further."""
    yield from KEYS
    while True:
        yield ""


async def next_step(
    model: ChatModel, agent: str, text: str, choices: Sequence[Choice]
) -> Choice | None:
    """Return the step that a person chooses; None where it chooses none in time."""
    texts = [one.text for one in choices]
    try:
        found = await ask(
            model,
            [{"role": "user", "content": text}],
            Step,
            role=STEP,
            agent=agent,
            temperature=0.0,
            about=StepRequest(agent, text, tuple(choices)),
            narrow=lambda: narrowed(Step, step=one_of(texts, "step")),
        )
    except AnswerError:
        return None
    return choices[texts.index(found.step)]
