"""The connection to one endpoint: retries, lasting failures, and a limit on concurrent calls."""

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
from voxpolis.bots.models.typed import DEEPEST, NO_TEXT
from voxpolis.records.lines import is_deep
from voxpolis.records.text import one_line

# --- Streamed answers: server-sent events that are assembled into one completion ------------------
#
# Some servers stream without being asked to, and others support only streaming.

_DATA, _DONE = b"data:", b"[DONE]"
# The beginnings of the lines of an event stream. A line that begins with a colon is a comment.
_LINES = (_DATA, b"event:", b"id:", b"retry:", b":")


class UnfinishedError(ValueError):
    """A stream ended before the answer was complete."""


def is_stream(data: bytes | bytearray) -> bool:
    """Return whether a response is an event stream and not JSON."""
    return data.lstrip().startswith(_LINES)


def assemble_stream(data: bytes) -> dict[str, Any]:
    """Assemble the chunks of a stream into a completion.

    The completion has the format of a response without streaming.

    Raises:
        UnfinishedError: the stream contains neither a finish reason nor an end marker.
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
                continue  # the request asked for one answer, which is the first
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
    """Add a chunk to a message. Texts and lists are appended; other fields are replaced."""
    for name, value in delta.items() if isinstance(delta, dict) else ():
        had = message.get(name)
        is_more = name != "role" and isinstance(value, str | list) and type(had) is type(value)
        if is_more:
            message[name] = had + value
        elif value is not None:
            message[name] = value


# --------------------------------------------------------------------------------------------------

# Rate limits are temporary. A call is therefore retried this many times as often after a rate limit
# as after another failure.
RATE_LIMIT_FACTOR = 2
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
# If an endpoint asks for a longer pause than this, the call fails without further retries.
LONGEST_ASKED_PAUSE_S = 300.0
# Maximum size of a response in bytes.
MAX_BYTES = 16 * 2**20

BAD_REQUEST, TOO_MANY_REQUESTS, NOT_FOUND = 400, 429, 404
# A router can report an error without a status. This status is assumed for such an error.
BAD_GATEWAY = 502
# The ``finish_reason`` of an answer that ended with an error.
FAILED = "error"
# Matches a response that may contain no choices.
_NO_CHOICES = re.compile(rb'"choices"\s*:\s*(?:\[\s*\]|null)')
# Statuses that mean a wrong key, no credit, no permission or an unknown model. The next call would
# fail as well.
CLOSED = frozenset({401, 402, 403, 404})
# Error codes and types that mean the same as these statuses, whatever the actual status.
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
# The text that Ollama sends instead of a status if a model is unknown.
_NO_MODEL = re.compile(r"\bmodel\b.*\bnot found\b")
# The error codes and words of a content filter.
_FILTER = re.compile(
    r"content_filter|content management policy|ResponsibleAIPolicyViolation|content_policy",
    re.IGNORECASE,
)
# Words in errors about a prompt that is too long. llama.cpp sends them with status 500.
_TOO_LONG = re.compile(r"context (?:size|length|window)|exceed_context", re.IGNORECASE)
# After a response that is not a completion, a call is retried this many times. The error message
# quotes this many characters of the response.
NONSENSE_TRIES, SHOWN_CHARACTERS = 1, 80
# If no call reaches a server for this many seconds, the server counts as lost.
LOST_AFTER_S = 60.0
PASSING = frozenset({408, 409, 425, TOO_MANY_REQUESTS})


@dataclass(frozen=True)
class RetryPolicy:
    """The time limit of a request in seconds, and the limits on retries and on concurrent calls."""

    timeout_s: float = TIMEOUT_S
    max_retries: int = MAX_RETRIES
    at_once: int = CONCURRENCY


class ConcurrencyLimit:
    """The limit on concurrent calls to one server. All callers share this limit, even if they use
    different keys.
    """

    def __init__(self, at_once: int) -> None:
        self.free = asyncio.Semaphore(at_once)
        # Until this time on the monotonic clock, no request is sent, because the server asked for a
        # pause.
        self.asked_again_at = 0.0
        # The time since which no call has reached the server; None if the last call reached it.
        self.lost_since: float | None = None


def server_of(address: str) -> str:
    """Return a server's address in a standard spelling, so that different spellings match.

    Raises:
        ValueError: the port in the address is invalid.
    """
    parts = urlsplit(address)
    scheme, host = parts.scheme.lower(), (parts.hostname or "").rstrip(".")
    port = parts.port or (443 if scheme == "https" else 80)
    return (
        f"{scheme}://{'127.0.0.1' if host == 'localhost' else host}:{port}{parts.path.rstrip('/')}"
    )


def _without_environment(api_key: str | None) -> Any:
    """Return headers that keep the client from sending the headers that the environment defines."""
    lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines()
    names = [line.partition(":")[0].strip() for line in lines]
    omitted = ("OpenAI-Organization", "OpenAI-Project", *filter(None, names))
    key = api_key or os.environ.get("OPENAI_API_KEY")
    own = {name: f"Bearer {key}" for name in names if name.lower() == "authorization"}
    return {**dict.fromkeys(omitted, openai.Omit()), **own}


class NonsenseError(ModelError):
    """The endpoint sent a response that is not a completion."""


class RefusedError(ModelError):
    """The endpoint rejected a request. ``body`` is the error, parsed if it is JSON."""

    def __init__(self, message: str, status: int, body: object) -> None:
        super().__init__(message)
        self.status = status
        self.body = body


class Endpoint:
    """An OpenAI-compatible endpoint.

    After rate limits, timeouts, lost connections and server errors, a request is retried. The
    pauses between retries grow, unless the endpoint asks for a certain pause. During such a pause
    no caller sends requests to the server.
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
        """Create the client. No request is sent yet.

        Args:
            base_url: the address of the endpoint, in any spelling.
            api_key: the API key; None for the key in the environment.
            patience: the time limit of a request, and the limits on retries and concurrent calls.
            turns: a dictionary from servers (named as by :func:`server_of`) to their concurrency
                limits. The limit of this server is added if it is missing.
            secrets: the values that must not appear in answers or errors. The API key is added.
            is_default: whether to send the organisation, the project and the headers that the
                environment defines (``OPENAI_ORG_ID``, ``OPENAI_PROJECT_ID``,
                ``OPENAI_CUSTOM_HEADERS``).

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
                # One second more, so that our own timeout comes first.
                timeout=patience.timeout_s + 1,
                max_retries=0,
                default_headers=None if is_default else _without_environment(api_key),
                # If the client followed a redirect, it would send keys, headers and prompts to
                # another server.
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
        """Send a request and return the parsed JSON of the response.

        Raises:
            RefusedError: the endpoint answers with an error.
            ModelError: the endpoint cannot be reached, does not answer in time, or does not answer
                with JSON.
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
                    if isinstance(error, openai.APIError) and is_deep(error.body, DEEPEST):
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
        """Return the bytes of the response.

        Return None if the response is too large. In this case the rest of the response is not read.
        """
        asked = self._client.chat.completions.with_streaming_response.create(
            model=model,
            # Empty here, because the body contains the messages. The client would take long to
            # inspect each message.
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
            except Exception as error:  # any HTTP library may be in use, with its own exceptions
                raise openai.APIConnectionError(request=response.http_request) from error
            if is_stream(received):
                try:
                    received = bytearray(json.dumps(assemble_stream(bytes(received))).encode())
                except UnfinishedError as error:
                    raise openai.APIConnectionError(request=response.http_request) from error
                except (ValueError, RecursionError):
                    return bytes(received)  # the response is invalid; the caller reports it
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
        """Return the error for a failed request.

        The error is a ``ClosedError`` if no further request can succeed.
        """
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
    """Return whether a request that failed with this error should be retried."""
    if _is_closed(error) or _TOO_LONG.search(str(error.body)):
        return False
    status = _status_of(error)
    return status in PASSING or status >= 500


def _is_closed(error: openai.APIStatusError) -> bool:
    """Return whether further calls would fail too (no valid key, no credit or no such model)."""
    return error.status_code in CLOSED or bool(_CLOSED_CODES & {error.code, error.type})


def _status_of(error: openai.APIStatusError) -> int:
    """Return the status of an error.

    The error's code takes precedence, because some proxies report a rate limit with status 400.
    """
    is_limit = error.status_code == BAD_REQUEST and "rate_limit" in f"{error.code} {error.type}"
    return TOO_MANY_REQUESTS if is_limit else _status(error.code) or error.status_code


def is_filter(body: object) -> bool:
    """Return whether the error says that a content filter rejected the prompt."""
    return bool(_FILTER.search(str(body)))


def requested_pause(headers: Mapping[str, str]) -> float | None:
    """Return the pause that an endpoint asks for, in seconds; None if it asks for no pause."""
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
    """Find an error in the body of a response whose status says success.

    Routers report errors of the actual endpoint in this way: ``{"error": {"code": 429, "message":
    …}}`` takes the place of the choices, or is part of the first choice, whose ``finish_reason`` is
    ``error``. An empty list of choices also counts as an error, because a retry may return choices.

    Returns:
        The status and the error; None if there is no error.
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
    """Parse a response, which must contain choices or an error.

    Raises:
        NonsenseError: the response contains neither. The message quotes the start of the response.
        ModelError: the response is too large.
    """
    if data is None:
        raise ModelError(f"{where} sent a response of more than {MAX_BYTES // 2**20} MB")
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        body = None
    body = None if is_deep(body, DEEPEST) else body
    choices = body.get("choices") if isinstance(body, dict) else None
    if isinstance(body, dict) and (body.get("error") or (isinstance(choices, list) and choices)):
        return body
    text = str(secrets.redacted(data[: 4 * SHOWN_CHARACTERS].decode("utf-8", "replace")))
    shown = one_line(text)[:SHOWN_CHARACTERS]
    raise NonsenseError(f"{where} sent a response that is not a completion: {shown!r}")


def _problem(error: Exception, where: str, secrets: Secrets) -> ModelError:
    """Return the error for a failed request, as one line without keys.

    Keys are removed before the text is truncated, because even a part of a key is secret.
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
