"""Keys that no text may show: endpoints repeat what they were sent, and texts stand in records."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

# Local servers take any key; the client wants one.
NO_KEY = "none"
# What stands in a key's place.
HIDDEN = "(key)"
# A key of fewer characters opens nothing, and stands within many words.
FEWEST_CHARACTERS = 4
# Words of a header that has several: shorter ones name the kind of key, such as ``Bearer``.
FEWEST_OF_A_WORD = 8
# In a model's answer, where no key is to be expected, a shorter one is a word.
FEWEST_IN_AN_ANSWER = 16


class Secrets:
    """The values of keys and secret headers that are in use."""

    def __init__(self) -> None:
        self._known: list[str] = []

    def add(self, value: str) -> None:
        """Know a value from now on, as a whole and by its words (``Bearer sk-…``)."""
        words = (word for word in value.split() if len(word) >= FEWEST_OF_A_WORD)
        forms = set(self._known)
        for one in {value.strip(), *words} - {NO_KEY}:
            forms |= {one, repr(one)[1:-1], json.dumps(one)[1:-1], quote(one, safe="")}
        kept = (form for form in forms if len(form) >= FEWEST_CHARACTERS)
        self._known = sorted(kept, key=len, reverse=True)

    def hidden(self, said: Any, fewest: int = FEWEST_CHARACTERS) -> Any:
        """Return a text, or JSON, with :data:`HIDDEN` in the place of each key.

        ``fewest``: the characters of the shortest key that is looked for.
        """
        if isinstance(said, str):
            for secret in self._known:
                said = said.replace(secret, HIDDEN) if len(secret) >= fewest else said
            return said
        if isinstance(said, list):
            return [self.hidden(part, fewest) for part in said]
        if isinstance(said, dict):
            return {self.hidden(k, fewest): self.hidden(v, fewest) for k, v in said.items()}
        return said
