"""What scripted minds answer with, in the forms that language models are asked for."""

from __future__ import annotations

import random
from pathlib import Path

#: A scripted mind's answer where a critic is asked.
NO_CRITIC = '{"success": true, "critique": "A scripted mind has no critic."}'


def program(*files: Path) -> str:
    """Return JavaScript files as one program in an answer."""
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    return f"A scripted mind's policy.\n\n```javascript\n{text}```"


def plans(text: str) -> str:
    """Return a program of plans in an answer."""
    return f"A scripted mind's plans.\n\n```\n{text}\n```"


class Chances:
    """What a scripted person decides by chance: each kind of answer has chances of its own, so that
    to leave one out changes no other's.
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._sources: dict[str, random.Random] = {}

    def of(self, kind: str) -> random.Random:
        """Return the source of chances of one kind of answer."""
        if kind not in self._sources:
            self._sources[kind] = random.Random(f"{self._seed} {kind}")
        return self._sources[kind]
