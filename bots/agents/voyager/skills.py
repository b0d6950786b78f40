"""The skill library: successful programs, stored as files that people can read, compare and share.

A skill is a ``.js`` file that declares an async function of ``bot`` with the same name as the file.
A comment at the top of the file describes the skill. Folders in Voyager's own format (``code/*.js``
next to ``description/*.txt``) can be loaded unchanged.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from voxpolis.bots.agents.voyager.retrieval import Retriever
from voxpolis.records.files import read_text

# For each task, an agent is shown this many skills. Source: Wang et al. (2023).
RETRIEVED = 5
# Maximum length of a skill's name, because the name becomes a file name.
MAX_NAME = 64
# Maximum size of a skill file or a description. An engine accepts at most 200,000 characters, which
# take up to four bytes each.
MAX_BYTES = 800_000

_FUNCTION = re.compile(r"async\s+function\s+([A-Za-z_$][\w$]*)\s*\(\s*bot\b")
_COMMENT = re.compile(r"\A/\*\*?(.*?)\*/\s*", re.DOTALL)


class SkillError(ValueError):
    """A file or a program is not a skill. The message gives the reason."""


@dataclass(frozen=True)
class Skill:
    """A program with a name and a description. The search for skills compares descriptions."""

    name: str
    code: str
    description: str

    def as_file(self) -> str:
        lines = self.description.replace("*/", "* /").splitlines() or [""]
        comment = "\n".join(f" * {line}".rstrip() for line in lines)
        return f"/**\n{comment}\n */\n{self.code.strip()}\n"


def main_function(code: str) -> str:
    """Return the name of the last ``async function name(bot)`` in a program.

    Raises:
        SkillError: there is no such function, or its name is too long.
    """
    names = _FUNCTION.findall(code)
    if not names:
        raise SkillError("the program declares no async function of bot")
    return _checked(str(names[-1]))


def _checked(name: str) -> str:
    if len(name) > MAX_NAME:
        raise SkillError(f"the function's name has {len(name)} characters; {MAX_NAME} are allowed")
    return name


class SkillLibrary:
    """The skills of an agent, in memory and optionally in a folder."""

    def __init__(self, retriever: Retriever, folder: Path | None = None) -> None:
        """Load the skills in ``folder``. New skills are also written to this folder.

        Raises:
            SkillError: a file in the folder is not a skill.
        """
        self.retriever = retriever
        self.folder = folder
        self.skills: dict[str, Skill] = {}
        if folder is not None and folder.is_dir():
            self.load(folder)

    def load(self, folder: Path) -> int:
        """Add the skills of a folder, in Voyager's format or ours, and return how many there are.

        Raises:
            SkillError: there is no such folder, its ``code`` folder is empty, or a file is not a
                skill.
        """
        if not folder.is_dir():
            raise SkillError(f"there is no folder {folder}")
        nested = next((f for f in (folder / "code", folder / "skill" / "code") if f.is_dir()), None)
        found = [read_skill(path) for path in sorted((nested or folder).glob("*.js"))]
        if nested and not found:
            raise SkillError(f"{nested} contains no .js files")
        for skill in found:
            self.add(skill)
        return len(found)

    def add(self, skill: Skill) -> None:
        self.skills[skill.name] = skill
        if self.folder is not None:
            self._write(self.folder, skill)

    def retrieve(self, query: str) -> list[Skill]:
        texts = {name: skill.description or name for name, skill in self.skills.items()}
        return [self.skills[name] for name in self.retriever.rank(query, texts)[:RETRIEVED]]

    def sources(self) -> dict[str, str]:
        return {name: skill.code for name, skill in self.skills.items()}

    @staticmethod
    def _write(folder: Path, skill: Skill) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{skill.name}.js"
        part = path.with_suffix(".part")
        part.write_text(skill.as_file(), encoding="utf-8")
        part.replace(path)


def read_skill(path: Path) -> Skill:
    """Read a skill file. The module's docstring describes the formats.

    Raises:
        SkillError: the file cannot be read, is too long, or declares no async function of ``bot``.
    """
    text = _text(path)
    comment = _COMMENT.match(text)
    code = text[comment.end() :] if comment else text
    declared = _FUNCTION.findall(code)
    if not declared:
        raise SkillError(f"{path} declares no async function of bot")
    # Voyager calls the file of a later version …V2, but does not rename the function in it.
    name = path.stem if path.stem in declared else str(declared[-1])
    return Skill(_checked(name), code.strip() + "\n", _description(path, comment))


def _text(path: Path) -> str:
    try:
        return read_text(path, MAX_BYTES)
    except OSError as error:
        raise SkillError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise SkillError(f"cannot read {path}: it is not UTF-8") from error


def _description(path: Path, comment: re.Match[str] | None) -> str:
    beside = path.parent.parent / "description" / f"{path.stem}.txt"
    if beside.is_file():
        return _text(beside).strip()
    if comment is None:
        return ""
    lines = [line.strip().removeprefix("*").strip() for line in comment[1].splitlines()]
    return "\n".join(lines).strip()
