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

# The length in bytes of the identifiers of calls.
NAME_BYTES = 6


class RecordedModel:
    """Passes calls on to another model, and passes a record of each call to ``record``.

    The record of a call contains the role, the agent and the request (model, parameters, messages);
    the answer with its thought, tokens, seconds and cost in dollars (None if the price is unknown);
    the number of requests and the number of answers (``calls``) if more than one; and what was
    learnt about the model. A cancelled call is recorded as ``cut_off``.

    The record of a typed question contains a hash of the schema (``schema_id``). The first call
    that uses a schema also contains the whole schema (``schema``).

    With ``announces``, each call is also recorded when it starts (``started``), so that the record
    of a killed run contains the call. The record of the call's end has the same identifier
    (``ends``).
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
        """Wrap a model.

        Args:
            model: the model that answers.
            record: receives the record of each call.
            settings: the settings of the model.
            prices: the prices of the model. None: calls cost nothing, even if the endpoint once
                reported a cost.
            announces: whether to record the start of each call in addition to its end.
            is_live: whether a language model answers. If so, schemas are generated and recorded.
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


# Models that cost nothing.
UNPAID = frozenset({SCRIPTED, PERSON})


def paid_calls(calls: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, Completion]]:
    """Yield the requested model and the usage of each recorded call that was paid for.

    Answers of scripted minds and of people cost nothing. A failed call can have cost something.
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
