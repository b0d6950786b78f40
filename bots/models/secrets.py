"""Redaction of keys: endpoints echo requests, and their texts are recorded."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

# Local servers accept any key; the client requires one.
NO_KEY = "none"
# Replacement for a key.
HIDDEN = "(key)"
# Minimum length of a key; shorter values would match parts of many words.
FEWEST_CHARACTERS = 4
# Minimum length of a secret word in a header with several words; shorter words name the key type,
# such as ``Bearer``.
FEWEST_OF_A_WORD = 8
# Minimum length in a model's answer, where keys are unlikely and shorter values may be words.
FEWEST_IN_AN_ANSWER = 16


class Secrets:
    """Values of keys and secret headers in use."""

    def __init__(self) -> None:
        self._known: list[str] = []

    def add(self, value: str) -> None:
        """Register a value, as a whole and word by word (``Bearer sk-…``)."""
        words = (word for word in value.split() if len(word) >= FEWEST_OF_A_WORD)
        forms = set(self._known)
        for one in {value.strip(), *words} - {NO_KEY}:
            forms |= {one, repr(one)[1:-1], json.dumps(one)[1:-1], quote(one, safe="")}
        kept = (form for form in forms if len(form) >= FEWEST_CHARACTERS)
        self._known = sorted(kept, key=len, reverse=True)

    def redacted(self, value: Any, fewest: int = FEWEST_CHARACTERS) -> Any:
        """Return text or JSON with each key replaced by :data:`HIDDEN`.

        ``fewest``: minimum length of the keys to look for.
        """
        if isinstance(value, str):
            for secret in self._known:
                value = value.replace(secret, HIDDEN) if len(secret) >= fewest else value
            return value
        if isinstance(value, list):
            return [self.redacted(part, fewest) for part in value]
        if isinstance(value, dict):
            return {self.redacted(k, fewest): self.redacted(v, fewest) for k, v in value.items()}
        return value
