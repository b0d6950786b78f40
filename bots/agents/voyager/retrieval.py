"""Finding the skills that fit a task: by words, or by the meaning of sentences."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Protocol

from bots.agents.voyager import minilm

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


class Retriever(Protocol):
    """Ranks texts by how well they fit a query."""

    name: str

    def rank(self, query: str, texts: Mapping[str, str]) -> list[str]:
        """The keys of ``texts``, best fit first."""


class LexicalRetriever:
    """TF-IDF with cosine similarity; needs nothing, and is the same on every machine."""

    name = "lexical"

    def rank(self, query: str, texts: Mapping[str, str]) -> list[str]:
        """The keys of ``texts``, best fit first; ties in alphabetical order."""
        documents = {key: Counter(words(f"{key} {text}")) for key, text in texts.items()}
        found_in = Counter(word for document in documents.values() for word in document)

        def weigh(counts: Counter[str]) -> dict[str, float]:
            total = len(documents)
            return {w: n * math.log(1 + total / (1 + found_in[w])) for w, n in counts.items()}

        wanted = weigh(Counter(words(query)))
        scores = {key: _cosine(wanted, weigh(document)) for key, document in documents.items()}
        return sorted(scores, key=lambda key: (-scores[key], key))


class EmbeddingRetriever:
    """Cosine similarity of sentence embeddings, each text embedded once."""

    def __init__(self, name: str, embed: Callable[[Sequence[str]], Any]) -> None:
        """``embed`` turns texts into an array of shape (texts, dimensions)."""
        self.name = name
        self._embed = embed
        self._known: dict[str, Any] = {}

    def rank(self, query: str, texts: Mapping[str, str]) -> list[str]:
        """The keys of ``texts``, best fit first."""
        missing = [text for text in {query, *texts.values()} if text not in self._known]
        if missing:
            self._known.update(zip(missing, self._embed(missing), strict=True))
        wanted = self._known[query]

        def score(key: str) -> float:
            vector = self._known[texts[key]]
            size = math.sqrt(float(vector @ vector) * float(wanted @ wanted))
            return float(vector @ wanted) / size if size else 0.0

        scores = {key: score(key) for key in texts}
        return sorted(scores, key=lambda key: (-scores[key], key))


@cache
def best_retriever() -> Retriever:
    """Return embeddings where the extra is installed (``make embeddings``), else words.

    It is loaded once, for all agents.
    """
    if not minilm.is_installed():
        return LexicalRetriever()
    model = minilm.MiniLM()
    return EmbeddingRetriever(model.name, model.embed)


def words(text: str) -> list[str]:
    """The words of a text, lower case, singular, with ``camelCase`` and ``snake_case`` split."""
    found = [word.lower() for word in _WORD.findall(text)]
    return [w[:-1] if len(w) > 3 and w.endswith("s") and not w.endswith("ss") else w for w in found]


def _cosine(one: Mapping[str, float], other: Mapping[str, float]) -> float:
    product = sum(weight * other.get(word, 0.0) for word, weight in one.items())
    norms = [math.sqrt(sum(weight**2 for weight in vector.values())) for vector in (one, other)]
    return product / (norms[0] * norms[1]) if all(norms) else 0.0
