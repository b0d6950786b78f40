"""Paper in Docker, with a stand-in for the Docker engine and for the `docker` command."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from server import paper

DIGEST = "itzg/minecraft-server@sha256:" + "ab" * 32


@contextmanager
def docker_engine(digests: list[str] | None) -> Iterator[str]:
    """A Docker engine that answers a ping and knows one image, or none; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            status, answer = 200, {}
            if self.path.endswith("/version"):
                answer = {"ApiVersion": "1.43", "MinAPIVersion": "1.24"}
            elif "/images/" in self.path:
                status = 404 if digests is None else 200
                answer = {"Id": "sha256:1", "message": "No such image", "RepoDigests": digests}
            body = b"OK" if self.path.endswith("/_ping") else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_HEAD(self):
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as engine:
        threading.Thread(target=engine.serve_forever, daemon=True).start()
        yield f"tcp://127.0.0.1:{engine.server_port}"
        engine.shutdown()


@pytest.mark.parametrize(
    ("digests", "said"), [([DIGEST], f"-java21 ({DIGEST})"), (None, "-java21 is not pulled yet")]
)
def test_the_image_is_named_with_its_digest(monkeypatch, digests, said):
    with docker_engine(digests) as address:
        monkeypatch.setenv("DOCKER_HOST", address)
        assert paper.describe_image().endswith(said)
    assert paper.describe_image() is None
