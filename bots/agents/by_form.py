"""A person who answers instead of a model: by a form, or by a key.

Every question that an agent asks its model can be asked of a person. What the person writes goes
through the reader that reads models' answers, and its complaint is shown. Who gives no answer in
time leaves the decision to the role's default, as a model does that fails.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bots.models import ChatModel, ChatRequest, Completion
from bots.structured import AnswerError, complete_parsed, forms
from bots.structured.asking import ABSENT
from records.questions import Choice, Desk
from records.reader import PERSON

#: Questions in a row that a person leaves unanswered before it is taken to be away, and how long
#: each further one then waits, in seconds; whoever answers one is back.
MOST_MISSED, AWAY_S = 3, 2.0
#: What a person is asked for who plays with keys: the next step.
STEP = "step"
#: Of choices that have no key of their own: neither . and p (see the grid's steps), nor 0, + and -,
#: which zoom.
KEYS = "123456789abcdefghijklmnoqrstuvwxyz"


@dataclass(frozen=True)
class StepRequest:
    """The next step of somebody who plays with keys: how things stand, and what can be done."""

    agent: str
    text: str
    choices: tuple[Choice, ...]


class FormModel:
    """The persons of a run, asked at its desk; see :class:`bots.models.ChatModel`."""

    def __init__(self, desk: Desk, within_s: float) -> None:
        """``within_s``: how long a question waits for its answer."""
        self._desk = desk
        self._within_s = within_s
        self._missed: Counter[str] = Counter()

    async def complete(self, request: ChatRequest) -> Completion:
        """Ask the person, and wait for what it writes; an empty answer where it is late."""
        agent = request.agent or ""
        choices = request.about.choices if isinstance(request.about, StepRequest) else ()
        if request.attempt and self._missed[agent]:
            return absent()  # nobody was there a moment ago
        asked = [message for message in request.messages if message["role"] != "assistant"]
        complaint = ""
        if request.attempt:
            complaint = asked[-1]["content"].splitlines()[0]
            asked = asked[: -request.attempt]
        text = await self._desk.ask(
            agent,
            request.role,
            request.about.text
            if isinstance(request.about, StepRequest)
            else "\n\n".join(message["content"] for message in asked),
            form="" if choices else forms(asked),
            complaint=complaint,
            choices=choices,
            within_s=patience_s(self._missed[agent], self._within_s),
        )
        if text is None:
            self._missed[agent] += 1
            return absent()
        self._missed[agent] = 0
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
    """Return the step that a person chooses; None where it chooses none in time.

    Args:
        model: leads to the person.
        agent: whose step it is.
        text: how things stand, in words.
        choices: what can be done.
    """
    listed = "\n".join(f"- {one.text}" for one in choices)
    prompt = f"{text}\n\n# Your answer\nOne of these lines:\n{listed}"

    def chosen(answer: str) -> Choice:
        said = answer.strip().removeprefix("- ")
        for one in choices:
            if said and said in (one.text, one.key):
                return one
        raise AnswerError("it is none of the steps that can be taken now")

    try:
        return await complete_parsed(
            model,
            [{"role": "user", "content": prompt}],
            chosen,
            role=STEP,
            agent=agent,
            temperature=0.0,
            about=StepRequest(agent, text, tuple(choices)),
        )
    except AnswerError:
        return None
