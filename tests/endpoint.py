"""A real local HTTP endpoint that speaks OpenAI's chat-completions protocol, well or badly."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from voxpolis.bots.models import endpoint as endpoints

Request = dict[str, Any]
Reply = Callable[[Request], tuple[int, Any]]
# What a request says: a test's mind answers from it.
Mind = Callable[[Request], str]


def completion(text: Any, finish: str = "stop", **message: Any) -> dict[str, Any]:
    """A well-formed answer; ``message``: further fields of its message."""
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "local-test",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7},
    }


@dataclass
class Endpoint:
    """``reply`` gets each request and returns (status, body).

    A body is JSON, bytes, or an iterator of bytes, which is sent piece by piece; a
    :class:`CutOff` breaks in the middle. Status 0: the connection is closed without an answer.
    """

    reply: Reply
    requests: list[Request] = field(default_factory=list)
    url: str = ""
    under_way: int = 0
    most_under_way: int = 0


@dataclass(frozen=True)
class CutOff:
    """The beginning of an answer that never ends: the connection is lost."""

    begins: bytes


def _bytes(body: Any) -> bytes:
    if isinstance(body, CutOff):
        return body.begins
    return body if isinstance(body, bytes) else json.dumps(body).encode()


@contextmanager
def serving(reply: Reply, headers: dict[str, str] | None = None) -> Iterator[Endpoint]:
    """Serve on a free loopback port, each answer with ``headers``; requests note when they came."""
    endpoint, lock = Endpoint(reply), threading.Lock()
    connections: list[socket.socket] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # a connection is for many requests
        disable_nagle_algorithm = True

        def setup(self) -> None:
            super().setup()
            connections.append(self.connection)

        def do_POST(self) -> None:
            asked = self.rfile.read(int(self.headers["Content-Length"]))
            if not asked:  # who asked has gone
                self.close_connection = True
                return
            request = json.loads(asked)
            noted = {
                "authorization": self.headers["Authorization"],
                "headers": {name.lower(): value for name, value in self.headers.items()},
                "at": time.monotonic(),
            }
            endpoint.requests.append({**request, **noted})
            with lock:
                endpoint.under_way += 1
                endpoint.most_under_way = max(endpoint.most_under_way, endpoint.under_way)
            try:
                status, body = endpoint.reply(request)
            finally:
                with lock:
                    endpoint.under_way -= 1
            if status == 0:
                self.close_connection = True
            else:
                with contextlib.suppress(ConnectionError):  # who asked may have heard enough
                    self.answer(status, body)

        def answer(self, status: int, body: Any) -> None:
            pieces: Iterable[bytes] = body if isinstance(body, Iterator) else [_bytes(body)]
            length = None if isinstance(body, Iterator) else len(_bytes(body))
            if length is not None and isinstance(body, CutOff):
                length += 1000
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            if length is not None:
                self.send_header("Content-Length", str(length))
            if length is None or isinstance(body, CutOff):
                self.send_header("Connection", "close")
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            for piece in pieces:
                self.wfile.write(piece)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    endpoint.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()
        for connection in connections:
            with contextlib.suppress(OSError):  # it is closed already
                connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def answering(reply: Reply) -> Iterator[Endpoint]:
    """The same for runs of this process without HTTP, which takes most of the time of a short run.

    For tests of what is asked and answered; what ``reply`` refuses is not sent again.
    """
    endpoint = Endpoint(reply, url="http://127.0.0.1:9/v1")

    async def send(_self: Any, model: str, messages: Any, parameters: Any, *more: Any) -> Any:
        _headers, waiting = more
        waiting.tries, waiting.sent_at = waiting.tries + 1, time.monotonic()
        request = {"model": model, "messages": list(messages), **parameters}
        endpoint.requests.append(request)
        await asyncio.sleep(0)  # others go on meanwhile, as they do where one waits for a network
        status, body = reply(request)
        if status != 200:
            raise endpoints.RefusedError(str(body), status, body)
        return json.loads(_bytes(body))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(endpoints.Endpoint, "send", send)
        yield endpoint


# --- How endpoints behave -------------------------------------------------------------------------


def saying(mind: Mind) -> Reply:
    """An endpoint that takes everything and answers at once."""
    return lambda request: (200, completion(mind(request)))


def sleepy(seconds: float, mind: Mind = lambda _: "late") -> Reply:
    """An endpoint that takes its time."""

    def reply(request: Request) -> tuple[int, Any]:
        time.sleep(seconds)
        return 200, completion(mind(request))

    return reply


def refusal(message: str, **error: Any) -> tuple[int, Any]:
    """A 400 of OpenAI's form."""
    return 400, {"error": {"message": message, "type": "invalid_request_error", **error}}


def current_openai(mind: Mind) -> Reply:
    """OpenAI's o-series and gpt-5 family: other names and values of parameters than before."""

    def reply(request: Request) -> tuple[int, Any]:
        if "max_tokens" in request:
            text = (
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
                "'max_completion_tokens' instead."
            )
            return refusal(text, param="max_tokens", code="unsupported_parameter")
        temperature = request.get("temperature", 1)
        if temperature != 1:
            text = (
                f"Unsupported value: 'temperature' does not support {temperature} with this model. "
                "Only the default (1) value is supported."
            )
            return refusal(text, param="temperature", code="unsupported_value")
        return 200, completion(mind(request))

    return reply


def thinking(mind: Mind, thought: str, style: str) -> Reply:
    """A model that thinks first, in one of the styles ``THOUGHTS``."""
    return lambda request: (200, THOUGHTS[style](thought, mind(request)))


# How endpoints show what a model thought: style → (thought, answer) → body.
THOUGHTS: dict[str, Callable[[str, str], dict[str, Any]]] = {
    "tags": lambda t, a: completion(f"<think>\n{t}\n</think>\n\n{a}"),
    "channels": lambda t, a: completion(
        f"<|channel|>analysis<|message|>{t}<|end|><|start|>assistant<|channel|>final<|message|>{a}"
    ),
    "command a": lambda t, a: completion(
        f"<|START_THINKING|>{t}<|END_THINKING|><|START_RESPONSE|>{a}<|END_RESPONSE|>"
    ),
    "box": lambda t, a: completion(f"<think>{t}</think><|begin_of_box|>{a}<|end_of_box|>"),
    "reasoning_content": lambda t, a: completion(a, reasoning_content=t),
    "reasoning_details": lambda t, a: completion(
        a, reasoning_details=[{"type": "reasoning.text", "text": t}]
    ),
    "parts": lambda t, a: completion(
        [
            {"type": "thinking", "thinking": [{"type": "text", "text": t}]},
            {"type": "text", "text": a},
        ]
    ),
    "parts of gemini": lambda t, a: completion(
        [{"type": "text", "text": t, "thought": True}, {"type": "text", "text": a}]
    ),
}
# How they show a thought that was cut off before its end.
CUT_OFF_THOUGHTS: dict[str, Callable[[str], dict[str, Any]]] = {
    "tags": lambda t: completion(f"<think>{t}", "length"),
    "channels": lambda t: completion(f"<|channel|>analysis<|message|>{t}", "length"),
    "command a": lambda t: completion(f"<|START_THINKING|>{t}", "length"),
    "reasoning_details": lambda t: completion(
        "", "length", reasoning_details=[{"type": "reasoning.text", "text": t}]
    ),
}


def thoughtful(mind: Mind, needs: int, *, shown: bool) -> Reply:
    """A model whose thought takes so many tokens that short bounds leave none for the answer.

    ``shown``: whether the endpoint shows the thought, as an unclosed tag.
    """

    def reply(request: Request) -> tuple[int, Any]:
        most = request.get("max_tokens", request.get("max_completion_tokens", needs))
        if most < needs:
            body = completion("<think>Hmm, let me see" if shown else "", "length")
            return 200, {**body, "usage": {"prompt_tokens": 10, "completion_tokens": most}}
        usage = {
            "prompt_tokens": 10,
            "completion_tokens": needs,
            "completion_tokens_details": {"reasoning_tokens": needs - 5},
        }
        return 200, {**completion(mind(request)), "usage": usage}

    return reply


def in_pieces(body: dict[str, Any], *, is_ended: bool = True) -> bytes:
    """A completion as a stream of events, a few characters each; not ended: it breaks off."""
    (choice,) = body["choices"]
    rest = {name: value for name, value in body.items() if name not in ("choices", "usage")}
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    for name, value in choice["message"].items():
        if isinstance(value, str) and name != "role":
            deltas += [{name: value[at : at + 5]} for at in range(0, len(value), 5)]
        elif name != "role":
            deltas.append({name: value})
    chunks: list[dict[str, Any]] = [
        {**rest, "usage": None, "choices": [{"index": 0, "delta": d, "finish_reason": None}]}
        for d in deltas
    ]
    ends = {"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}
    last = [{**rest, "choices": [ends]}, {**rest, "choices": [], "usage": body["usage"]}]
    events = [f"data: {json.dumps(chunk)}\n\n" for chunk in [*chunks, *last * is_ended]]
    return "".join([": working\n\n", *events, "data: [DONE]\n\n" * is_ended]).encode()


def failing(mind: Mind, statuses: Sequence[int]) -> Reply:
    """An endpoint that first answers with some statuses, one after another, and then works."""
    left = list(statuses)

    def reply(request: Request) -> tuple[int, Any]:
        if left:
            return left.pop(0), {"error": {"message": "not now"}}
        return 200, completion(mind(request))

    return reply


def flooding(piece: bytes = b"x" * 2**20) -> Reply:
    """An endpoint whose answer never ends."""

    def flood() -> Iterator[bytes]:
        while True:
            yield piece

    return lambda _request: (200, flood())


def dripping(seconds: float) -> Reply:
    """An endpoint that sends a blank now and then, so that no read times out, and no answer."""

    def drip() -> Iterator[bytes]:
        while True:
            yield b" "
            time.sleep(seconds)

    return lambda _request: (200, drip())


def schema_of(request: Request) -> dict[str, Any] | None:
    """Return the schema that a request asks for, wherever it stands; None: it has none."""
    form = request.get("response_format", {})
    if form.get("type") == "json_schema":
        return form["json_schema"]["schema"]
    if request.get("tools"):
        return request["tools"][0]["function"]["parameters"]
    for message in request["messages"]:
        _, told, schema = message["content"].partition("of this JSON schema, and nothing else:\n")
        if told:
            return json.loads(schema.split("\n", 1)[0])
    return None
