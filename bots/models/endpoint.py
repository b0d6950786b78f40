"""One endpoint: concurrency limit, retries, and permanent failure."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

import openai

from voxpolis.bots.models.board import Waiting
from voxpolis.bots.models.model import ClosedError, Message, ModelError, UnreachableError
from voxpolis.bots.models.secrets import FEWEST_IN_AN_ANSWER, Secrets
from voxpolis.bots.models.settings import CONCURRENCY, MAX_RETRIES, TIMEOUT_S
from voxpolis.bots.models.typed import NO_TEXT, is_deep
from voxpolis.records.text import one_line

# --- Streamed answers: server-sent events, assembled into one completion --------------------------
#
# Some servers stream even when they are not asked to; others support only streaming.

_DATA, _DONE = b"data:", b"[DONE]"
# Prefix of a data line in an event stream; a line that begins with a colon is a comment.
_LINES = (_DATA, b"event:", b"id:", b"retry:", b":")


class UnfinishedError(ValueError):
    """The stream ended before the answer did."""


def is_stream(data: bytes | bytearray) -> bool:
    """Return whether a response is an event stream rather than JSON."""
    return data.lstrip().startswith(_LINES)


def assemble_stream(data: bytes) -> dict[str, Any]:
    """Assemble the chunks of a stream into a completion in the non-streaming format.

    Raises:
        UnfinishedError: it has neither a finish reason nor an end marker.
        ValueError: a chunk is not a JSON object.
    """
    whole: dict[str, Any] = {}
    first: dict[str, Any] = {"index": 0, "finish_reason": None}
    message: dict[str, Any] = {}
    is_done = False
    for line in data.splitlines():
        piece = line.strip().removeprefix(_DATA).strip()
        if not line.strip().startswith(_DATA) or not piece:
            continue
        if piece == _DONE:
            is_done = True
            continue
        chunk = json.loads(piece)
        if not isinstance(chunk, dict):
            raise ValueError("a chunk is not an object")
        whole |= {name: value for name, value in chunk.items() if value is not None}
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if not isinstance(choice, dict) or choice.get("index"):
                continue  # only one answer was requested: the first
            told = ((name, choice.get(name)) for name in ("finish_reason", "error"))
            first |= {name: value for name, value in told if value}
            _add(message, choice.get("delta"))
            if isinstance(choice.get("message"), dict):
                message = choice["message"]
    if whole.get("error"):
        return {"error": whole["error"]}
    if not is_done and first["finish_reason"] is None:
        raise UnfinishedError("the stream has no end")
    return whole | {"choices": [first | {"message": message}]}


def _add(message: dict[str, Any], delta: object) -> None:
    """Merge a chunk into a message: append to texts and lists, set other fields."""
    for name, value in delta.items() if isinstance(delta, dict) else ():
        had = message.get(name)
        is_more = name != "role" and isinstance(value, str | list) and type(had) is type(value)
        if is_more:
            message[name] = had + value
        elif value is not None:
            message[name] = value


# --------------------------------------------------------------------------------------------------

# Rate limits are temporary, so they are retried more often than faults.
RATE_LIMIT_FACTOR = 2
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
# If the endpoint asks for a longer pause than this, the call is not retried.
LONGEST_ASKED_PAUSE_S = 300.0
# Maximum size of a response in bytes.
MAX_BYTES = 16 * 2**20

BAD_REQUEST, TOO_MANY_REQUESTS, NOT_FOUND = 400, 429, 404
# Assumed status if a router's answer ended with an error that has no status.
BAD_GATEWAY = 502
# ``finish_reason`` of an answer that ended with an error.
FAILED = "error"
# A response that may contain no choices at all.
_NO_CHOICES = re.compile(rb'"choices"\s*:\s*(?:\[\s*\]|null)')
# Wrong key, no credit, or no permission: the next call would fail, too.
CLOSED = frozenset({401, 402, 403, 404})
# Error codes and types with the same meaning, regardless of their status.
_CLOSED_CODES = frozenset(
    (
        "insufficient_quota",
        "usage_limit_reached",
        "billing_hard_limit_reached",
        "quota_exceeded",
        "model_not_found",
        "invalid_api_key",
    )
)
# Ollama's error text, which it sends instead of a status.
_NO_MODEL = re.compile(r"\bmodel\b.*\bnot found\b")
# Error codes and words of a content filter.
_FILTER = re.compile(
    r"content_filter|content management policy|ResponsibleAIPolicyViolation|content_policy",
    re.IGNORECASE,
)
# Words in errors about a prompt that is too long; llama.cpp sends them with status 500.
_TOO_LONG = re.compile(r"context (?:size|length|window)|exceed_context", re.IGNORECASE)
# Number of retries after a response that is not a completion, and length of the excerpt in the
# error.
NONSENSE_TRIES, SHOWN_CHARACTERS = 1, 80
# An endpoint counts as absent if no call has reached it for this many seconds.
LOST_AFTER_S = 60.0
PASSING = frozenset({408, 409, 425, TOO_MANY_REQUESTS})


@dataclass(frozen=True)
class RetryPolicy:
    """Limits for an endpoint: seconds per try, retries, concurrent calls."""

    timeout_s: float = TIMEOUT_S
    max_retries: int = MAX_RETRIES
    at_once: int = CONCURRENCY


class ConcurrencyLimit:
    """Concurrency limit of a server, shared by all callers regardless of their keys."""

    def __init__(self, at_once: int) -> None:
        self.free = asyncio.Semaphore(at_once)
        # Time until which the server asked for a pause, on the monotonic clock.
        self.asked_again_at = 0.0
        # Time since which no call has reached the server; None: the last call reached it.
        self.lost_since: float | None = None


def server_of(address: str) -> str:
    """Return a canonical form of an address.

    Raises:
        ValueError: its port is invalid.
    """
    parts = urlsplit(address)
    scheme, host = parts.scheme.lower(), (parts.hostname or "").rstrip(".")
    port = parts.port or (443 if scheme == "https" else 80)
    return (
        f"{scheme}://{'127.0.0.1' if host == 'localhost' else host}:{port}{parts.path.rstrip('/')}"
    )


def _without_environment(api_key: str | None) -> Any:
    """Return default headers that cancel those that the client reads from the environment."""
    lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines()
    names = [line.partition(":")[0].strip() for line in lines]
    omitted = ("OpenAI-Organization", "OpenAI-Project", *filter(None, names))
    key = api_key or os.environ.get("OPENAI_API_KEY")
    own = {name: f"Bearer {key}" for name in names if name.lower() == "authorization"}
    return {**dict.fromkeys(omitted, openai.Omit()), **own}


class NonsenseError(ModelError):
    """An endpoint sent a response that is not a completion."""


class RefusedError(ModelError):
    """The endpoint rejected a request; ``body`` is its error, parsed if it is JSON."""

    def __init__(self, message: str, status: int, body: object) -> None:
        super().__init__(message)
        self.status = status
        self.body = body


class Endpoint:
    """An OpenAI-compatible endpoint.

    Rate limits, timeouts, lost connections and server errors are retried with growing pauses, or
    after the time that the endpoint asks for. During that time no caller sends a request.
    """

    def __init__(
        self,
        base_url: str | None,
        api_key: str | None,
        patience: RetryPolicy,
        turns: dict[str, ConcurrencyLimit],
        secrets: Secrets,
        *,
        is_default: bool = True,
    ) -> None:
        """Create the client; send nothing yet.

        Args:
            base_url: its address, in any spelling.
            api_key: the API key.
            patience: time limits and retries.
            turns: concurrency limits of all servers, by :func:`server_of`; this endpoint's is
                added.
            secrets: values that must not appear in answers or errors; the key is added.
            is_default: send the environment's organisation, project and headers (``OPENAI_ORG_ID``,
                ``OPENAI_PROJECT_ID``, ``OPENAI_CUSTOM_HEADERS``).

        Raises:
            ModelError: there is no key, or the address is invalid.
        """
        try:
            server_of(base_url or "")
        except ValueError as error:
            raise ModelError(f"{base_url} is not an address: {error}") from error
        try:
            self._client = openai.AsyncOpenAI(
                base_url=base_url,
                api_key=api_key,
                timeout=patience.timeout_s + 1,  # so that our own timeout comes first
                max_retries=0,
                default_headers=None if is_default else _without_environment(api_key),
                # A redirect would send keys, headers and prompts to another server.
                http_client=openai.DefaultAsyncHttpxClient(follow_redirects=False),
            )
        except openai.OpenAIError as error:
            raise ModelError(
                "there is no API key: set OPENAI_API_KEY, or use --mind scripted"
            ) from error
        self._secrets = secrets
        secrets.add(self._client.api_key)
        self.address = str(self._client.base_url)
        self._patience = patience
        self.server = server_of(self.address)
        self._turns = turns.setdefault(self.server, ConcurrencyLimit(patience.at_once))

    async def send(
        self,
        model: str,
        messages: Sequence[Message],
        parameters: Mapping[str, Any],
        headers: Mapping[str, str],
        waiting: Waiting,
    ) -> Any:
        """Send a request and return the JSON of the response.

        Raises:
            RefusedError: the endpoint answers with an error.
            ModelError: it cannot be reached, or does not answer in time or with JSON.
        """
        where = f"the model {model} at {self.address}"
        failed = 0
        problem: ModelError
        while True:
            async with self._turns.free:
                await self._until(self._turns.asked_again_at, waiting)
                waiting.tries, waiting.again_at = waiting.tries + 1, 0.0
                waiting.sent_at = time.monotonic()
                try:
                    async with asyncio.timeout(self._patience.timeout_s):
                        data = await self._receive(model, messages, parameters, headers)
                    self._turns.lost_since = None
                    return self._secrets.redacted(
                        _parsed(data, where, self._secrets), FEWEST_IN_AN_ANSWER
                    )
                except NonsenseError as error:
                    problem, pause = error, None if failed >= NONSENSE_TRIES else FIRST_PAUSE_S
                except (TimeoutError, openai.OpenAIError) as error:
                    if isinstance(error, openai.APIError) and is_deep(error.body):
                        error.body = None
                    problem = self._problem(error, where)
                    pause = self._pause(error, failed)
            if pause is None:
                raise problem
            failed += 1
            await self._until(time.monotonic() + pause, waiting)

    async def _receive(
        self,
        model: str,
        messages: Sequence[Message],
        parameters: Mapping[str, Any],
        headers: Mapping[str, str],
    ) -> bytes | None:
        """Return the bytes of the response; None, without reading the rest, if it is too large."""
        asked = self._client.chat.completions.with_streaming_response.create(
            model=model,
            # the body already contains them, and the client would take long to inspect each message
            messages=[],
            extra_body={**parameters, "messages": list(messages)},
            extra_headers=dict(headers),
        )
        received = bytearray()
        async with asked as response:
            try:
                async for part in response.iter_bytes():
                    received += part
                    if len(received) > MAX_BYTES:
                        return None
            except Exception as error:  # from any HTTP library that the client uses
                raise openai.APIConnectionError(request=response.http_request) from error
            if is_stream(received):
                try:
                    received = bytearray(json.dumps(assemble_stream(bytes(received))).encode())
                except UnfinishedError as error:
                    raise openai.APIConnectionError(request=response.http_request) from error
                except (ValueError, RecursionError):
                    return bytes(received)  # the response was invalid
            hidden = _hidden_error(bytes(received))
            if hidden is not None:
                code, body = hidden
                told = openai.APIStatusError(
                    str(body.get("message")), response=response.http_response, body=body
                )
                told.status_code = code
                raise told
        return bytes(received)

    def _problem(self, error: Exception, where: str) -> ModelError:
        """Return the error for a failed try; ``ClosedError`` if retries cannot succeed."""
        problem, now, turns = _problem(error, where, self._secrets), time.monotonic(), self._turns
        is_lost = isinstance(error, openai.APIConnectionError)
        turns.lost_since = (turns.lost_since or now) if is_lost else None
        if is_lost and turns.lost_since is not None and now - turns.lost_since > LOST_AFTER_S:
            return ClosedError(f"{problem} (for {LOST_AFTER_S:g} s)")
        if isinstance(error, openai.APIStatusError):
            asked_for = requested_pause(error.response.headers) or 0.0
            if _is_closed(error):
                return ClosedError(str(problem))
            if _is_passing(error) and asked_for > LONGEST_ASKED_PAUSE_S:
                longest = f"longer than the limit of {LONGEST_ASKED_PAUSE_S:g} s"
                return ClosedError(
                    f"{problem} (it asks for a pause of {asked_for:.0f} s, {longest})"
                )
        return problem

    def _pause(self, error: Exception, failed: int) -> float | None:
        tries = self._patience.max_retries
        asked_for = None
        if isinstance(error, openai.APIStatusError):
            if not _is_passing(error):
                return None
            tries *= RATE_LIMIT_FACTOR if _status_of(error) == TOO_MANY_REQUESTS else 1
            asked_for = requested_pause(error.response.headers)
        if failed >= tries or (asked_for or 0.0) > LONGEST_ASKED_PAUSE_S:
            return None
        if asked_for is not None:
            again = time.monotonic() + asked_for
            self._turns.asked_again_at = max(self._turns.asked_again_at, again)
            return asked_for
        pause: float = min(FIRST_PAUSE_S * 2**failed, LONGEST_PAUSE_S)
        return pause * random.uniform(0.75, 1.0)

    async def _until(self, moment: float, waiting: Waiting) -> None:
        left = moment - time.monotonic()
        if left > 0:
            waiting.again_at = moment
            await asyncio.sleep(left)


def _is_passing(error: openai.APIStatusError) -> bool:
    """Return whether to retry; exhausted credit does not come back by waiting."""
    if _is_closed(error) or _TOO_LONG.search(str(error.body)):
        return False
    status = _status_of(error)
    return status in PASSING or status >= 500


def _is_closed(error: openai.APIStatusError) -> bool:
    """Return whether the next call would fail, too: no key, no credit, no such model."""
    return error.status_code in CLOSED or bool(_CLOSED_CODES & {error.code, error.type})


def _status_of(error: openai.APIStatusError) -> int:
    """Return an error's status, or the one implied by its code: proxies send rate limits as 400."""
    is_limit = error.status_code == BAD_REQUEST and "rate_limit" in f"{error.code} {error.type}"
    return TOO_MANY_REQUESTS if is_limit else _status(error.code) or error.status_code


def is_filter(body: object) -> bool:
    """Return whether the error says that a content filter rejected the prompt."""
    return bool(_FILTER.search(str(body)))


def requested_pause(headers: Mapping[str, str]) -> float | None:
    """Return the pause in seconds that an endpoint asks for; None if it asks for none."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name)
        if text is None:
            continue
        try:
            seconds = float(text) * unit
        except ValueError:
            try:
                seconds = parsedate_to_datetime(text).timestamp() - time.time()
            except (ValueError, TypeError, OverflowError):
                continue
        if 0 < seconds < float("inf"):
            return seconds
    return None


def _hidden_error(data: bytes) -> tuple[int, dict[str, Any]] | None:
    """Return the status and the error in the body of a response with a success status.

    Routers report upstream errors this way: ``{"error": {"code": 429, "message": …}}``, either
    instead of the choices or inside the first choice, whose ``finish_reason`` is ``error``. An
    empty list of choices counts as an error, too: a retry may return some.
    """
    if b'"error"' not in data and not _NO_CHOICES.search(data):
        return None
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(body, dict):
        return None
    choices, error = body.get("choices"), body.get("error")
    choice = choices[0] if isinstance(choices, list) and choices else None
    otherwise = None
    if choices in ([], None) and "choices" in body and not error:
        return BAD_GATEWAY, {"message": "no choices"}
    if isinstance(choice, dict):
        otherwise, error = BAD_GATEWAY, choice.get("error") or error
        if error is None and choice.get("finish_reason") == FAILED:
            error = "no answer"
        error = {"message": error} if isinstance(error, str) else error
    if isinstance(error, str) and choice is None and _NO_MODEL.search(error):
        return NOT_FOUND, {"message": error}
    if not isinstance(error, dict):
        return None
    status = _status(error.get("code")) or otherwise
    return None if status is None else (status, error)


def _status(code: object) -> int | None:
    if isinstance(code, bool) or not isinstance(code, int | str) or len(str(code)[:4]) != 3:
        return None
    if not str(code).isdecimal():
        return None
    return int(code) if 400 <= int(code) < 600 else None


def _parsed(data: bytes | None, where: str, secrets: Secrets) -> Any:
    """Parse a response, which contains choices or an error.

    Raises:
        NonsenseError: it is something else; the message shows its beginning.
        ModelError: it is too large.
    """
    if data is None:
        raise ModelError(f"{where} sent a response of more than {MAX_BYTES // 2**20} MB")
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        body = None
    body = None if is_deep(body) else body
    choices = body.get("choices") if isinstance(body, dict) else None
    if isinstance(body, dict) and (body.get("error") or (isinstance(choices, list) and choices)):
        return body
    text = str(secrets.redacted(data[: 4 * SHOWN_CHARACTERS].decode("utf-8", "replace")))
    shown = one_line(text)[:SHOWN_CHARACTERS]
    raise NonsenseError(f"{where} sent a response that is not a completion: {shown!r}")


def _problem(error: Exception, where: str, secrets: Secrets) -> ModelError:
    """Return the error for a failed try, in one line and without keys.

    Keys are removed before the text is truncated, because even part of a key is secret.
    """

    def told(text: object) -> str:
        return NO_TEXT.sub("", " ".join(str(secrets.redacted(str(text))).split()))[:200]

    if isinstance(error, TimeoutError | openai.APITimeoutError):
        return ModelError(f"{where} did not answer in time")
    if isinstance(error, openai.APIStatusError):
        body = error.body if error.body is not None else error.message
        said = error.body if isinstance(error.body, str) and error.body else error.message
        text = f"{where} responded with {error.status_code}: {told(said)}"
        if error.response.is_redirect:
            to = told(error.response.headers.get("location", "nowhere"))
            text = (
                f"{where} redirects to {to}: specify that address instead; nothing was sent there"
            )
        return RefusedError(text, error.status_code, secrets.redacted(body))
    if isinstance(error, openai.APIConnectionError):
        return UnreachableError(f"{where} cannot be reached: {told(error.__cause__ or error)}")
    return ModelError(f"{where} sent an invalid response: {told(error)}")
