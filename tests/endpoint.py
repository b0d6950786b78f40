"""A local HTTP endpoint with OpenAI's chat-completions protocol, correct or faulty."""

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
# Answers a request; the mind of a test endpoint.
Mind = Callable[[Request], str]


def completion(text: Any, finish: str = "stop", **message: Any) -> dict[str, Any]:
    """Return a well-formed completion; ``message``: further fields of its message."""
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
    """Calls ``reply`` with each request; ``reply`` returns (status, body).

    A body is JSON, bytes, or an iterator of bytes that are streamed; a :class:`CutOff` breaks the
    connection. Status 0 closes the connection without a response.
    """

    reply: Reply
    requests: list[Request] = field(default_factory=list)
    url: str = ""
    under_way: int = 0
    most_under_way: int = 0


@dataclass(frozen=True)
class CutOff:
    """The beginning of an answer whose connection then breaks."""

    begins: bytes


def _bytes(body: Any) -> bytes:
    if isinstance(body, CutOff):
        return body.begins
    return body if isinstance(body, bytes) else json.dumps(body).encode()


@contextmanager
def serving(reply: Reply, headers: dict[str, str] | None = None) -> Iterator[Endpoint]:
    """Serve on a free loopback port with these response ``headers``; record the times of
    requests."""
    endpoint, lock = Endpoint(reply), threading.Lock()
    connections: list[socket.socket] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"  # keeps connections open
        disable_nagle_algorithm = True

        def setup(self) -> None:
            super().setup()
            connections.append(self.connection)

        def do_POST(self) -> None:
            asked = self.rfile.read(int(self.headers["Content-Length"]))
            if not asked:  # the client has disconnected
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
                with contextlib.suppress(ConnectionError):  # the client may have disconnected
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
            with contextlib.suppress(OSError):  # already closed
                connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def answering(reply: Reply) -> Iterator[Endpoint]:
    """Replace HTTP, which dominates short runs, by direct calls within this process.

    Only for tests of questions and answers; rejected requests are not retried.
    """
    endpoint = Endpoint(reply, url="http://127.0.0.1:9/v1")

    async def send(_self: Any, model: str, messages: Any, parameters: Any, *more: Any) -> Any:
        _headers, waiting = more
        waiting.tries, waiting.sent_at = waiting.tries + 1, time.monotonic()
        request = {"model": model, "messages": list(messages), **parameters}
        endpoint.requests.append(request)
        await asyncio.sleep(0)  # let other tasks run, as during network waits
        status, body = reply(request)
        if status != 200:
            raise endpoints.RefusedError(str(body), status, body)
        return json.loads(_bytes(body))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(endpoints.Endpoint, "send", send)
        yield endpoint


# --- Behaviours of endpoints ----------------------------------------------------------------------


def saying(mind: Mind) -> Reply:
    """Return an endpoint that accepts everything and answers immediately."""
    return lambda request: (200, completion(mind(request)))


def sleepy(seconds: float, mind: Mind = lambda _: "late") -> Reply:
    """Return an endpoint that answers after a delay."""

    def reply(request: Request) -> tuple[int, Any]:
        time.sleep(seconds)
        return 200, completion(mind(request))

    return reply


def refusal(message: str, **error: Any) -> tuple[int, Any]:
    """Return a 400 response in OpenAI's format."""
    return 400, {"error": {"message": message, "type": "invalid_request_error", **error}}


def current_openai(mind: Mind) -> Reply:
    """Return an endpoint like OpenAI's o-series and gpt-5: renamed and restricted parameters."""

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
    """Return a model that thinks first, in one of the styles in ``THOUGHTS``."""
    return lambda request: (200, THOUGHTS[style](thought, mind(request)))


# Formats of thoughts: style → (thought, answer) → body.
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
# Formats of truncated thoughts.
CUT_OFF_THOUGHTS: dict[str, Callable[[str], dict[str, Any]]] = {
    "tags": lambda t: completion(f"<think>{t}", "length"),
    "channels": lambda t: completion(f"<|channel|>analysis<|message|>{t}", "length"),
    "command a": lambda t: completion(f"<|START_THINKING|>{t}", "length"),
    "reasoning_details": lambda t: completion(
        "", "length", reasoning_details=[{"type": "reasoning.text", "text": t}]
    ),
}


def thoughtful(mind: Mind, needs: int, *, shown: bool) -> Reply:
    """Return a model that spends ``needs`` tokens on its thought, so that low limits leave none.

    ``shown``: the endpoint shows the thought, as an unclosed tag.
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
    """Convert a completion into a stream of pieces of a few characters.

    If ``is_ended`` is false, the stream breaks off.
    """
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
    """Return an endpoint that first answers with the given error statuses, and then works."""
    left = list(statuses)

    def reply(request: Request) -> tuple[int, Any]:
        if left:
            return left.pop(0), {"error": {"message": "not now"}}
        return 200, completion(mind(request))

    return reply


def flooding(piece: bytes = b"x" * 2**20) -> Reply:
    """Return an endpoint with an endless answer."""

    def flood() -> Iterator[bytes]:
        while True:
            yield piece

    return lambda _request: (200, flood())


def dripping(seconds: float) -> Reply:
    """Return an endpoint that sends only blanks, so that no read times out."""

    def drip() -> Iterator[bytes]:
        while True:
            yield b" "
            time.sleep(seconds)

    return lambda _request: (200, drip())


def schema_of(request: Request) -> dict[str, Any] | None:
    """Return the schema contained in a request, in any form, or None."""
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
