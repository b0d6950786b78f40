"""What is asked about a recorded village: which roles goals show, and which words mean the same."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from bots.prompts import PromptFolder
from bots.structured import AnswerError, alone, is_aside, is_remark, lines, own_words, read_objects
from records.text import caseless

render = PromptFolder(Path(__file__).parent / "prompts").render
#: A role in one word, perhaps after words that say so.
_WHOSE = r"(?:(?:the|their|this|his|her|my|final|shown|best|one|single|main|person's)\s++){0,3}+"
_CALLED = rf"{_WHOSE}(?:role|answer|word|occupation|profession|job|noun)(?: (?:they show|shown))?+"
_PERSON = r"(?:(?:the|this) (?:person|villager|individual|agent|character|one)|they|she|he)"
_BASED = r"(?:(?:so|thus|therefore|overall|based on|given|from)\b[^,:.]{0,60}+,\s++)?+"
_ROLE = caseless(
    rf"{_BASED}(?:{_CALLED}\W++(?:(?:is|would be|seems to be)\W++)?+"
    rf"|{_PERSON} (?:is|are|seems? to be|appears? to be|acts? as|works? as|would be) (?=an?\s)"
    rf"|{_PERSON} (?:shows?|plays?|has|fills?) the role of\s++"
    r"|i(?:'d| would)? (?:say|call (?:them|her|him|it)|describe (?:them|her|him) as)\W++)?+"
    r"(?:an?\s++)?+\W*+([a-z][a-z-]{1,30}+)"
    r"(?:\s*+[(,;:\u2013\u2014-]++\s*+(?:they|she|he|who|because|since|as|for|the)\b.*+)?+\W*+"
)
#: Why two words mean the same.
_BOTH = caseless(r"\(both [\w ]+\)\W*")
#: What the answers may be called, and other words that say nothing.
_ROLES = own_words("goals role job occupation profession an person villager they plays")
_MERGES = own_words("merge merges merged synonyms synonym words mean same none no")
#: Words that name no role: of who cannot tell, and of who greets or takes leave.
_NO_ROLES = {
    *("ambiguous", "mixed", "none", "nothing", "uncertain", "unclear", "unknown", "various"),
    *("role", "answer", "sure", "certainly", "absolutely", "ok", "okay", "great", "hello", "hi"),
    *("thanks", "cheers", "done", "bye", "goodbye", "enjoy", "welcome"),
}
#: What may be meant to replace a word, and what replaces none.
_SAYS_MERGE = re.compile(r"\W*+(?i:merge)\b|.*\bMERGE\b")
_REPLACES_NONE = caseless(r"\W*+merges?\W*+(?:(?:none|nothing)\W*+)?+")
_MERGE = caseless(r"MERGE\b[:\s]+([a-z-]+)\s*(?::|->|=|into|with)\s*([a-z-]+)(?![\w-])")
_NONE = caseless(
    r"(?:.*\W)?NONE\W*"
    r"|none of (?:these|them|those|the(?:se)? words) (?:are synonyms|mean the same)\W*+"
)


@dataclass(frozen=True)
class RoleRequest:
    """The question which role somebody's last goals show; the newest goal last."""

    role: ClassVar[str] = "role"
    of_record: ClassVar[bool] = True

    goals: tuple[str, ...]

    def prompt(self) -> str:
        """Return the question in words."""
        return render("role", goals="\n".join(self.goals))

    def read(self, answer: str) -> str:
        """Return the role, one word in small letters.

        Raises:
            AnswerError: no line is one word that names a role, or several name different ones.
        """
        return alone(answer, _read_role, _ROLES, bare=True, any_word=True)


@dataclass(frozen=True)
class SynonymsRequest:
    """The question which of the roles' names mean the same."""

    role: ClassVar[str] = "synonyms"
    of_record: ClassVar[bool] = True

    words: tuple[str, ...]

    def prompt(self) -> str:
        """Return the question in words."""
        return render("synonyms", words=", ".join(self.words))

    def read(self, answer: str) -> dict[str, str]:
        """Return what replaces each word, itself where nothing does.

        Raises:
            AnswerError: there is no line of the form, nor the word NONE; or one that replaces a
                word is of no form, names one that was not asked about, or contradicts another; or
                words replace each other.
        """
        own = _MERGES.union(self.words)
        return alone(answer, self._read, own, beside=_BOTH)

    def _read(self, answer: str) -> dict[str, str]:
        said = lines(answer)
        found = [(line, self._pair(line)) for line in said]
        pairs = [pair for _, pair in found if pair is not None] or _pairs(answer, self.words)
        for line, pair in found:
            if pair is None and _SAYS_MERGE.match(line) and not _REPLACES_NONE.fullmatch(line):
                raise AnswerError(f"{line[:60]!r} is not of the form MERGE word: word")
        says_none = _is_empty(answer) or any(_NONE.fullmatch(line) for line in said)
        if not pairs and not says_none:
            raise AnswerError("there is no line MERGE word: word, nor NONE")
        small = self._small(pairs)
        return {word: _last(word, small, self.words) for word in self.words}

    def _pair(self, line: str) -> tuple[str, str] | None:
        """Return which word a line replaces, and by which; None: it is no line of the form."""
        found = _MERGE.match(line)
        others = "|".join(map(re.escape, self.words))
        if found is None or not is_aside(line[found.end() :], others):
            return None
        return found[1], found[2]

    def _small(self, pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
        """Return what replaces which word, in small letters.

        Raises:
            AnswerError: a word is none of those asked about, or two replace the same one.
        """
        small: dict[str, str] = {}
        for word, other in ((one.lower(), two.lower()) for one, two in pairs):
            unknown = [one for one in (word, other) if one not in self.words]
            if unknown:
                raise AnswerError(f"{unknown[0]} is none of the words: {', '.join(self.words)}")
            if small.setdefault(word, other) != other:
                raise AnswerError(f"two words replace {word}")
        return small


def _read_role(answer: str) -> str:
    said = [line for line in lines(answer) if not is_remark(line)]
    found = [match[1].lower() for line in said if (match := _ROLE.fullmatch(line))]
    roles = [word for word in found if word not in _NO_ROLES]
    if not roles:
        raise AnswerError("the answer is one word, such as farmer")
    if len(set(roles)) > 1:
        raise AnswerError("the answer says several roles; decide for one of them")
    return roles[0]


def _pairs(answer: str, words: Sequence[str]) -> list[tuple[str, str]]:
    """Return the fields of an answer that is an object of nothing but words; none: it is not."""
    try:
        (found,) = read_objects(answer)
    except (AnswerError, ValueError):
        return []
    pairs = [(str(word), str(other)) for word, other in found.items()]
    known = all(one.lower() in words for pair in pairs for one in pair)
    return pairs if known else []


def _is_empty(answer: str) -> bool:
    """Whether an answer is an object whose only field is an empty list of words."""
    try:
        (found,) = read_objects(answer)
    except (AnswerError, ValueError):
        return False
    values = [value for key, value in found.items() if str(key).lower() in ("merge", "merges")]
    return len(found) == 1 and values in ([[]], [{}], [None])


def _last(word: str, merged: Mapping[str, str], words: tuple[str, ...]) -> str:
    """Return what replaces a word in the end.

    Raises:
        AnswerError: words replace each other in turn.
    """
    seen = {word}
    now = word
    while (other := merged.get(now, now)) in words and other != now:
        now = other
        if now in seen:
            raise AnswerError(f"{word} and {merged[word]} replace each other; keep one of them")
        seen.add(now)
    return now


Question = RoleRequest | SynonymsRequest
