"""Five ways in which chat models say the same thing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from tests.saying import Said

#: Tags of lines that say something of somebody or something: its name stands behind the tag.
OF_NAMES = ("LIKES", "BELIEVES", "OWES", "MERGE", "TOPIC")


def plain(said: Said) -> str:
    """As the prompt asks, to the letter."""
    value: Any = said.value
    match said.kind:
        case "tags":
            text = "\n".join(_tag(tag, text) for tag, text in value)
        case "items":
            text = "\n".join(value)
        case "choices":
            text = ", ".join(value)
        case "parts":
            text = "\n".join(_part(n, *part) for n, part in enumerate(value, start=1))
        case "program":
            text = f"I do my part.\n\n```{said.name}\n{value}\n```"
        case "object":
            text = json.dumps(value)
        case "message":
            text = "\n".join(_section(tag, words) for tag, words in value.items())
        case _:
            text = f"GOAL: {value}" if said.name == "goal" else str(value)
    return text


def _tag(tag: str, text: str) -> str:
    return f"{tag} {text}" if tag in OF_NAMES else f"{tag}: {text}"


def _section(tag: str, words: str, dress: str = "") -> str:
    """A part of a negotiator's message, its tags in ``dress``."""
    if tag != "contract":
        return f"{dress}[{tag}]{dress} {words}".strip()
    return f"{dress}[contract]{dress}\n{words}\n{dress}[contract end]{dress}"


def _part(number: int, words: str, sets: str) -> str:
    return f"***Amendment{number}***\n{words}" + (f"\nSET {sets}" if sets else "")


def bold(said: Said) -> str:
    """Markdown: headings, bullets, bold, capitals and full stops."""
    value: Any = said.value
    match said.kind:
        case "tags":
            lines = (f"- **{_tag(tag, '').strip()}** {text}" for tag, text in value)
            text = "### Decision\n\n" + "\n".join(lines)
        case "items":
            text = "### My list\n\n" + "\n".join(f"{n}. **{v}**." for n, v in enumerate(value, 1))
        case "choices":
            text = "\n".join(f"{n}. **{one.title()}**" for n, one in enumerate(value, 1))
        case "parts":
            parts = (
                f"**Amendment {n}**\n\n{words}\n" + (f"\n`SET {sets}`\n" if sets else "")
                for n, (words, sets) in enumerate(value, 1)
            )
            text = "## Proposal\n\n" + "\n".join(parts)
        case "program":
            fence = "js" if said.name == "javascript" else "text"
            text = f"## Plan\n\n**I do my part.**\n\n```{fence}\n{value}\n```"
        case "object" if not any(isinstance(one, dict | list) for one in value.values()):
            text = "## Result\n\n" + "\n".join(
                f"- **{name.capitalize()}:** {_in_words(one)}" for name, one in value.items()
            )
        case "object" if all(map(_is_flat, value.values())):
            text = "## Result\n\n" + "\n".join(_in_markdown(*one) for one in value.items())
        case "object":
            text = f"**Result**\n\n```json\n{json.dumps(value, indent=2)}\n```"
        case "message":
            text = "\n\n".join(_section(tag, words, "**") for tag, words in value.items())
        case _ if said.name == "plan":
            text = f"**Plan:** {str(value).upper()}."
        case _ if said.name == "goal":
            text = f"**Goal:** {value}"
        case _:
            text = f'**"{value}"**'
    return text


def _is_flat(value: Any) -> bool:
    """Whether a value is words, a list, or an object of words, and holds nothing deeper."""
    if isinstance(value, list):
        inner = [one for item in value for one in (item.values() if isinstance(item, dict) else ())]
    else:
        inner = [*value.values()] if isinstance(value, dict) else []
        if not all(isinstance(one, str) for one in inner):
            return False
    return not any(isinstance(one, dict | list) for one in inner)


def _in_markdown(name: str, value: Any) -> str:
    """A field in bold; what it holds is a numbered list, and labels below it."""
    if isinstance(value, dict):
        return f"**{name}**\n" + "\n".join(f"- **{key}:** {one}" for key, one in value.items())
    if not isinstance(value, list):
        return f"**{name}:** {_in_words(value)}"
    items = (
        "\n   ".join(f"**{key.capitalize()}:** {_in_words(one)}" for key, one in item.items())
        if isinstance(item, dict)
        else str(item)
        for item in value
    )
    listed = "\n".join(f"{n}. {item}" for n, item in enumerate(items, 1))
    return f"**{name}:**\n{listed or 'None.'}"


def _in_words(value: Any) -> str:
    """A value as people write it."""
    return {True: "Yes", False: "No"}[value] if isinstance(value, bool) else str(value)


def chatty(said: Said) -> str:
    """A thought before, in words, and pleasantries after."""
    core = plain(said)
    if said.kind == "tags":
        core = "\n".join(_tag(tag.capitalize(), text) for tag, text in said.value)  # type: ignore[attr-defined]
        core = plain(said) if "LIKES" in plain(said) else core
    if said.kind == "line" and said.name == "plan":
        core = f"Plan: {said.value}."
    elif said.kind == "line" and said.name == "say":
        core = f'"{said.value}"'
    elif said.kind == "choices":
        core = f"My ballot: {core.capitalize()}."
    elif said.kind == "line" and said.name == "goal":
        core = f"Goal: {said.value}"
    thought = (
        "Okay, let me think about this for a moment. There are several things that I could do."
    )
    if said.kind in ("line", "items") and said.name not in ("plan", "goal"):
        thought = "Sure! I thought about this for a moment."
    return f"{thought}\n\nHere is my answer:\n\n{core}\n\nLet me know if you need anything else! 😊"


def in_json(said: Said) -> str:
    """One JSON object in a fence, whatever was asked for; programs in a block."""
    value: Any = said.value
    if said.kind == "program":
        return plain(said)
    found: dict[str, Any]
    match said.kind:
        case "tags":
            found = _fields(value)
        case "items":
            found = {said.name: value}
        case "choices":
            found = {"ballot": value}
        case "parts":
            found = {
                f"Amendment{n}": words + (f"\nSET {sets}" if sets else "")
                for n, (words, sets) in enumerate(value, 1)
            }
        case "object":
            found = value
        case "message":
            found = {tag: text or True for tag, text in value.items()}
        case _:
            found = {said.name: value}
    return f"```json\n{json.dumps(found, indent=2)}\n```"


def _fields(tags: list[tuple[str, str]]) -> dict[str, Any]:
    """Tagged lines as the fields of an object; those about somebody as an object in it."""
    found: dict[str, Any] = {}
    for tag, text in tags:
        if tag in OF_NAMES:
            name, inner = _of_name(tag, text)
            found.setdefault("topics" if tag == "TOPIC" else tag.lower(), {})[name] = inner
        elif tag.startswith("ABOUT "):
            found.setdefault("about", {})[tag.removeprefix("ABOUT ")] = text
        else:
            found[tag.lower()] = text
    return found


def _of_name(tag: str, text: str) -> tuple[str, Any]:
    """Whom or what a line is about, and the value that an object has for it."""
    name, _, rest = text.partition(": " if ": " in text else " ")
    match tag:
        case "LIKES":
            return name, int(rest)
        case "TOPIC":
            return name, rest.split(", ")
    return name, rest


def thinking(said: Said) -> str:
    """A thinking model behind a server that leaves its thought in the answer."""
    draft = (
        'First I thought of ACTION: REST, GATHER 9 gold, or {"success": maybe}.\n```js\nno()\n```'
    )
    return (
        f"<think>\nOkay, so the user wants an answer. {draft}\nWait, no.\n</think>\n\n{plain(said)}"
    )


STYLES: Mapping[str, Callable[[Said], str]] = {
    "plain": plain,
    "bold": bold,
    "chatty": chatty,
    "json": in_json,
    "thinking": thinking,
}
