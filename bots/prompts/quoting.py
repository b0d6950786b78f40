"""Other people's words in a prompt: quoted, so that they cannot pose as the prompt's own.

A prompt is headings, a record, a transcript. Contract texts, messages and chat are written by
agents, and an agent may write a heading or a line of a transcript, too. Each line of a quotation
begins with ``>``, therefore: what does not begin with it was written by the program.
"""

from __future__ import annotations

from records.text import one_line, printable

MARK = ">"


def quoted(text: str) -> str:
    """Return a text as a quotation: each of its lines begins with ``>``; empty for an empty text.

    Whatever Unicode takes for the end of a line ends one, and what could hide or reorder a line
    is replaced, so that no part of the text can be read as standing outside the quotation.
    """
    return "\n".join(f"{MARK} {printable(line)}".rstrip() for line in text.splitlines())


def quoted_line(text: str) -> str:
    """Return a text as one line between quotation marks, with none of them inside."""
    return f'"{one_line(text).replace(chr(34), chr(39))}"'
