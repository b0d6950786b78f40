"""What people who look at a live run may do to it: requests of its page, and of nobody else's.

A page that is served on this machine holds a token that no other site can read, and each request
must come from that page's own origin with the token in a header, which no form of another site can
send. Where the page is served to other machines it takes no part.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from email.message import Message
from pathlib import Path

from voxpolis.records.interventions import VISITOR, ask_for_pause, intervene
from voxpolis.records.questions import answer

#: Of a request's body, in bytes.
MAX_BYTES = 100_000
HEADER = "X-Voxpolis-Token"

#: What a request comes to: the status, and in words why it was refused.
Reply = tuple[int, str]


class TakingPart:
    """Decides on requests to take part in runs.

    Attributes:
        token: what a page must send along; empty: nobody may take part.
    """

    def __init__(self, *, is_local: bool) -> None:
        """``is_local``: whether the page is served to this machine only."""
        self.token = secrets.token_urlsafe(32) if is_local else ""

    def allows(self, headers: Message) -> bool:
        """Whether a request comes from a page of ours."""
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
        """Do what a request asks for, in the folder of a run."""
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


#: By the last part of a request's path: what is done, with the fields of its body.
DEEDS: Mapping[str, Callable[..., object]] = {
    "answer": answer,
    "tell": intervene,
    "pause": lambda folder, by=VISITOR: ask_for_pause(folder, pauses=True, by=by),
    "go_on": lambda folder, by=VISITOR: ask_for_pause(folder, pauses=False, by=by),
}
