"""One endpoint: how many calls it is asked at once, when it is asked again, and when no more."""

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

# --- Answers that come in pieces: server-sent events, put together to one completion --------------
#
# Some servers stream whatever they are asked, others answer in no other way.

_DATA, _DONE = b"data:", b"[DONE]"
# How a line of a stream of events begins; one that begins with a colon is a comment.
_LINES = (_DATA, b"event:", b"id:", b"retry:", b":")


class UnfinishedError(ValueError):
    """The stream ended before the answer did."""


def is_stream(data: bytes | bytearray) -> bool:
    """Return whether an answer's bytes are a stream of events, and no JSON."""
    return data.lstrip().startswith(_LINES)


def assembled(data: bytes) -> dict[str, Any]:
    """Return the completion whose pieces a stream has, as an endpoint sends it whole.

    Raises:
        UnfinishedError: it has no end, neither a reason nor a mark.
        ValueError: a piece is no JSON object.
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
            raise ValueError("a piece is no object")
        whole |= {name: value for name, value in chunk.items() if value is not None}
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if not isinstance(choice, dict) or choice.get("index"):
                continue  # the first answer is the one that was asked for
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
    """Add what a piece brings to a message: more of a text or of a list, or another field."""
    for name, value in delta.items() if isinstance(delta, dict) else ():
        had = message.get(name)
        is_more = name != "role" and isinstance(value, str | list) and type(had) is type(value)
        if is_more:
            message[name] = had + value
        elif value is not None:
            message[name] = value


# --------------------------------------------------------------------------------------------------

# A rate limit passes: it is worth more tries than a fault.
RATE_LIMIT_FACTOR = 2
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
# Who asks for a longer pause than this is not asked again.
LONGEST_ASKED_PAUSE_S = 300.0
# An answer of more bytes is a flood.
MAX_BYTES = 16 * 2**20

BAD_REQUEST, TOO_MANY_REQUESTS, NOT_FOUND = 400, 429, 404
# What a router's answer is worth that ended as an error and does not say with which status.
BAD_GATEWAY = 502
# How such an answer ends.
FAILED = "error"
# An answer that may hold no choice at all.
_NO_CHOICES = re.compile(rb'"choices"\s*:\s*(?:\[\s*\]|null)')
# A wrong key, no money, no right: what the next call meets as well.
CLOSED = frozenset({401, 402, 403, 404})
# Codes and types of errors that say so, whatever their status.
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
# What Ollama says in the place of a status.
_NO_MODEL = re.compile(r"\bmodel\b.*\bnot found\b")
# Codes and words of errors of a content filter.
_FILTER = re.compile(
    r"content_filter|content management policy|ResponsibleAIPolicyViolation|content_policy",
    re.IGNORECASE,
)
# Words of a prompt that is too long, which llama.cpp says with status 500.
_TOO_LONG = re.compile(r"context (?:size|length|window)|exceed_context", re.IGNORECASE)
# How often an answer that is no completion is asked for again, and how much of it is shown.
NONSENSE_TRIES, SHOWN_CHARACTERS = 1, 80
# Who has not been reached for so long, by any call, is not there.
LOST_AFTER_S = 60.0
PASSING = frozenset({408, 409, 425, TOO_MANY_REQUESTS})


@dataclass(frozen=True)
class Patience:
    """Limits of waiting for an endpoint: seconds a try, tries after the first, calls at once."""

    timeout_s: float = TIMEOUT_S
    max_retries: int = MAX_RETRIES
    at_once: int = CONCURRENCY


class Turns:
    """Turns at a server, shared by all callers, whatever their keys."""

    def __init__(self, at_once: int) -> None:
        self.free = asyncio.Semaphore(at_once)
        # When the server wants to be asked again, by the monotonic clock.
        self.asked_again_at = 0.0
        # Since when no call has reached it; None: the last one did.
        self.lost_since: float | None = None


def server_of(address: str) -> str:
    """Return the same text for all spellings of an address.

    Raises:
        ValueError: its port is none.
    """
    parts = urlsplit(address)
    scheme, host = parts.scheme.lower(), (parts.hostname or "").rstrip(".")
    port = parts.port or (443 if scheme == "https" else 80)
    return (
        f"{scheme}://{'127.0.0.1' if host == 'localhost' else host}:{port}{parts.path.rstrip('/')}"
    )


def _without_environment(api_key: str | None) -> Any:
    """Return default headers that leave out those that the client takes from the environment."""
    lines = os.environ.get("OPENAI_CUSTOM_HEADERS", "").splitlines()
    names = [line.partition(":")[0].strip() for line in lines]
    omitted = ("OpenAI-Organization", "OpenAI-Project", *filter(None, names))
    key = api_key or os.environ.get("OPENAI_API_KEY")
    own = {name: f"Bearer {key}" for name in names if name.lower() == "authorization"}
    return {**dict.fromkeys(omitted, openai.Omit()), **own}


class NonsenseError(ModelError):
    """An endpoint answers with something that is no completion."""


class RefusedError(ModelError):
    """The endpoint refuses a request; ``body`` is what it says, parsed where it is JSON."""

    def __init__(self, message: str, status: int, body: object) -> None:
        super().__init__(message)
        self.status = status
        self.body = body


class Endpoint:
    """An OpenAI-compatible endpoint.

    Rate limits, time-outs, lost connections and the endpoint's own faults are retried with growing
    pauses, or after the time that the endpoint asks for; until then nobody asks it anything.
    """

    def __init__(
        self,
        base_url: str | None,
        api_key: str | None,
        patience: Patience,
        turns: dict[str, Turns],
        secrets: Secrets,
        *,
        is_default: bool = True,
    ) -> None:
        """Make the client; nothing is sent yet.

        Args:
            base_url: its address, in any spelling.
            api_key: the key that it is asked with.
            patience: how long it is waited for.
            turns: of all servers that are asked, by :func:`server_of`; its own is added.
            secrets: what no text of an answer or an error may show; its key is added.
            is_default: whether the environment's organisation, project and headers are sent there
                (``OPENAI_ORG_ID``, ``OPENAI_PROJECT_ID``, ``OPENAI_CUSTOM_HEADERS``).

        Raises:
            ModelError: there is no key, or the address is none.
        """
        try:
            server_of(base_url or "")
        except ValueError as error:
            raise ModelError(f"{base_url} is no address: {error}") from error
        try:
            self._client = openai.AsyncOpenAI(
                base_url=base_url,
                api_key=api_key,
                timeout=patience.timeout_s + 1,  # ours is the one that counts
                max_retries=0,
                default_headers=None if is_default else _without_environment(api_key),
                # Whoever sends on would get keys, headers and prompts for another server.
                http_client=openai.DefaultAsyncHttpxClient(follow_redirects=False),
            )
        except openai.OpenAIError as error:
            raise ModelError("there is no API key: set OPENAI_API_KEY, or use scripted") from error
        self._secrets = secrets
        secrets.add(self._client.api_key)
        self.address = str(self._client.base_url)
        self._patience = patience
        self.server = server_of(self.address)
        self._turns = turns.setdefault(self.server, Turns(patience.at_once))

    async def send(
        self,
        model: str,
        messages: Sequence[Message],
        parameters: Mapping[str, Any],
        headers: Mapping[str, str],
        waiting: Waiting,
    ) -> Any:
        """Return the JSON of an endpoint's answer.

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
                    return self._secrets.hidden(
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
        """Return the answer's bytes; None where it is a flood, the rest of which is not read."""
        asked = self._client.chat.completions.with_streaming_response.create(
            model=model,
            messages=[],  # they are in the body as they are: the client takes long to look at each
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
            except Exception as error:  # of whichever library the client speaks HTTP with
                raise openai.APIConnectionError(request=response.http_request) from error
            if is_stream(received):
                try:
                    received = bytearray(json.dumps(assembled(bytes(received))).encode())
                except UnfinishedError as error:
                    raise openai.APIConnectionError(request=response.http_request) from error
                except (ValueError, RecursionError):
                    return bytes(received)  # it is no answer of any kind
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
        """Return what went wrong with a try; ``ClosedError`` where no other can go better."""
        problem, now, turns = _problem(error, where, self._secrets), time.monotonic(), self._turns
        is_lost = isinstance(error, openai.APIConnectionError)
        turns.lost_since = (turns.lost_since or now) if is_lost else None
        if is_lost and turns.lost_since is not None and now - turns.lost_since > LOST_AFTER_S:
            return ClosedError(f"{problem} (for {LOST_AFTER_S:g} s)")
        if isinstance(error, openai.APIStatusError):
            asked_for = asked_pause(error.response.headers) or 0.0
            if _is_closed(error):
                return ClosedError(str(problem))
            if _is_passing(error) and asked_for > LONGEST_ASKED_PAUSE_S:
                longest = f"longer than the {LONGEST_ASKED_PAUSE_S:g} s that are waited for"
                return ClosedError(
                    f"{problem} (it asks for a pause of {asked_for:.0f} s, {longest})"
                )
        return problem

    def _pause(self, error: Exception, failed: int) -> float | None:
        """Return how long to wait before the next try; None: there is none."""
        tries = self._patience.max_retries
        asked_for = None
        if isinstance(error, openai.APIStatusError):
            if not _is_passing(error):
                return None
            tries *= RATE_LIMIT_FACTOR if _status_of(error) == TOO_MANY_REQUESTS else 1
            asked_for = asked_pause(error.response.headers)
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
    """Return whether to ask again; money that is used up does not come back by waiting."""
    if _is_closed(error) or _TOO_LONG.search(str(error.body)):
        return False
    status = _status_of(error)
    return status in PASSING or status >= 500


def _is_closed(error: openai.APIStatusError) -> bool:
    """Return whether the next call meets the same: no key, no money, no such model."""
    return error.status_code in CLOSED or bool(_CLOSED_CODES & {error.code, error.type})


def _status_of(error: openai.APIStatusError) -> int:
    """Return an error's status, or the one that its code means: proxies send rate limits as 400."""
    is_limit = error.status_code == BAD_REQUEST and "rate_limit" in f"{error.code} {error.type}"
    return TOO_MANY_REQUESTS if is_limit else _status(error.code) or error.status_code


def is_filter(body: object) -> bool:
    """Return whether an error says that a content filter refused the prompt."""
    return bool(_FILTER.search(str(body)))


def asked_pause(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that an endpoint asks to be left alone; None: it does not say."""
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
    """Return the status and the error in the body of an answer that pretends to be a good one.

    Routers tell so what happened behind them: ``{"error": {"code": 429, "message": …}}``, in the
    place of the choices or in the first of them, which ends with ``error``. An empty list of
    choices is one, too: the next try may have some.
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
    """Return the status that an error's code is, as a number or a text; None: it is none."""
    if isinstance(code, bool) or not isinstance(code, int | str) or len(str(code)[:4]) != 3:
        return None
    if not str(code).isdecimal():
        return None
    return int(code) if 400 <= int(code) < 600 else None


def _parsed(data: bytes | None, where: str, secrets: Secrets) -> Any:
    """Return the JSON of an answer, which has choices or an error.

    Raises:
        NonsenseError: it is something else; the message shows how it begins.
        ModelError: it is a flood.
    """
    if data is None:
        raise ModelError(f"{where} answers with more than {MAX_BYTES // 2**20} MB")
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        body = None
    body = None if is_deep(body) else body
    choices = body.get("choices") if isinstance(body, dict) else None
    if isinstance(body, dict) and (body.get("error") or (isinstance(choices, list) and choices)):
        return body
    text = str(secrets.hidden(data[: 4 * SHOWN_CHARACTERS].decode("utf-8", "replace")))
    shown = one_line(text)[:SHOWN_CHARACTERS]
    raise NonsenseError(f"{where} answers with no completion: {shown!r}")


def _problem(error: Exception, where: str, secrets: Secrets) -> ModelError:
    """Return what went wrong with a try, in one line and without keys.

    Keys are taken out before a text is cut, for a part of one is a secret, too.
    """

    def told(text: object) -> str:
        return NO_TEXT.sub("", " ".join(str(secrets.hidden(str(text))).split()))[:200]

    if isinstance(error, TimeoutError | openai.APITimeoutError):
        return ModelError(f"{where} did not answer in time")
    if isinstance(error, openai.APIStatusError):
        body = error.body if error.body is not None else error.message
        said = error.body if isinstance(error.body, str) and error.body else error.message
        text = f"{where} answers {error.status_code}: {told(said)}"
        if error.response.is_redirect:
            to = told(error.response.headers.get("location", "nowhere"))
            text = f"{where} sends on to {to}: give the address that is meant, nothing goes there"
        return RefusedError(text, error.status_code, secrets.hidden(body))
    if isinstance(error, openai.APIConnectionError):
        return UnreachableError(f"{where} cannot be reached: {told(error.__cause__ or error)}")
    return ModelError(f"{where} answers nonsense: {told(error)}")
