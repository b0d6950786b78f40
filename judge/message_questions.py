"""What a negotiator is asked once, because its answer can be meant in two ways."""

from __future__ import annotations

from bots.structured import AnswerError


class UnsureError(AnswerError):
    """A message can be read, and nobody knows what it means: the same again says it.

    Attributes:
        said: what all may hear of it.
    """

    asks = True

    def __init__(self, question: str, said: str = "") -> None:
        super().__init__(question)
        self.said = said


class SaysMoreError(UnsureError):
    """A message accepts, and says more than that."""

    def __init__(self, said: str) -> None:
        super().__init__(
            "your message has [accept], which binds you to the proposal that stands as it is, and "
            "says more than that you agree. If you agree, answer with [accept] alone, with your "
            "thoughts, if you write any, between [thinking] and [thinking end] before it; what you "
            "said after [message] is told to the others, too. If you do not, leave [accept] out, "
            "and say after [message] what you want instead",
            said,
        )


class EndsThoughtError(UnsureError):
    """A message ends with an acceptance, within a thought that does not end."""

    def __init__(self) -> None:
        super().__init__(
            "[accept] is the last line of your thought, which has no [thinking end]. If you agree "
            "to the proposal that stands as it is, write [accept] on a line of its own after "
            "[thinking end] or after your message; if you do not, leave [accept] out, and say "
            "after [message] what you want instead"
        )


class SaysSoError(UnsureError):
    """A message accepts in words, without the tag."""

    def __init__(self, said: str) -> None:
        super().__init__(
            "to agree to the proposal that stands, write [accept] on a line of its own after "
            "your message; if you do not, say in your message what you want instead",
            said,
        )
