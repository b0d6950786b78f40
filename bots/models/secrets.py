"""Removal of keys from texts. A recorded response may repeat a key from its request."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

# The key for endpoints without a key. Local servers accept any key, and the client requires one.
NO_KEY = "none"
# The text that replaces a key.
HIDDEN = "(key)"
# Values shorter than this are not removed, because they would also match parts of words.
FEWEST_CHARACTERS = 4
# If a header consists of several words, words shorter than this are not secret; they name the type
# of the key, such as ``Bearer``.
FEWEST_OF_A_WORD = 8
# In the answers of models only values of at least this length are removed. Keys are unlikely there,
# and shorter values may be words.
FEWEST_IN_AN_ANSWER = 16


class Secrets:
    """The keys and secret headers in use."""

    def __init__(self) -> None:
        self._known: list[str] = []

    def add(self, value: str) -> None:
        """Register a value as secret, and also the words of the value that are long enough to be
        keys.

        In ``Bearer sk-…``, for example, the second word is registered.
        """
        words = (word for word in value.split() if len(word) >= FEWEST_OF_A_WORD)
        forms = set(self._known)
        for one in {value.strip(), *words} - {NO_KEY}:
            forms |= {one, repr(one)[1:-1], json.dumps(one)[1:-1], quote(one, safe="")}
        kept = (form for form in forms if len(form) >= FEWEST_CHARACTERS)
        self._known = sorted(kept, key=len, reverse=True)

    def redacted(self, value: Any, fewest: int = FEWEST_CHARACTERS) -> Any:
        """Return a text or JSON in which :data:`HIDDEN` replaces each key.

        ``fewest`` is the minimum length of the keys that are replaced.
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
