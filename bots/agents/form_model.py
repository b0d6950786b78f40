"""A person who answers in place of a model, through a web form or with keys.

A person can be asked every question that an agent would ask its model. The form is generated from
the schema of the answer type. The input is validated like a model's answer: the person sees the
error and is asked again. After a timeout, the default of the role is used, as after a failed model
call.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from voxpolis.bots.asking import ABSENT, ask
from voxpolis.bots.models import Answer, AnswerError, ChatModel, ChatRequest, Completion
from voxpolis.bots.models.typed import narrowed, one_of, wire_schema
from voxpolis.records.questions import Choice, HumanInputQueue
from voxpolis.records.reader import PERSON

# A person who leaves MOST_MISSED questions in a row unanswered counts as absent. From then on,
# every question times out after AWAY_S seconds, until the person answers again.
MOST_MISSED, AWAY_S = 3, 2.0
# The role of the question for the next step of a person who plays with keys.
STEP = "step"
# Keys for steps to which the game assigns no key. The keys . and p are missing because the grid's
# steps use them; 0, + and - are missing because they change the zoom.
KEYS = "123456789abcdefghijklmnoqrstuvwxyz"


@dataclass(frozen=True)
class StepRequest:
    """A request to a person, who plays one step at a time with keys, for the next step.

    Attributes:
        text: a description of the situation.
        choices: the possible steps.
    """

    agent: str
    text: str
    choices: tuple[Choice, ...]

    def parse_choice(self, text: str) -> str:
        """Return the step that a key or a step name stands for; return any other text unchanged."""
        text = text.strip()
        found = (one.text for one in self.choices if text and text in (one.text, one.key))
        return next(found, text)


class Step(Answer):
    """The next step."""

    step: str


class FormModel:
    """A model whose answers come from people, through files; see :class:`.ChatModel`."""

    def __init__(self, desk: HumanInputQueue, within_s: float) -> None:
        self._desk = desk
        self._within_s = within_s
        self._missed: Counter[str] = Counter()

    async def complete(self, request: ChatRequest) -> Completion:
        """Ask the person and wait for the answer. The answer is empty after a timeout."""
        agent, about = request.agent or "", request.about
        step = about if isinstance(about, StepRequest) else None
        if request.attempt and self._missed[agent]:
            return timeout_completion()  # the person has just left the same question unanswered
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
            return timeout_completion()
        self._missed[agent] = 0
        if step is not None:
            text = json.dumps({"step": step.parse_choice(text)})
        elif request.answer is None and "```" not in text:
            text = f"```\n{text}\n```"
        return Completion(text, PERSON)


def patience_s(missed: int, within_s: float) -> float:
    """Return the timeout of the next question in seconds.

    ``missed`` is the number of questions in a row that the person has left unanswered.
    """
    return AWAY_S if missed >= MOST_MISSED else within_s


def timeout_completion() -> Completion:
    """Return the completion that is used if the person does not answer in time."""
    return Completion("", PERSON, finish_reason=ABSENT)


def keys() -> Iterator[str]:
    """Yield the keys for the steps of a game; yield empty strings when no keys are left."""
    yield from KEYS
    while True:
        yield ""


async def next_step(
    model: ChatModel, agent: str, text: str, choices: Sequence[Choice]
) -> Choice | None:
    """Ask a person for the next step. Return None after a timeout."""
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
