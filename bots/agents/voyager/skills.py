"""The skill library: successful programs, as files that a person can read, diff and share.

A skill is one ``.js`` file that declares an async function of ``bot`` with the file's name; the
comment at its top, if any, describes it. Folders in Voyager's own format (``code/*.js`` next to
``description/*.txt``) load unchanged.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from voxpolis.bots.agents.voyager.retrieval import Retriever
from voxpolis.records.files import read_text

# Number of skills shown to an agent for a task. Source: Wang et al. (2023).
RETRIEVED = 5
# Maximum length of a skill's name, which becomes a file name.
MAX_NAME = 64
# Maximum size of a skill or its description: an engine accepts at most 200,000 characters.
MAX_BYTES = 800_000

_FUNCTION = re.compile(r"async\s+function\s+([A-Za-z_$][\w$]*)\s*\(\s*bot\b")
_COMMENT = re.compile(r"\A/\*\*?(.*?)\*/\s*", re.DOTALL)


class SkillError(ValueError):
    """A file is not a skill; the message says why."""


@dataclass(frozen=True)
class Skill:
    """A named program with a description for retrieval."""

    name: str
    code: str
    description: str

    def as_file(self) -> str:
        lines = self.description.replace("*/", "* /").splitlines() or [""]
        comment = "\n".join(f" * {line}".rstrip() for line in lines)
        return f"/**\n{comment}\n */\n{self.code.strip()}\n"


def main_function(code: str) -> str:
    """Return the name of the program's last ``async function name(bot)``.

    Raises:
        SkillError: there is none, or it is too long.
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
    """Skills in memory, and in a folder if there is one."""

    def __init__(self, retriever: Retriever, folder: Path | None = None) -> None:
        """Load the skills in ``folder``; new skills are also written there.

        Raises:
            SkillError: a file in it is not a skill.
        """
        self.retriever = retriever
        self.folder = folder
        self.skills: dict[str, Skill] = {}
        if folder is not None and folder.is_dir():
            self.load(folder)

    def load(self, folder: Path) -> int:
        """Add the skills of a folder, in Voyager's format or ours; return their number.

        Raises:
            SkillError: there is no such folder, it has no skills, or a file is not a skill.
        """
        if not folder.is_dir():
            raise SkillError(f"there is no folder {folder}")
        nested = next((f for f in (folder / "code", folder / "skill" / "code") if f.is_dir()), None)
        found = [read_skill(path) for path in sorted((nested or folder).glob("*.js"))]
        if nested and not found:
            raise SkillError(f"{nested} holds no .js files")
        for skill in found:
            self.add(skill)
        return len(found)

    def add(self, skill: Skill) -> None:
        self.skills[skill.name] = skill
        if self.folder is not None:
            self._write(self.folder, skill)

    def retrieve(self, query: str, count: int = RETRIEVED) -> list[Skill]:
        texts = {name: skill.description or name for name, skill in self.skills.items()}
        return [self.skills[name] for name in self.retriever.rank(query, texts)[:count]]

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
    """Read one skill file; see the module's docstring for the formats.

    Raises:
        SkillError: it cannot be read, is too long, or declares no function of the file's name.
    """
    text = _text(path)
    comment = _COMMENT.match(text)
    code = text[comment.end() :] if comment else text
    declared = _FUNCTION.findall(code)
    if not declared:
        raise SkillError(f"{path} declares no async function of bot")
    # Voyager names the file of a later version …V2 and keeps the function's name.
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
