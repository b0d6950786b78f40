"""What is said once more when it was told that nothing beside it counts: it is meant so.

Free words beside an answer may explain it, limit it or deny it, in any way that a language has;
which of these they do, no list of words can tell. So an answer with such words is asked for again:
only the answer itself counts. The same answer once more is taken, whatever stands beside it then;
of free words, which nobody says twice in the same way, whatever is answered then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache, wraps
from typing import Any, ParamSpec, TypeVar

from bots.structured.text import AnswerError
from bots.values import REMEMBERED

P = ParamSpec("P")
T = TypeVar("T")

#: What stands for no answer.
UNSAID: Any = object()
_before: ContextVar[Any] = ContextVar("said before", default=UNSAID)


class UnconfirmedError(AnswerError):
    """Free words stand beside an answer, which counts if it is given again.

    Attributes:
        value: what the answer itself says.
    """

    asks = True

    def __init__(self, value: object, words: str) -> None:
        said = " ".join(words.split())[:60]
        super().__init__(
            f"only your answer itself counts, and nothing that you say beside it, such as {said!r};"
            " if you mean it so, give the same answer again"
        )
        self.value = value


@contextmanager
def said_before(value: object) -> Iterator[None]:
    """Within it an answer of that value is read whatever free words stand beside it."""
    token = _before.set(value)
    try:
        yield
    finally:
        _before.reset(token)


def was_said(value: object, *, is_free: bool = False) -> bool:
    """Whether the same was said before by whom it is read from; of free words, anything."""
    before = _before.get()
    return bool(before is not UNSAID and (is_free or before == value))


def remembered(read: Callable[P, T]) -> Callable[P, T]:
    """Return a reader that knows again what it has read, but not what was said twice."""
    known = lru_cache(REMEMBERED)(read)

    @wraps(read)
    def reading(*args: P.args, **kwargs: P.kwargs) -> T:
        if _before.get() is UNSAID:
            return known(*args, **kwargs)  # type: ignore[arg-type]
        return read(*args, **kwargs)

    return reading
