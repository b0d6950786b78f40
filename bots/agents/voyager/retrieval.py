"""The search for skills that fit a task, by words or by sentence embeddings."""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Protocol

import numpy as np

from voxpolis.bots.agents.voyager import minilm

# Scores are rounded to this many decimals, so that the order of summation never decides between two
# equal scores.
DIGITS = 12
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


class Index(Protocol):
    """A collection of texts that is searched repeatedly."""

    def add(self, text: str) -> None:
        """Add a text to the end of the collection."""

    def scores(self, query: str) -> list[float]:
        """Return how well each text matches the query, from 0 to 1, in the order of insertion."""


class Retriever(Protocol):
    """Ranks texts by how well they match a query."""

    name: str

    def index(self) -> Index:
        """Create an empty index."""

    def rank(self, query: str, texts: Mapping[str, str]) -> list[str]:
        """Return the keys of ``texts``; the key of the best match comes first."""


class WordIndex:
    """An index that compares word counts (TF-IDF with cosine similarity).

    See :class:`LexicalRetriever`.
    """

    def __init__(self) -> None:
        self._columns: dict[str, int] = {}
        self._found_in: list[int] = []
        self._texts = 0
        # The word counts of all texts. Entry i of the three arrays: the index of a text, the column
        # of a word, and how often the text contains the word.
        self._text, self._column, self._count = array("q"), array("q"), array("d")

    def add(self, text: str) -> None:
        for word, count in Counter(words(text)).items():
            column = self._columns.setdefault(word, len(self._columns))
            if column == len(self._found_in):
                self._found_in.append(0)
            self._found_in[column] += 1
            self._text.append(self._texts)
            self._column.append(column)
            self._count.append(count)
        self._texts += 1

    def scores(self, query: str) -> list[float]:
        rarity = np.log(1 + self._texts / (1 + np.array(self._found_in, float)))
        wanted = Counter(words(query))
        unknown = math.log(1 + self._texts)
        known = {w: count for w, count in wanted.items() if w in self._columns}
        own = np.zeros(len(rarity))
        for word, count in known.items():
            own[self._columns[word]] = count * rarity[self._columns[word]]
        size = float(own @ own) + sum(
            (n * unknown) ** 2 for w, n in wanted.items() if w not in known
        )
        text, column = np.array(self._text), np.array(self._column)
        weight = np.array(self._count) * rarity[column]
        products = np.bincount(text, weight * own[column], self._texts)
        sizes = np.sqrt(np.bincount(text, weight**2, self._texts) * size)
        found = np.divide(products, sizes, out=np.zeros(self._texts), where=sizes > 0)
        return [float(score) for score in found.round(DIGITS)]


class LexicalRetriever:
    """Compares texts by their words (TF-IDF with cosine similarity).

    This retriever needs no additional packages, and gives the same result on every machine.
    """

    name = "lexical"

    def index(self) -> WordIndex:
        return WordIndex()

    def rank(self, query: str, texts: Mapping[str, str]) -> list[str]:
        """Return the keys of ``texts``, best match first.

        Equal matches are in alphabetical order.
        """
        index = self.index()
        for key, text in texts.items():
            index.add(f"{key} {text}")
        return _best_first(texts, index.scores(query))


class EmbeddingRetriever:
    """Compares texts by the cosine similarity of their sentence embeddings.

    Each text is embedded only once.
    """

    def __init__(self, name: str, embed: Callable[[Sequence[str]], Any]) -> None:
        """Create the retriever. ``embed`` maps texts to an array of shape (texts, dimensions)."""
        self.name = name
        self._embed = embed
        self._known: dict[str, Any] = {}

    def index(self) -> EmbeddingIndex:
        return EmbeddingIndex(self)

    def rank(self, query: str, texts: Mapping[str, str]) -> list[str]:
        return _best_first(texts, self.fits(query, list(texts.values())))

    def fits(self, query: str, texts: Sequence[str]) -> list[float]:
        missing = [text for text in {query, *texts} if text not in self._known]
        if missing:
            self._known.update(zip(missing, self._embed(missing), strict=True))
        wanted = self._known[query]

        def score(text: str) -> float:
            vector = self._known[text]
            size = math.sqrt(float(vector @ vector) * float(wanted @ wanted))
            return float(vector @ wanted) / size if size else 0.0

        return [score(text) for text in texts]


class EmbeddingIndex:
    """Texts that are compared by their embeddings, which a retriever caches."""

    def __init__(self, retriever: EmbeddingRetriever) -> None:
        self._retriever = retriever
        self._texts: list[str] = []

    def add(self, text: str) -> None:
        self._texts.append(text)

    def scores(self, query: str) -> list[float]:
        return self._retriever.fits(query, self._texts)


def _best_first(keys: Iterable[str], scores: Sequence[float]) -> list[str]:
    pairs = zip(keys, scores, strict=True)
    return [key for key, _ in sorted(pairs, key=lambda pair: (-pair[1], pair[0]))]


@cache
def best_retriever() -> Retriever:
    """Return the embedding retriever if ``make embeddings`` has installed it, else the lexical one.

    All agents share the retriever, which is loaded once.
    """
    if not minilm.is_installed():
        return LexicalRetriever()
    model = minilm.MiniLM()
    return EmbeddingRetriever(model.name, model.embed)


def words(text: str) -> list[str]:
    """Split a text into lower-case words in the singular.

    ``camelCase`` and ``snake_case`` are split into their parts.
    """
    found = [word.lower() for word in _WORD.findall(text)]
    return [w[:-1] if len(w) > 3 and w.endswith("s") and not w.endswith("ss") else w for w in found]
