"""Reading blocks: programs and JSON objects, with or without fences and words around them."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from textwrap import dedent
from typing import Any

from bots.structured.text import QUOTES, AnswerError, spoken
from records.text import caseless

_BLOCK = re.compile(
    r"^[ \t]*(?P<fence>`{3,}|~{3,})[ \t]*(?P<name>[\w+.-]*)[^\n]*\n(?P<text>.*?)"
    r"(?:^[ \t]*(?P=fence)|(?<=\S)(?P=fence)[ \t]*$|(?P<cut>\Z))",
    re.DOTALL | re.MULTILINE,
)
_SCRIPTS = frozenset(("", "javascript", "js", "jsx", "mjs", "node", "nodejs", "typescript", "ts"))
_NO_LANGUAGE = frozenset(("", "text", "txt", "plain", "plaintext", "markdown", "md"))
#: What a block without a language has where it is a program and no sample of what one prints.
_CODE = re.compile(r"\bawait\b|\bfunction\b|=>|\w\(.*\)\s*;?\s*$|;\s*$", re.MULTILINE)
#: A function that a program declares, and a line that does nothing but call one.
_STEP = re.compile(r"^\W*(?:step|part)\s*#?(\d{1,2})\b", re.IGNORECASE | re.MULTILINE)
_DECLARES = re.compile(r"\bfunction\s+(\w+)|\b(?:const|let|var)\s+(\w+)\s*=")
_CALLS = re.compile(r"(?:await\s+)?(\w+)\(([^(){};]*)\)\s*;?\s*(?://.*)?")
#: The same, at the beginning of a line; and how a line goes on that begins no statement.
_DECLARES_HERE = re.compile(
    r"^(?:(?:async\s+)?function\*?\s+(\w+)|(?:const|let|var)\s+(\w+)\s*=)", re.MULTILINE
)
_NO_STATEMENT = re.compile(r"(?:(?:async\s+)?function\b|const\b|let\b|var\b|/?[*/]|[\s})\]])")
#: A line of calls alone, and words above a block that show how something is used.
_CALL = re.compile(r"(?:(?:await|const|let|var|return)\s+)?[\w.]+\([^{};]*\)\s*;?\s*(?://.*)?")
_SHOWS_USE = re.compile(
    r"\b(?:(?:example|sample)\s+(?:of\s+)?(?:use|usage|calls?|invocation)|usage"
    r"|how to (?:use|call|run)"
    r"|to (?:use|call|run|invoke|test|try) (?:it|this|the (?:function|program|code))"
    r"|(?:use|call|run|invoke) (?:it|this) (?:like|as follows|with|by))\b"
    r"|^\W*example\W*$",
    re.IGNORECASE,
)
#: Strings and comments of a program, names in it, keys, and the parameters of its functions.
_WORDS = re.compile(r"'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|//[^\n]*|/\*.*?\*/", re.DOTALL)
_NAME = re.compile(r"(?<![\w.$])([A-Za-z_$][\w$]*)(?!\w)")
_KEY = re.compile(r"([{,]\s*)[A-Za-z_$][\w$]*(?=\s*:)")
_PARAMETERS = re.compile(r"\(([^()]*)\)\s*(?:=>|\{)|(?<![\w.])(\w+)\s*=>")
_BARE = re.compile(r"\s*(?://|/\*|(?:async function|function|const|let)\b)")
#: An element that is all of an answer and holds a program, and how an object calls one.
_ELEMENT = re.compile(
    r"\A\s*<(?:code|program|javascript)>(.*)</(?:code|program|javascript)>\s*\Z", re.S
)
_PROGRAM_FIELDS = ("code", "program", "javascript")
#: Words that call a program the one that holds, and what it is called.
_HOLDS = (
    r"better|final(?:ly)?|corrected|correction|improved|revised|fixed|updated|complete|full|whole"
    r"|entire|new"
)
_PROGRAM = r"(?:program|version|answer|code|plan|solution|one|script|block|response)"
_AGAIN = (
    r"(?:on reflection|on (?:second|further) thoughts?|actually|rather|again|anew|together"
    r"|in (?:one|a single) block)"
)
#: A sentence that says no more than that what follows it takes the place of what was before.
_FINAL = caseless(
    rf"(?=.*\b(?:{_HOLDS}|{_AGAIN})\b)"
    r"\W*(?:(?:so|then|now|and|but|no(?=[,.!:;])|ok(?:ay)?|wait|actually|rather|on reflection"
    r"|on (?:second|further) thoughts?|or(?=,? (?:better|rather)\b))\b\W*)*"
    r"(?:(?:here(?:'s| is)|this is|it is|i write|i use|i take|let me write|let me use)\W+)?"
    r"(?:(?:the|my|a|an|our|all of|all|it)\s+)*"
    rf"(?:(?:{_HOLDS})\b\W*(?:and\s+)?)*(?:(?:{_PROGRAM}|it)\b)?(?:\s*{_AGAIN}\b)*"
    r"(?:\s+(?:is|below|follows))?\W*"
)
#: A longer sentence says more.
_MOST_CHARACTERS = 100
_EMPHASIS = re.compile(r"[*_`]")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n\s*\n")
#: Places where an object may begin that are tried; a flood of braces is no answer.
MAX_BRACES = 100
#: Characters that are looked through for objects, those that are seen several times included.
MAX_SCANNED = 1_000_000
_TRAILING_COMMA = re.compile(r",(\s*[}\]])")
#: A field whose name has no quotation marks.
_BARE_KEY = re.compile(r"([{,]\s*)([A-Za-z_]\w*)(?=\s*:)")
_COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)
#: A remark in JSON, or a string, in which there is none.
_STRING_OR_REMARK = re.compile(r'("(?:[^"\\\n]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
#: Where an object, or a list of objects or texts, may begin.
_OPENS = re.compile(r"\{|\[(?=\s*[{\"'])")
#: By what opens: that, what closes, and what counts of the text between.
_BRACKETS = {
    "{": ("{", "}", re.compile(r'\\.|["{}]', re.DOTALL)),
    "[": ("[", "]", re.compile(r'\\.|["\[\]]', re.DOTALL)),
}


def fenced(answer: str) -> list[tuple[str, str]]:
    """Return the fenced blocks of an answer, as pairs of the language that is named and the text.

    A block that is not closed goes to the answer's end.
    """
    found = _BLOCK.finditer(spoken(answer))
    return [(one["name"].lower(), one["text"]) for one in found if one["text"].strip()]


def above_last(answer: str, block: str) -> str:
    """Return the words between the last fenced block with a text and the block before it."""
    text = spoken(answer)
    end, above = 0, ""
    for one in _BLOCK.finditer(text):
        above = text[end : one.start()] if one["text"] == block else above
        end = one.end()
    return above


def is_anew(above: str) -> bool:
    """Whether the words right above a block say that it takes the place of those before it.

    Args:
        above: what stands between the block before it and the block.
    """
    last = " ".join(_SENTENCE.split(_EMPHASIS.sub("", above).strip())[-1].split())
    return len(last) <= _MOST_CHARACTERS and bool(_FINAL.fullmatch(last))


def code_places(text: str, besides: Sequence[str] = ()) -> list[tuple[int, int]]:
    """Return where the fenced blocks of a text stand that name their language, as start and end.

    Args:
        text: of an answer.
        besides: languages whose blocks are left out.
    """
    found = _BLOCK.finditer(text)
    return [one.span() for one in found if one["name"].lower() not in (*_NO_LANGUAGE, *besides)]


def without_stump(answer: str) -> str:
    """Return what is whole of an answer that was cut off, wherever it was.

    Its last line is not, nor is a block without an end; an object or a block with one is.
    """
    text = spoken(answer).rstrip()
    blocks = list(_BLOCK.finditer(text))
    if blocks and blocks[-1]["cut"] is not None:
        return text[: blocks[-1].start()]
    if (blocks and blocks[-1].end() == len(text)) or _is_object(text):
        return text
    return text[: text.rfind("\n") + 1]


def _is_object(text: str) -> bool:
    return any(start == 0 and end == len(text) for _, start, end in places(text))


def read_program(answer: str) -> str:
    """Return the JavaScript program of an answer: its last fenced block.

    One that names its language comes before one that names none, such as a sample of output. A last
    block that only calls the function with which another ends, as whoever runs that does anyway, or
    calls something below words such as ``Example use:``, is left out; blocks below ``Step 1``,
    ``Step 2``, … are one program; of one that uses functions
    and constants of earlier blocks, which only declare them, these are a part. Words above a last
    block that differs from others say that it takes their place (:func:`is_anew`). An answer that
    is nothing but a program needs no fence. A block that is cut off is none.

    Raises:
        AnswerError: there is none, or nobody knows which of several it is.
    """
    steps = in_steps(answer)
    if steps is not None and not _is_json(steps):
        return steps
    blocks = [
        (name, text)
        for name, text in _without_use(answer)
        if name in _SCRIPTS and not _is_json(text)
    ]
    plain = [text for name, text in blocks if not name]
    programs = [text for name, text in blocks if name] or list(filter(_CODE.search, plain)) or plain
    bare = _ELEMENT.sub(r"\1", spoken(answer)).strip().removesuffix(";")
    if not programs and _BARE.match(bare) and bare.endswith("}"):
        programs = [bare]
    if not programs:
        programs = [text for one in _objects(spoken(answer)) for text in _programs_of(one)]
    if not programs:
        raise AnswerError("the answer holds no block between ```javascript and ```")
    while programs[1:] and _is_run_anyway(programs[-1], programs[-2]):
        programs.pop()
    program = _with_helpers(programs).strip("\n").rstrip() + "\n"
    _refuse_other(answer, programs, program)
    if spoken(answer).count("```") % 2 and program.count("{") != program.count("}"):
        raise AnswerError("the program is cut off: its block has no end; write a shorter one")
    return program


def _refuse_other(answer: str, programs: Sequence[str], program: str) -> None:
    """Refuse a last block below words that do not say that it takes another's place.

    One below no words does, and one that holds all of those before it.

    Raises:
        AnswerError: there are such words; they may say that it is for another case, or for nobody;
            or its label says so.
    """
    above = above_last(answer, programs[-1])
    is_whole = all(dedent(one).strip() in program for one in programs[:-1])
    if not is_whole and above.strip() and not is_anew(above):
        raise AnswerError("the answer holds several programs; write one, in one block")


def _with_helpers(programs: Sequence[str]) -> str:
    """Return the last block, below those before it that declare what it uses.

    Raises:
        AnswerError: one of them does more, or declares again what is declared behind it.
    """
    text = programs[-1]
    for earlier in map(dedent, reversed(programs[:-1])):
        there, here = _declared(_DECLARES_HERE, earlier), _declared(_DECLARES, text)
        needed = (there & _used(text)) - here
        if not needed:
            continue
        lines = _COMMENT.sub("", earlier).splitlines()
        only_declares = all(_NO_STATEMENT.match(line) for line in lines if line)
        if there & _declared(_DECLARES_HERE, text) or not only_declares:
            name = min(needed)
            raise AnswerError(
                f"the last block uses {name}, which only an earlier one declares; write all of "
                "the program in one block"
            )
        text = f"{earlier.rstrip()}\n\n{text.lstrip()}"
    return text


def _used(program: str) -> set[str]:
    """Return the names that a program uses, and that are no parameters of its own functions."""
    code = _KEY.sub(r"\1", _WORDS.sub("''", program))
    told = " ".join(one for pair in _PARAMETERS.findall(code) for one in pair)
    return set(_NAME.findall(code)) - set(_NAME.findall(told))


def in_steps(answer: str) -> str | None:
    """Return the program of an answer whose blocks stand below ``Step 1``, ``Step 2``, …: all.

    None where not each block stands below the next number, or one begins with the one before it,
    as a program that is written anew does.
    """
    text = spoken(answer)
    found = [one for one in _BLOCK.finditer(text) if one["text"].strip()]
    ends = [0, *(one.end() for one in found)]
    above = [text[end : one.start()] for end, one in zip(ends, found, strict=False)]
    steps = [_STEP.findall(words)[-1:] for words in above]
    if len(found) < 2 or steps != [[str(n)] for n in range(1, len(found) + 1)]:
        return None
    parts = [one["text"].strip("\n") for one in found]
    if any(later.lstrip().startswith(part.strip()) for part, later in pairwise(parts)):
        return None
    return "\n".join(map(dedent, parts)) + "\n"


def _without_use(answer: str) -> list[tuple[str, str]]:
    """Return the fenced blocks without last ones that only show how others are used."""
    text = spoken(answer)
    found = [one for one in _BLOCK.finditer(text) if one["text"].strip()]
    while found[1:]:
        above = text[found[-2].end() : found[-1].start()].strip().rpartition("\n")[2]
        code = [line.strip() for line in _COMMENT.sub("", found[-1]["text"]).splitlines()]
        if not (_SHOWS_USE.search(above) and all(map(_CALL.fullmatch, filter(None, code)))):
            break
        found.pop()
    return [(one["name"].lower(), one["text"]) for one in found]


def _declared(form: re.Pattern[str], text: str) -> set[str]:
    return {name for pair in form.findall(text) for name in pair if name}


def _is_run_anyway(text: str, before: str) -> bool:
    """Whether a block only calls the last function before it, as whoever runs that does.

    Calls below a comment such as ``// Usage:`` are none of the program, either.
    """
    code = [line.strip() for line in _COMMENT.sub("", text).splitlines() if line.strip()]
    calls = [found for line in code if (found := _CALLS.fullmatch(line))]
    names = [name for pair in _DECLARES.findall(before) for name in pair if name]
    if not calls or len(calls) != len(code) or not {call[1] for call in calls} <= set(names):
        return False
    if any(map(_SHOWS_USE.search, _COMMENT.findall(text))):
        return True
    return len(calls) == 1 and names[-1] == calls[0][1] and calls[0][2].strip() in ("", "bot")


def _programs_of(found: dict[str, Any]) -> list[str]:
    """Return the programs that an object has under their usual names."""
    fields = ((str(key).lower(), value) for key, value in found.items())
    return [v for k, v in fields if k in _PROGRAM_FIELDS and isinstance(v, str) and v.strip()]


def _is_json(text: str) -> bool:
    return text.lstrip().startswith("{") and bool(list(_objects(text)))


def read_object(answer: str) -> dict[str, Any]:
    """Return the JSON object of an answer, with or without a fence or words around it.

    Of several, the last: drafts come before what is meant.

    Raises:
        AnswerError: there is none.
    """
    return read_objects(answer)[-1]


def read_objects(answer: str) -> list[dict[str, Any]]:
    """Return all JSON objects of an answer that stand in no other, in their order.

    Raises:
        AnswerError: there is none.
    """
    found = list(_objects(spoken(answer)))
    if not found:
        raise AnswerError("the answer is not a JSON object")
    return found


def _objects(text: str) -> Iterator[dict[str, Any]]:
    return (found for found, _, _ in places(text))


def places(text: str) -> Iterator[tuple[dict[str, Any], int, int]]:
    """Yield the outermost objects, as JSON or as what models write for it, with start and end."""
    return _places(text, re.compile("{"))


def values_in(text: str) -> Iterator[tuple[dict[str, Any] | list[Any], int, int]]:
    """Yield the outermost objects, and lists of objects or texts, with start and end."""
    return _places(text, _OPENS)


def _places(text: str, opens: re.Pattern[str]) -> Iterator[tuple[Any, int, int]]:
    decoder, begins = json.JSONDecoder(strict=False), opens.search(text)
    left = MAX_SCANNED
    for _ in range(MAX_BRACES):
        if begins is None or left < 0:
            return
        at = begins.start()
        try:
            value, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            end = _end(text, at)
            value = _lenient(text[at:end]) if end > at else None
        left -= (end if end > at else len(text)) - at
        is_found = isinstance(value, dict | list)
        if is_found:
            yield value, at, end
        begins = opens.search(text, end if is_found else at + 1)


def _end(text: str, start: int) -> int:
    """Return where the brackets that open at ``start`` close; ``start`` where they do not."""
    depth, is_quoted = 0, False
    opening, closing, tokens = _BRACKETS[text[start]]
    for found in tokens.finditer(text, start, text.rfind(closing) + 1):
        token = found[0]
        if token == '"':
            is_quoted = not is_quoted
        elif not is_quoted and token in (opening, closing):
            depth += 1 if token == opening else -1
            if not depth:
                return found.end()
    return start


def _lenient(text: str) -> Any:
    """Return the value of JSON with commas too many or comments, or of a Python literal."""
    cleaned = _cleaned(text)
    bare = _cleaned(_STRING_OR_REMARK.sub(lambda found: found[1] or "", text))
    for one in (cleaned, _BARE_KEY.sub(r'\1"\2"', cleaned), bare):
        try:
            return json.loads(one, strict=False)
        except (ValueError, RecursionError):
            continue
    if sum(map(cleaned.count, "{[(-+~")) > MAX_BRACES:  # no parser of deep nesting is safe
        return None
    try:
        return ast.literal_eval(cleaned)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def _cleaned(text: str) -> str:
    return _TRAILING_COMMA.sub(r"\1", _COMMENT.sub("", text.translate(QUOTES)))
