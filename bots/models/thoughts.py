"""What of a message was thought, and what is the answer: by tags, channels and typed parts.

Where a server does not tell them apart, a chat template's own marks do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from records.text import caseless

#: Fields of a message that hold what was thought; the first one that says anything counts.
THOUGHT_FIELDS = (
    *("reasoning_content", "reasoning", "thinking", "thought"),
    *("reasoning_details", "thinking_blocks"),
)
#: The fields of a part that hold its words.
_WORDS = ("text", "thinking", "reasoning", "summary", "content")
#: Types of parts that are answers; a part without any is one, too.
_ANSWERS = (None, "text", "output_text")

_NAMES = (
    r"(?:seed:)?(?:(?:inner_|internal_|chain_of_)?(?:think|thinking|thoughts?|reasoning|analysis"
    r"|reflection|scratchpad|monologue)(?:_process)?)"
)
#: Where a thought of some kind begins and ends; an end of ``tag`` needs no beginning.
_KINDS = {
    "tag": (
        rf"<{_NAMES}(?:\s[^<>]{{0,200}})?>|\[THINK\]|\u25c1{_NAMES}\u25b7|<\|START_THINKING\|>"
        r"|<\|inner_prefix\|>|<\|channel>\s*thought\b",
        rf"</{_NAMES}\s*>|\[/THINK\]|\u25c1/{_NAMES}\u25b7|<\|END_THINKING\|>"
        r"|<\|inner_suffix\|>|<channel\|>",
    ),
    "details": (
        r"<details\s[^<>]{0,200}?\btype\s*=\s*[\"']?(?:reasoning|thinking)\b[^<>]{0,200}>",
        r"</details\s*>",
    ),
    "part": (r"<\|think\|>", r"<\|end\|>"),
}
_EDGES = caseless(
    "|".join(
        f"(?P<{kind}_begins>{begins})|(?P<{kind}_ends>{ends})"
        for kind, (begins, ends) in _KINDS.items()
    )
)
#: Lists and parts in a part that are looked into.
_DEPTH = 8
#: A channel of OpenAI's harmony format: its name, and its words as far as they go.
_CHANNEL = re.compile(
    r"<\|channel\|>\s*(?P<name>\w*)(?:(?!<\|message\|>|<\|channel\|>).)*"
    r"(?:<\|message\|>(?P<words>.*?))?(?=<\|(?:channel|start|end|return|call)\|>|\Z)",
    re.DOTALL,
)
#: The same where a server dropped the marks: ``analysisLet me see.assistantfinalYes.``
_BARE_CHANNELS = re.compile(r"\A\s*analysis(?=[A-Z])")
_BARE_FINAL = re.compile(r"assistant\s*final(?:json)?(?=\S)")
#: Granite's words before a thought, and before the answer.
_SPELT = re.compile(r"\A\s*Here(?:'s| is) my thought process:")
_SPELT_END = re.compile(r"Here(?:'s| is) my response:")
#: Where a turn ends, in chat templates whose end a server does not know; what follows is made up.
_TURN_ENDS = re.compile(
    r"<\|(?:im_end|eot_id|eom_id|end|return|endoftext|end_of_text|end_of_turn|user|observation"
    r"|END_OF_TURN_TOKEN)\|>|<end_of_turn>|<\uff5cend\u2581of\u2581sentence\uff5c>|</s>\s*\Z"
)
#: Who speaks, and all else that chat templates put around an answer.
_SPEAKER = re.compile(
    r"<\|(?:start|begin|im_start|start_header_id)\|>\s*assistant(?:<\|end_header_id\|>)?"
)
_BOXED = re.compile(r"(?<=[.:!?])[ \t]*<\|begin_of_box\|>")
_MARK = re.compile(r"<\|[A-Za-z_]\w*\|>")


def split_thought(text: str, *, is_cut: bool = False) -> tuple[str, str]:
    """Return the thought and the answer in a text.

    A thought stands between ``<think>`` and ``</think>``, or marks like them; without an end it
    goes to the end of the text, without a beginning it comes from the beginning. Of the channels of
    harmony's format the last one that is called ``final`` is the answer, and without any there is
    none. An answer ends where its turn does.

    Args:
        text: what a model said.
        is_cut: whether it was cut off, so that what tells the end of a thought may be missing.
    """
    thoughts: list[str] = []
    text = _without_channels(text, thoughts, is_cut)
    answers: list[str] = []
    place, within = 0, ""
    for edge in _edges(text):
        kind, side = str(edge.lastgroup).split("_")
        part = text[place : edge.start()]
        if side == "begins" and not within:
            answers.append(part)
            within = kind
        elif side == "ends" and kind == within:
            thoughts.append(part)
            within = ""
        elif side == "ends" and kind == "tag" and not within:
            # all before an end without a beginning was thought, whatever it looked like
            thoughts += [*answers, part]
            answers = []
        else:
            continue
        place = edge.end()
    (thoughts if within else answers).append(text[place:])
    answer = _TURN_ENDS.split("".join(answers), maxsplit=1)[0]
    if "<|" in answer:
        answer = _MARK.sub("", _BOXED.sub("\n", _SPEAKER.sub("", answer))).strip()
    told = (_MARK.sub(" ", part).strip() for part in thoughts)
    thought = "\n".join(part for part in told if part)
    return thought, answer.strip() if thoughts else answer


def _edges(text: str) -> Iterator[re.Match[str]]:
    """Yield where thoughts begin and end, but for marks in code: an answer may speak of one."""
    if not any(sign in text for sign in "<[\u25c1"):
        return
    for edge in _EDGES.finditer(text):
        before, behind = (
            text[max(edge.start() - 2, 0) : edge.start()],
            text[edge.end() : edge.end() + 1],
        )
        if not (before[-1:] == behind == "`" and before != "``"):
            yield edge


def _without_channels(text: str, thoughts: list[str], is_cut: bool) -> str:
    """Return the answer's channel of a text; ``thoughts`` grows by the others."""
    if "<|channel|>" in text:
        found = list(_CHANNEL.finditer(text))
        last = max((n for n, one in enumerate(found) if one["name"] == "final"), default=None)
        thoughts.append(_SPEAKER.sub("", text[: found[0].start()]))
        thoughts += [one["words"] or "" for number, one in enumerate(found) if number != last]
        return "" if last is None else found[last]["words"] or ""
    for begins, ends, is_sure in ((_BARE_CHANNELS, _BARE_FINAL, True), (_SPELT, _SPELT_END, False)):
        begun = begins.match(text)
        final = list(ends.finditer(text)) if begun else []
        if begun and (final or is_sure or is_cut):
            thoughts.append(text[begun.end() : final[-1].start() if final else len(text)])
            return text[final[-1].end() :] if final else ""
    return text


def split_content(content: object) -> tuple[str | None, str]:
    """Return the text and the thought of a message's content: a text, or a list of typed parts.

    Of the parts only those that say that they are text are answers, and not where they say that
    they are a thought. The text is None where there is no content at all.
    """
    if isinstance(content, str):
        return content, ""
    parts = [content] if isinstance(content, dict) else content
    if not isinstance(parts, list):
        return None, ""
    known = [part for part in parts if isinstance(part, dict)]
    texts = [words_of(part) for part in known if _is_answer(part)]
    thoughts = [words_of(part) for part in known if not _is_answer(part)]
    return ("".join(texts) if known else None), "\n".join(part for part in thoughts if part)


def _is_answer(part: Mapping[str, Any]) -> bool:
    return part.get("type") in _ANSWERS and not part.get("thought")


def words_of(part: object, depth: int = _DEPTH) -> str:
    """Return the words in a field or a typed part, in lists and parts down to some depth."""
    if isinstance(part, str):
        return part
    if isinstance(part, list) and depth:
        return "\n".join(words for each in part if (words := words_of(each, depth - 1)))
    if not isinstance(part, dict) or not depth:
        return ""
    found = (words_of(part.get(name), depth - 1) for name in _WORDS)
    return next((words for words in found if words), "")
