"""Other people's words in a prompt: quoted, so that they cannot pose as the prompt's own.

A prompt is headings, a record, a transcript. Contract texts, messages and chat are written by
agents, and an agent may write a heading or a line of a transcript, too. Each line of a quotation
begins with ``>``, therefore: what does not begin with it was written by the program.
"""

from __future__ import annotations

import unicodedata

MARK = ">"
#: What stands for a character that is no text: half a pair of surrogates, a control character.
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
#: Unicode's categories of such.
_NO_TEXT = frozenset({"Cc", "Cs"})
#: Unicode's directions that reorder what stands beside them.
_REORDERS = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})


def quoted(text: str) -> str:
    """Return a text as a quotation: each of its lines begins with ``>``; empty for an empty text.

    Whatever Unicode takes for the end of a line ends one, and what could hide or reorder a line
    is replaced, so that no part of the text can be read as standing outside the quotation.
    """
    return "\n".join(f"{MARK} {_cleaned(line)}".rstrip() for line in text.splitlines())


def one_line(text: str) -> str:
    """Return a text as one line: its lines joined with spaces, what is no text replaced."""
    return " ".join(_cleaned(line) for line in text.splitlines()).strip()


def quoted_line(text: str) -> str:
    """Return a text as one line between quotation marks, with none of them inside."""
    return f'"{one_line(text).replace(chr(34), chr(39))}"'


def _cleaned(line: str) -> str:
    spaced = line.replace("\t", "    ")
    return "".join(c if _is_text(c) else REPLACEMENT for c in spaced)


def _is_text(character: str) -> bool:
    return (
        unicodedata.category(character) not in _NO_TEXT
        and unicodedata.bidirectional(character) not in _REORDERS
    )
