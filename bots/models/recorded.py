"""Records every call of a model."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from voxpolis.bots.models.model import ChatModel, ChatRequest, Completion, ModelError
from voxpolis.bots.models.prices import Prices, cost_of
from voxpolis.bots.models.scripted import SCRIPTED
from voxpolis.bots.models.settings import ModelSettings
from voxpolis.bots.models.typed import schema_id, wire_schema
from voxpolis.records.reader import PERSON

# Length of the identifiers given to started calls.
NAME_BYTES = 6


class RecordedModel:
    """Passes calls on to another model, and each call with its outcome to ``record``.

    Recorded fields: role, agent, request (model, parameters, messages), answer with thought,
    tokens, seconds and cost in dollars (None without a known price), number of requests to the
    endpoint if more than one, number of answers if more than one (``calls``), and findings about
    the model. A cancelled call is recorded as ``cut_off``.

    A typed question is recorded with the hash of its answer's schema (``schema_id``); the first
    call that uses a schema contains the whole schema (``schema``).

    With ``announces``, a call is also recorded when it is ``started``, so that the record of a
    killed run contains it. The record of its end refers to it by an identifier (``ends``).
    """

    def __init__(
        self,
        model: ChatModel,
        record: Callable[[dict[str, Any]], None],
        settings: ModelSettings,
        prices: Prices | None,
        *,
        announces: bool = False,
        is_live: bool = False,
    ) -> None:
        """Wrap a model; ``settings`` and ``prices`` are those of that model.

        ``prices`` None: nothing was paid, even if endpoints once reported a cost. ``announces``:
        also record the start of calls. ``is_live``: a language model answers, so that schemas are
        generated and recorded.
        """
        self._announces = announces
        self._is_live = is_live
        self._model = model
        self._record = record
        self._settings = settings
        self._prices = prices
        self._schemas: set[str] = set()

    async def complete(self, request: ChatRequest) -> Completion:
        asked = self._settings.request(request)
        call: dict[str, Any] = {
            "role": request.role,
            "agent": request.agent,
            **asked.recorded(),
            "messages": list(request.messages),
        }
        if self._is_live and request.answer is not None:
            kind = request.answer()
            call["schema_id"] = name = schema_id(kind, thought=asked.thought)
            if name not in self._schemas:
                self._schemas.add(name)
                call["schema"] = wire_schema(kind, thought=asked.thought)
        if self._announces:
            name = secrets.token_hex(NAME_BYTES)
            self._record({**call, "started": name})
            call["ends"] = name
        started = time.monotonic()
        try:
            answer = await self._model.complete(request)
        except asyncio.CancelledError:
            text = "the run was cut off before the answer came"
            self._record({**call, "error": text, "cut_off": True, "seconds": _since(started)})
            raise
        except ModelError as error:
            self._record({**call, **self._failed(asked.model, error), "seconds": _since(started)})
            raise
        except Exception as error:
            self._record({**call, "error": str(error), "seconds": _since(started)})
            raise
        self._record(
            {
                **call,
                "model": answer.model,
                "answer": answer.written(),
                **self._took(asked.model, answer),
                "seconds": _since(started),
                **_more(answer.notes, answer.tries),
            }
        )
        return answer

    def _took(self, requested: str, answer: Completion) -> dict[str, Any]:
        optional = {
            "reasoning": answer.reasoning,
            "cached_tokens": answer.cached_tokens,
            "reasoning_tokens": answer.reasoning_tokens,
            "finish_reason": answer.finish_reason,
            "calls": answer.calls if answer.calls > 1 else None,
            "extra_tokens": answer.extra_tokens or None,
            "form": answer.form,
            "fingerprint": answer.fingerprint,
        }
        return {
            "prompt_tokens": answer.prompt_tokens,
            "completion_tokens": answer.completion_tokens,
            "cost": cost_of(self._prices, requested, answer) if self._prices is not None else None,
            **{name: value for name, value in optional.items() if value not in (None, "")},
        }

    def _failed(self, requested: str, error: ModelError) -> dict[str, Any]:
        took: dict[str, Any] = {}
        if error.answer is not None:
            took = {**self._took(requested, error.answer), "calls": error.answer.calls}
        kind = {"error_kind": error.kind} if error.kind else {}
        return {"error": str(error), **kind, **took, **_more(error.notes, error.tries)}


def _more(notes: tuple[str, ...], tries: int) -> dict[str, Any]:
    return {**({"tries": tries} if tries > 1 else {}), **({"notes": list(notes)} if notes else {})}


def _since(started: float) -> float:
    return round(time.monotonic() - started, 3)


# Models whose answers are free.
UNPAID = frozenset({SCRIPTED, PERSON})


def paid_calls(calls: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Completion]]:
    """Yield the usage of recorded calls, as pairs of the requested model and the answer.

    Calls to scripted minds and persons are free; an error's usage is recorded like an answer's.
    """
    for call in calls:
        took = "answer" in call or any(_count(call, n) for n in ("prompt_tokens", "calls"))
        if not took or {call.get("requested"), call.get("model")} & UNPAID:
            continue
        requested, cost = str(call.get("requested")), call.get("cost")
        yield (
            requested,
            Completion(
                "",
                str(call.get("model") or requested),
                prompt_tokens=_count(call, "prompt_tokens"),
                completion_tokens=_count(call, "completion_tokens"),
                cached_tokens=_count(call, "cached_tokens"),
                reasoning_tokens=_count(call, "reasoning_tokens"),
                cost=cost if isinstance(cost, int | float) else None,
                calls=_count(call, "calls") or 1,
                extra_tokens=_count(call, "extra_tokens") or 0,
            ),
        )


def _count(call: Mapping[str, Any], name: str) -> int | None:
    value = call.get(name)
    return value if isinstance(value, int) else None
