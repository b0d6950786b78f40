"""Shows live runs in the browser. The page is that of a report, and gets its data by server-sent
events.

``/`` is the index of all runs, with live runs first. ``/newest/`` is the newest run. When a newer
run begins, this page switches to it. If the user is playing, typing or looking at an earlier
moment, the page offers to switch instead. ``/run/NAME/`` is one run, and
``/side?run=NAME&run=NAME`` shows two runs at the same moment.

A person who plays must not read the thoughts of others. While a run with people is live, thoughts,
texts and prompts of minds are therefore hidden, unless the operator chooses to show them.
"""

from __future__ import annotations

import html
import json
import math
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

from voxpolis.analysis.report.build import BATCH, columns_of, seats_of, summary_of, whole_call
from voxpolis.analysis.report.encoder import TimelineEncoder
from voxpolis.analysis.report.gallery import Links, cards_of, index
from voxpolis.analysis.report.picture import picture_of
from voxpolis.analysis.report.run_list import Shelf, filled, page, run_state
from voxpolis.front import describe_error
from voxpolis.records import RunReader, events
from voxpolis.records.calls import CallIndex
from voxpolis.records.interventions import VISITOR, ask_for_pause, intervene
from voxpolis.records.questions import OpenQuestions, answer
from voxpolis.records.reader import has_persons
from voxpolis.records.text import json_for_page, printable, say_error

# --- Interventions from the page: only requests from the page itself are accepted -----------------
# A page served to this machine contains a token that other sites cannot read. Each request must
# come from the page's own origin, with the token in a header, which a form on another site cannot
# send. Pages served to other machines cannot intervene.

# Maximum size of a request's body, in bytes.
MAX_BYTES = 100_000
HEADER = "X-Voxpolis-Token"

# Result of a request: status, and the reason for a refusal.
Reply = tuple[int, str]


class PageInterventions:
    """Checks and carries out interventions that users make on pages.

    Attributes:
        token: the token that a page must send; empty if interventions are disabled.
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
            return 404, "there is no such action"
        try:
            told = json.loads(body)
            if not isinstance(told, dict) or not all(isinstance(v, str) for v in told.values()):
                return 400, "a request must be a JSON object of texts"
            deed(folder, **told)
        except (ValueError, TypeError, RecursionError) as error:
            return 409, str(error)
        except OSError as error:
            return 500, error.strerror or str(error)
        return 204, ""


# Actions by the last part of a request's path; arguments are the fields of its body.
DEEDS: Mapping[str, Callable[..., object]] = {
    "answer": answer,
    "tell": intervene,
    "pause": lambda folder, by=VISITOR: ask_for_pause(folder, pauses=True, by=by),
    "continue": lambda folder, by=VISITOR: ask_for_pause(folder, pauses=False, by=by),
}


POLL_S = 0.2
# Heartbeat interval of a silent stream, in polls.
BEAT_POLLS = 50
# Interval, in polls, for checking whether a silent run's process is alive.
LOOK_POLLS = 5
# Text for a run that seems dead.
SILENT = "no result; nothing was written for a minute"
# States of a run that is not live, and their texts.
ENDED = ("over", "gone")
OVER = {
    "over": "the run has ended",
    "gone": "the record has no end: the process of the run is gone",
}
# Server-sent events that contain the run's name.
MARKS = ("begin", "ended")
# Maximum length of a run's name in a message.
MAX_NAME = 80
# Lanes of agents' thoughts and texts, which participants must not see.
PRIVATE = ("mind", "code")
# Reconnection delay of a page that lost its stream.
AGAIN_MS = 1000
# Maximum number of digits in a call's number; Python refuses to parse thousands of digits.
MAX_DIGITS = 12
# Path of the page that follows the newest run, and maximum number of runs in the index.
NEWEST, MOST_LISTED = "/newest/", 200
# How many runs are shown side by side.
SIDES = 2
LOOPBACK = ("127.0.0.1", "::1", "localhost")
LOCAL = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?", re.IGNORECASE)
# Headers of every response: other sites cannot frame a page, and content types are not guessed.
HEADERS = {
    "Content-Security-Policy": "frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
}

# A server-sent event: its type and its data.
ServerEvent = tuple[str, Any]


class Watch(ThreadingHTTPServer):
    """A web server for runs. Each page gets the events of its run from the start.

    Attributes:
        shelf: the runs.
        people: the interventions that users make on pages.
        shows_minds: whether thoughts are shown even if people play.
        stopping: set when all streams must end.
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
        self._pictures: dict[Path, tuple[int, bytes]] = {}
        self.people = PageInterventions(is_local=host in LOOPBACK)
        super().__init__((host, port), _Handler)

    @property
    def address(self) -> str:
        host, port = self.server_address[:2]
        return f"http://{host!s}:{port}/"

    def index(self) -> str:
        """Return the index of the newest runs as HTML."""
        shown = dict(list(self.shelf.runs().items())[:MOST_LISTED])
        links = {
            name: Links(at := address_of(name), f"{at}picture.svg?{_growth(folder)}", {})
            for name, folder in shown.items()
        }
        return index(cards_of(shown), links, sweeps=self.shelf.sweeps(), is_live=True)

    def picture(self, folder: Path) -> bytes:
        """Return the picture of a run; it is drawn again if the record has grown by a tenth."""
        growth = _growth(folder)
        drawn, picture = self._pictures.get(folder, (-1, b""))
        if drawn != growth:
            picture = picture_of(folder).encode()
            self._pictures[folder] = growth, picture
        return picture

    def allows(self, host: str) -> bool:
        """Return whether the Host header of a request names this server. The check protects against
        DNS rebinding.
        """
        bound = str(self.server_address[0])
        return bound not in ("127.0.0.1", "::1") or LOCAL.fullmatch(host) is not None

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report a failed request in one line. A reader that has disconnected is ignored."""
        error = sys.exception()
        if not isinstance(error, ConnectionError):
            say_error(f"a request failed: {describe_error(error) if error else ''}")


class _Handler(BaseHTTPRequestHandler):
    server: Watch

    def do_GET(self) -> None:
        if not self.server.allows(self.headers.get("Host", "")):
            self.send_error(403, "This page is for this machine only.")
            return
        path = self._path()
        if path is None:
            self.send_error(400, "There is no page at this address.")
        elif path == "/":
            named = self._named()
            self._go_to(named[0]) if named else self._send_page(self.server.index())
        elif path.rstrip("/") == "/side":
            self._side()
        elif path == "/newest":
            self._redirect("/newest/")
        else:
            self._run(path)

    def _named(self) -> list[str]:
        return parse_qs(urlsplit(self.path).query).get("run", [])

    def _go_to(self, name: str) -> None:
        if name not in self.server.shelf.runs():
            self.send_error(404, f"There is no run {name[:MAX_NAME]!r} here.")
            return
        self._redirect(address_of(name))

    def _redirect(self, address: str) -> None:
        self.send_response(302)
        self.send_header("Location", address)
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
            self._send_page(filled("side.html", {"__RUN__": "/run/*/", "__HOME__": "/"}))

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        people, host = self.server.people, self.headers.get("Host", "")
        if not (self.server.allows(host) and people.allows(self.headers)):
            self.send_error(403, "Only the page of a run on this machine can do this.")
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
        """Return the run that a path names, and the rest of the path."""
        if path.startswith(NEWEST):
            newest = next(iter(self.server.shelf.runs().values()), None)
            return newest, path.removeprefix(NEWEST)
        if not path.startswith("/run/"):
            return None, path
        scenario, _, rest = path.removeprefix("/run/").partition("/")
        name, _, of_it = rest.partition("/")
        return self.server.shelf.runs().get(f"{scenario}/{name}"), of_it

    def _run(self, path: str) -> None:
        folder, of_it = self._run_of(path)
        if folder is None:
            is_run = path.startswith(("/run/", NEWEST))
            self.send_error(404, "There is no such run." if is_run else "There is no such page.")
        elif of_it == "":
            self._send_page(page("live", token=self.server.people.token))
        elif of_it == "events":
            self._stream(folder, path.startswith(NEWEST))
        elif of_it == "picture.svg":
            self._send("image/svg+xml", self.server.picture(folder))
        elif of_it.startswith("call/"):
            self._call(folder, of_it.removeprefix("call/"))
        else:
            self.send_error(404, "There is no such page.")

    def _send_page(self, text: str, status: int = 200) -> None:
        self._send("text/html; charset=utf-8", text.encode(), status)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Respond with an error page.

        The message may contain words from the request, so it is never put into the status line.
        """
        self.close_connection = True
        why, phrase = message or "", HTTPStatus(code).phrase
        if self.command == "POST":  # a script on the page shows the message
            self._send("text/plain; charset=utf-8", (why or phrase).encode(errors="replace"), code)
        else:
            parts = {"__WHAT__": phrase, "__WHY__": printable(why)}
            escaped = {mark: html.escape(text) for mark, text in parts.items()}
            self._send_page(filled("lost.html", escaped), code)

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
        self._send("application/json", json_for_page(whole_call(calls, int(number))))

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
            pass  # the reader has disconnected or the runs were deleted

    def _tell(self, event_type: str, data: object) -> None:
        self.wfile.write(b"event: %b\ndata: %b\n\n" % (event_type.encode(), json_for_page(data)))

    def log_message(self, format: str, *args: Any) -> None:
        """Do nothing, so that requests are not logged."""


def _growth(folder: Path) -> int:
    """Return a number that increases when the events of a run have grown by a tenth. The address of
    a picture contains it, so that browsers load the picture of a longer record.
    """
    try:
        return round(math.log(1 + (folder / "events.jsonl").stat().st_size, 1.1))
    except OSError:
        return 0


def _is_private(event: Mapping[str, Any]) -> bool:
    """Return whether an event must be hidden from players: a thought, an answer outside the game, a
    whispered message, or a private perception.
    """
    kind = event["kind"]
    is_whispered = kind == "intervention" and event.get("action") == "whisper"
    return is_whispered or kind == "interviewed" or events.lane_of(kind) in PRIVATE


def address_of(name: str) -> str:
    """Return the path of a run's page."""
    return f"/run/{quote(name)}/"


def hides_minds(folder: Path) -> bool:
    """Return whether thoughts must be hidden, because a person plays and the run is live."""
    reader = RunReader(folder)
    if run_state(folder) in ENDED or not has_persons(reader.manifest()):
        return False
    return not any(reader.events(["run_ended"]))  # a run that waits for a person is silent


def follow(
    folder: Path, wait: Callable[[], bool], *, shows_minds: bool = False
) -> Iterator[ServerEvent]:
    """Yield the past events of a run, and then new events until the run ends.

    Args:
        folder: folder of the run.
        wait: waits briefly for new events. Returns True to end the stream.
        shows_minds: whether thoughts are sent even if people play. Otherwise, the page gets them
            when it is loaded again after the end of the run.

    Yields:
        ``begin`` comes first. ``summary``, ``batch`` and ``calls`` follow as they arrive. ``asked``
        comes whenever the open questions to people change, and contains these questions.
        ``caught_up`` comes once. ``state`` contains a description while past events are loaded, and
        when the run falls silent or continues. ``ended`` comes after the last event of the run, or
        when the run is over and what is left cannot be read. ``beat`` comes from time to time while
        nothing happens.
    """
    reader, calls = RunReader(folder, is_live=True), CallIndex(folder)
    encoder = TimelineEncoder(seats_of(reader.manifest())["kinds"])
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
                if not has_caught_up:
                    part = reader.bytes_read / max(1, (folder / "events.jsonl").stat().st_size)
                    yield "state", f"loading: {min(1.0, part):.0%}"
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
        stands = run_state(folder) if quiet % LOOK_POLLS == 0 else ""
        if stands and is_silent != (stands == "silent"):
            is_silent = not is_silent
            yield "state", SILENT if is_silent else "live"
        if (has_ended and (folder / "result.json").exists()) or (quiet and stands in ENDED):
            reader.is_live = False  # the run is over, so its record's missing end is now a problem
            reader.problems.extend(calls.problems)
            yield "asked", []
            yield "summary", summary_of(reader)
            yield "ended", {"state": OVER.get(stands, OVER["over"])}
            return
        if quiet and quiet % BEAT_POLLS == 0:
            yield "beat", None
        if wait():
            return
