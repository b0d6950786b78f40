"""A real local HTTP endpoint that speaks OpenAI's chat-completions protocol, well or badly."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.deciders import decide
from tests.styles import STYLES


def completion(text: Any) -> dict[str, Any]:
    """A well-formed answer."""
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "local-test",
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": text},
            }
        ],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7},
    }


@dataclass
class Endpoint:
    """``reply`` gets each request and returns (status, body); a body is JSON, text or bytes."""

    reply: Callable[[dict[str, Any]], tuple[int, Any]]
    requests: list[dict[str, Any]] = field(default_factory=list)
    url: str = ""


@contextmanager
def serving(
    reply: Callable[[dict[str, Any]], tuple[int, Any]], headers: dict[str, str] | None = None
) -> Iterator[Endpoint]:
    """Serve on a free loopback port, each answer with ``headers``; requests note when they came."""
    endpoint = Endpoint(reply)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            noted = {"authorization": self.headers["Authorization"], "at": time.monotonic()}
            endpoint.requests.append({**request, **noted})
            status, body = endpoint.reply(request)
            if status == 0:
                self.connection.close()
                return
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    endpoint.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        server.server_close()


def sleepy(seconds: float) -> Callable[[dict[str, Any]], tuple[int, Any]]:
    """A reply that takes its time."""

    def reply(_request: dict[str, Any]) -> tuple[int, Any]:
        time.sleep(seconds)
        return 200, completion("late")

    return reply


def deciding(style: str) -> Callable[[dict[str, Any]], tuple[int, Any]]:
    """A reply that decides by the prompt's text alone, and says it in one of ``tests.styles``."""

    def reply(request: dict[str, Any]) -> tuple[int, Any]:
        return 200, completion(STYLES[style](decide(request["messages"])))

    return reply
