"""Live runs in the browser: the same page, fed by server-sent events while a run goes on.

``/`` is the newest run; when a newer one begins the page goes there, or offers it to a user who
plays, types or looks at a moment. ``/run/NAME/`` is one run, ``/runs`` the list of all, and
``/side?run=NAME&run=NAME`` two at the same moment.

Who takes part in a run must not read there what the others think: while it goes on, what minds
think, write and are asked is left out, unless whoever serves the page wants it shown.
"""

from __future__ import annotations

import json
import re
import secrets
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from email.message import Message
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from voxpolis.analysis.report.build import BATCH, columns_of, summary_of, whole_call
from voxpolis.analysis.report.encoder import TimelineEncoder
from voxpolis.analysis.report.shelf import Shelf, page, standing
from voxpolis.front import error_in_words
from voxpolis.records import RunReader, events
from voxpolis.records.calls import CallIndex
from voxpolis.records.interventions import VISITOR, ask_for_pause, intervene
from voxpolis.records.questions import OpenQuestions, answer
from voxpolis.records.reader import has_persons
from voxpolis.records.text import say_error

# --- What people who look at a live run may do to it: requests of its page, and of nobody else's --
# A page that is served on this machine holds a token that no other site can read, and each request
# must come from that page's own origin with the token in a header, which no form of another site
# can send. Where the page is served to other machines it takes no part.

# Of a request's body, in bytes.
MAX_BYTES = 100_000
HEADER = "X-Voxpolis-Token"

# What a request comes to: the status, and in words why it was refused.
Reply = tuple[int, str]


class TakingPart:
    """Decides on requests to take part in runs.

    Attributes:
        token: what a page must send along; empty: nobody may take part.
    """

    def __init__(self, *, is_local: bool) -> None:
        self.token = secrets.token_urlsafe(32) if is_local else ""

    def allows(self, headers: Message) -> bool:
        own = f"http://{headers.get('Host', '')}"
        given = headers.get(HEADER, "").encode()
        return (
            bool(self.token)
            and secrets.compare_digest(given, self.token.encode())
            and headers.get("Origin", own) == own
            and headers.get("Sec-Fetch-Site", "same-origin") == "same-origin"
        )

    @staticmethod
    def take(folder: Path, action: str, body: bytes) -> Reply:
        deed = DEEDS.get(action)
        if deed is None:
            return 404, "there is no such thing to do"
        try:
            told = json.loads(body)
            if not isinstance(told, dict) or not all(isinstance(v, str) for v in told.values()):
                return 400, "a request is an object of texts"
            deed(folder, **told)
        except (ValueError, TypeError, RecursionError) as error:
            return 409, str(error)
        except OSError as error:
            return 500, error.strerror or str(error)
        return 204, ""


# By the last part of a request's path: what is done, with the fields of its body.
DEEDS: Mapping[str, Callable[..., object]] = {
    "answer": answer,
    "tell": intervene,
    "pause": lambda folder, by=VISITOR: ask_for_pause(folder, pauses=True, by=by),
    "go_on": lambda folder, by=VISITOR: ask_for_pause(folder, pauses=False, by=by),
}


POLL_S = 0.2
# How often a silent stream says that it is still there, in polls.
BEAT_POLLS = 50
# How often it is looked whether a run that tells nothing goes on at all, in polls.
LOOK_POLLS = 5
# What is said of one that does not, as far as that can be seen.
SILENT = "no result; nothing was written for a minute"
# States of a run that does not go on, and what is said of it.
ENDED = ("over", "gone")
OVER = {
    "over": "the run has ended",
    "gone": "the run ended without a result: its process is gone",
}
# Server-sent events that name the run.
MARKS = ("begin", "ended")
# Of a run's name in a message, in characters.
MAX_NAME = 80
# Lanes of what agents think and write, which those who play with them must not know.
PRIVATE = ("mind", "code")
# After how long a page that lost its stream asks for it again.
AGAIN_MS = 1000
# Of a call's number; Python refuses to read numbers of thousands.
MAX_DIGITS = 12
# How many runs stand beside each other.
SIDES = 2
LOOPBACK = ("127.0.0.1", "::1", "localhost")
LOCAL = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?", re.IGNORECASE)
# Every answer has them: no other site may frame a page, and no body is taken for another type.
HEADERS = {
    "Content-Security-Policy": "frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
}

# A server-sent event: its type and its data.
ServerEvent = tuple[str, Any]


class Watch(ThreadingHTTPServer):
    """Serves runs; each page gets its run from the beginning.

    Attributes:
        shelf: the runs.
        people: what people may do to them.
        shows_minds: whether what minds think is shown while persons take part.
        stopping: set when all streams are to end.
    """

    daemon_threads = True

    def __init__(
        self,
        where: str | Path | Iterable[str | Path],
        host: str,
        port: int,
        *,
        shows_minds: bool = False,
    ) -> None:
        self.shelf = Shelf(where)
        self.stopping = threading.Event()
        self.shows_minds = shows_minds
        self.people = TakingPart(is_local=host in LOOPBACK)
        super().__init__((host, port), _Handler)

    @property
    def address(self) -> str:
        host, port = self.server_address[:2]
        return f"http://{host!s}:{port}/"

    def allows(self, host: str) -> bool:
        """Whether a request's Host is ours: other sites' names may point to the loopback, too."""
        bound = str(self.server_address[0])
        return bound not in ("127.0.0.1", "::1") or LOCAL.fullmatch(host) is not None

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Tell of a request that failed in one line; that a reader has gone is worth none."""
        error = sys.exception()
        if not isinstance(error, ConnectionError):
            say_error(f"a request failed: {error_in_words(error) if error else ''}")


class _Handler(BaseHTTPRequestHandler):
    server: Watch

    def do_GET(self) -> None:
        if not self.server.allows(self.headers.get("Host", "")):
            self.send_error(403, "This page is for this machine only.")
            return
        path = self._path()
        if path is None:
            self.send_error(400, "This is not the address of a page.")
        elif path.rstrip("/") == "/runs":
            self._send_page(self.server.shelf.page())
        elif path.rstrip("/") == "/side":
            self._side()
        elif path == "/" and (named := self._named()):
            self._go_to(named[0])
        else:
            self._run(path)

    def _named(self) -> list[str]:
        return parse_qs(urlsplit(self.path).query).get("run", [])

    def _go_to(self, name: str) -> None:
        if name not in self.server.shelf.runs():
            self.send_error(404, f"There is no run {name[:MAX_NAME]!r} here.")
            return
        self.send_response(302)
        self.send_header("Location", address_of(name))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _side(self) -> None:
        named, there = self._named(), self.server.shelf.runs()
        missing = [name for name in named if name not in there]
        if missing:
            self.send_error(404, f"There is no run {missing[0][:MAX_NAME]!r} here.")
        elif len(named) != SIDES:
            self.send_error(404, "Choose two runs in the list to see them side by side.")
        else:
            self._send_page(self.server.shelf.side_by_side())

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        people, host = self.server.people, self.headers.get("Host", "")
        if not (self.server.allows(host) and people.allows(self.headers)):
            self.send_error(403, "This is for the page of a run on this machine.")
            return
        if not (length.isdecimal() and len(length) <= MAX_DIGITS and int(length) <= MAX_BYTES):
            self.send_error(413)
            return
        path = self._path()
        folder, of_it = (None, "") if path is None else self._run_of(path)
        if folder is None:
            self.send_error(404, "There is no such run.")
            return
        status, why = people.take(folder, of_it, self.rfile.read(int(length)))
        self._send("text/plain; charset=utf-8", why.encode(), status)

    def _path(self) -> str | None:
        try:
            return unquote(urlsplit(self.path).path)
        except ValueError:
            return None

    def _run_of(self, path: str) -> tuple[Path | None, str]:
        """Return the run that a path names, else the newest, and what of it is meant."""
        if not path.startswith("/run/"):
            return next(iter(self.server.shelf.runs().values()), None), path.removeprefix("/")
        scenario, _, rest = path.removeprefix("/run/").partition("/")
        name, _, of_it = rest.partition("/")
        return self.server.shelf.runs().get(f"{scenario}/{name}"), of_it

    def _run(self, path: str) -> None:
        folder, of_it = self._run_of(path)
        if folder is None:
            self.send_error(404, "There is no such run.")
        elif of_it == "":
            self._send_page(page("live", token=self.server.people.token))
        elif of_it == "events":
            self._stream(folder, not path.startswith("/run/"))
        elif of_it.startswith("call/"):
            self._call(folder, of_it.removeprefix("call/"))
        else:
            self.send_error(404, "There is no such page.")

    def _send_page(self, text: str, status: int = 200) -> None:
        self._send("text/html; charset=utf-8", text.encode(), status)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer with a page that says what is wrong.

        The words may be a request's, so they are never put into the status line.
        """
        self.close_connection = True
        why, phrase = message or "", HTTPStatus(code).phrase
        if self.command == "POST":  # a script of the page shows the words
            self._send("text/plain; charset=utf-8", (why or phrase).encode(errors="replace"), code)
        else:
            self._send_page(self.server.shelf.error_page(phrase, why), code)

    def end_headers(self) -> None:
        for name, value in HEADERS.items():
            self.send_header(name, value)
        super().end_headers()

    def _send(self, content_type: str, body: bytes, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _call(self, folder: Path, number: str) -> None:
        calls = CallIndex(folder)
        columns_of(calls)
        is_number = number.isdecimal() and len(number) <= MAX_DIGITS
        is_secret = hides_minds(folder) and not self.server.shows_minds
        if is_secret or not is_number or int(number) >= len(calls):
            self.send_error(404, "There is no such call.")
            return
        self._send("application/json", json.dumps(whole_call(calls, int(number))).encode())

    def _stream(self, folder: Path, follows_newest: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(f"retry: {AGAIN_MS}\n\n".encode())
        names = {run: name for name, run in self.server.shelf.runs().items()}
        mark = {"run": str(folder), "at": address_of(names[folder]), "stays": follows_newest}
        is_newest = True

        def is_over() -> bool:
            nonlocal is_newest
            if follows_newest and is_newest and self.server.shelf.newest() != folder:
                is_newest = False
                self._tell("newer", None)
            return self.server.stopping.wait(POLL_S)

        try:
            for event_type, data in follow(folder, is_over, shows_minds=self.server.shows_minds):
                self._tell(event_type, mark | (data or {}) if event_type in MARKS else data)
            polls = 0
            while follows_newest and not is_over():
                polls += 1
                if polls % BEAT_POLLS == 0:
                    self._tell("beat", None)
        except (BrokenPipeError, ConnectionResetError, FileNotFoundError):
            pass  # the reader or the runs have gone

    def _tell(self, event_type: str, data: object) -> None:
        text = json.dumps(data, separators=(",", ":"))
        self.wfile.write(f"event: {event_type}\ndata: {text}\n\n".encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not worth a line each."""


def _is_private(event: Mapping[str, Any]) -> bool:
    """Whether an event says what somebody thinks, answers outside of the game, or alone notices."""
    kind = event["kind"]
    is_whispered = kind == "intervention" and event.get("action") == "whisper"
    return is_whispered or kind == "interviewed" or events.lane_of(kind) in PRIVATE


def address_of(name: str) -> str:
    """Return the path of a run's page."""
    return f"/run/{quote(name)}/"


def hides_minds(folder: Path) -> bool:
    """Whether a run goes on in which a person takes part, who must not know what others think."""
    reader = RunReader(folder)
    if standing(folder) in ENDED or not has_persons(reader.manifest()):
        return False
    return not any(reader.events(["run_ended"]))  # while it waits for a person it is silent


def follow(
    folder: Path, wait: Callable[[], bool], *, shows_minds: bool = False
) -> Iterator[ServerEvent]:
    """All of a run, and then what is added to it until it ends.

    Args:
        folder: the run folder.
        wait: waits a moment for more; true where there is nothing to wait for any more.
        shows_minds: whether what minds think is told though persons take part. Where it is not,
            the page has it once the run is over and it is loaded again.

    Yields:
        ``begin``, then ``summary``, ``batch``, ``calls`` as they come, ``asked`` with the open
        questions to persons whenever they change, ``caught_up`` once, ``state`` with words where
        it falls silent or goes on, and ``ended`` after the run's last event, or where it is over
        and no more can be read; ``beat`` now and then while nothing happens.
    """
    reader, calls, encoder = RunReader(folder, is_live=True), CallIndex(folder), TimelineEncoder()
    yield "begin", None
    is_secret = not shows_minds and hides_minds(folder)
    yield "summary", {**summary_of(reader), "hides_minds": is_secret}
    has_caught_up, has_ended, is_silent, quiet = False, False, False, 0
    questions = OpenQuestions(folder)
    open_ones: list[dict[str, Any]] = []
    while True:
        count = 0
        for count, event in enumerate(reader.events(), start=1):
            has_ended = event["kind"] == "run_ended"
            if is_secret and _is_private(event):
                continue
            encoder.take(event)
            if count % BATCH == 0:
                yield "batch", encoder.batch()
        if count:
            yield "batch", encoder.batch()
        columns = columns_of(calls)
        if columns["t"] and not is_secret:
            yield "calls", columns
        if open_ones != (open_ones := questions.now()):
            yield "asked", open_ones
        if not has_caught_up:
            has_caught_up = True
            yield "caught_up", None
        quiet = 0 if count else quiet + 1
        stands = standing(folder) if quiet % LOOK_POLLS == 0 else ""
        if stands and is_silent != (stands == "silent"):
            is_silent = not is_silent
            yield "state", SILENT if is_silent else "live"
        if (has_ended and (folder / "result.json").exists()) or (quiet and stands in ENDED):
            reader.is_live = False  # what is missing at its end is missing for good
            reader.problems.extend(calls.problems)
            yield "asked", []
            yield "summary", summary_of(reader)
            yield "ended", {"state": OVER.get(stands, OVER["over"])}
            return
        if quiet and quiet % BEAT_POLLS == 0:
            yield "beat", None
        if wait():
            return
