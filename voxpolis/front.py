"""``voxpolis``: the entry point of all commands, which reports all usage errors in the same way.

``voxpolis double_vein …`` is the same as ``python -m scenarios.double_vein …``, ``voxpolis server
…`` is the same as ``python -m server …``, and ``voxpolis grid.bench …`` is the same as ``python -m
grid.bench …``. Other modules of voxpolis are imported only when the command is known.
"""

from __future__ import annotations

import ast
import os
import re
import runpy
import shutil
import signal
import sys
import sysconfig
import textwrap
import traceback
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any, NoReturn

from voxpolis import environment

USAGE_ERROR = 2
# In the list of scenarios: the column at which the descriptions begin, and the width of lines.
INDENT, WIDTH = 16, 80
INTERRUPTED = 130
# The packages that may have commands.
ROOMS = (
    *("analysis", "bots", "bridge", "experiments", "grid"),
    *("judge", "scenarios", "server", "worlds"),
)
# The line in a file that gives a scenario class its name.
NAME = r'^    name(: ClassVar\[str\])? = "{}"$'
RUN = "Play a scenario in your own file, as in: voxpolis run my_game.py --help"
IS_COMMAND = '\nif __name__ == "__main__":\n'
# Matches docstrings that only repeat how a package is called.
ONLY_TYPED = re.compile(r"``python -m [^`]*``\.")
RUN_HELP = """Usage: voxpolis run FILE [OPTIONS]

Play the scenario in your own Python file. For its options and settings, type:
voxpolis run my_game.py --help"""
INSTALL = "Install missing packages, and the Node packages for Minecraft."

EXAMPLES = (
    "Examples:",
    "  voxpolis double_vein --world grid       # play a scenario",
    "  voxpolis analysis watch runs            # follow runs in a browser",
    "  voxpolis experiments matrix             # which agents play which scenario",
)

# The command that was typed after ``voxpolis``; empty if the process was started in another way.
_typed: list[str] = []
# How the scenarios in users' own files are typed, by the name of the scenario.
_calls: dict[str, str] = {}


def main() -> NoReturn:
    """Run the command that the first argument names, and end the process."""
    use_one_line_errors()
    word, rest = (sys.argv[1] if len(sys.argv) > 1 else "--help"), sys.argv[2:]
    if word in ("--help", "-h", "help"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # so that `| head` ends it silently
        print(_list())
        sys.exit(0)
    if word == "--version":
        print(f"voxpolis {_version()}")
        sys.exit(0)
    if word == "run" and rest in (["--help"], ["-h"]):
        print(RUN_HELP)
        sys.exit(0)
    if word in environment.WORDS:
        sys.exit(environment.main([word, *rest]))
    if word == "run" and (not rest or not rest[0].endswith(".py")):
        sys.exit(_refuse("specify a file with a scenario: voxpolis run my_game.py"))
    path = commands().get(word) or _find(word)
    if word == "run" or (path is None and word in _installed()) or word in scenario_files():
        del sys.argv[1 : 3 if word == "run" else 2]
        _typed.append(f"run {rest[0]}" if word == "run" else word)
        play(rest[0] if word == "run" else word)
    if path is None:
        sys.exit(_refuse(f"unknown command {word!r}; for a list: voxpolis --help"))
    del sys.argv[1]
    _typed.append(word)
    runpy.run_module("voxpolis." + _module(path), run_name="__main__", alter_sys=True)
    sys.exit(0)


def use_one_line_errors() -> None:
    """From now on, print errors as a single line instead of a traceback.

    Ctrl-C never prints a traceback, not even during an import. An error whose class has
    ``is_one_line`` is printed as one line, and the exit code is 2. This also applies to an
    exception that is raised while a scenario's code is loaded. A later exception in a scenario's
    code is printed as one line, and the exit code is 1. ``--debug`` shows tracebacks.
    """
    before = sys.excepthook

    def show(kind: type[BaseException], error: BaseException, trace: Any) -> None:
        if getattr(kind, "is_one_line", False):
            sys.exit(_refuse(str(error)))
        names = [name for name in (_scenario_of(file) for file in _files(error)) if name]
        if issubclass(kind, Exception) and names and "--debug" not in sys.argv:
            _refuse(f"the scenario {names[-1]}: {describe_error(error)} (see --debug)")
            is_loaded = any(one.name == run_app.__name__ for one in traceback.extract_tb(trace))
            sys.exit(1 if is_loaded else USAGE_ERROR)
        if not issubclass(kind, KeyboardInterrupt):
            before(kind, error, trace)

    sys.excepthook = show


def describe_error(error: BaseException) -> str:
    """Describe an exception in one line.

    The line has the type, the message, and the place in the user's code.
    """
    frames = traceback.extract_tb(error.__traceback__)
    written = [one for one in frames if _is_user_code(one.filename)] or frames
    file, line = (written[-1].filename, written[-1].lineno) if frames else ("", None)
    says = str(error)
    # This is a ValidationError of pydantic.
    if type(error).__name__ == "ValidationError" and hasattr(error, "errors"):
        first = error.errors()[0]
        says = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    if isinstance(error, SyntaxError) and error.filename:
        file, line, says = error.filename, error.lineno, error.msg
    where = f" in {Path(file).name}, line {line}" if file else ""
    return f"{type(error).__name__}{where}: {' '.join(says.split()) or 'no message'}"


def _is_user_code(file: str) -> bool:
    """Return whether a file belongs to a scenario or to a user, and not to a library."""
    inside = os.path.relpath(file, environment.ROOT).split(os.sep)
    is_ours = inside[0] in {*ROOMS, "records", "voxpolis"} - {"scenarios"}
    libraries = (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"))
    return not is_ours and not file.startswith(("<", *libraries))


def _files(error: BaseException) -> list[str]:
    files = [one.filename for one in traceback.extract_tb(error.__traceback__)]
    return [*files, (error.filename or "") if isinstance(error, SyntaxError) else ""]


def _scenario_of(file: str) -> str:
    room = os.path.join(environment.ROOT, "scenarios", "")
    inside = file.removeprefix(room)
    return inside.partition(os.sep)[0] if inside != file and os.sep in inside else ""


def play_typed_module(room: str) -> None:
    """Play the scenario that ``python -m voxpolis.scenarios.NAME`` names.

    The module of the scenario only defines the scenario.

    ``room`` is ``voxpolis.scenarios``, which is imported before the file is run.
    """
    if sys.argv[:1] == ["-m"]:
        typed = sys.orig_argv[sys.orig_argv.index("-m") + 1]
        name = typed.removeprefix(f"{room}.")
        # Modules within a scenario, such as scenarios.religion.reading, are commands of their own.
        if name not in (typed, "__main__") and "." not in name:
            play(name)


def play(name: str) -> NoReturn:
    """Play a scenario with the remaining command-line arguments.

    ``name`` is the name of the scenario, or the path of its file.
    """
    from voxpolis.experiments.run.command import start  # noqa: PLC0415 - nothing before is slow

    start(name)


def call_by_path(name: str, path: str) -> None:
    """Remember that the user calls a scenario by the path of a file."""
    _calls[name] = f"voxpolis run {path}"


def as_typed(module: str) -> str:
    """Return how the command of a module is typed in this installation."""
    name = module.removeprefix("scenarios.")
    return _calls.get(name) or (f"voxpolis {name}" if _typed else f"python -m {module}")


def _version() -> str:
    if not environment.IS_CHECKOUT:
        return metadata.version("voxpolis")
    import tomllib  # noqa: PLC0415 - older Pythons lack it, and are told so

    project = Path(environment.ROOT, "pyproject.toml").read_text(encoding="utf-8")
    return str(tomllib.loads(project)["project"]["version"])


def commands() -> dict[str, Path]:
    """Return the commands other than scenarios, such as ``server``, each with the file that runs
    it.
    """
    root = Path(environment.ROOT)
    found = {room: root / room / "__main__.py" for room in ROOMS}
    return {word: path for word, path in sorted(found.items()) if path.exists()}


def scenarios() -> dict[str, str]:
    """Return the docstring of each scenario by its name, without importing the scenario."""
    return {name: _docstring(path) for name, path in scenario_files().items()}


def scenario_files() -> dict[str, Path]:
    """Return the file of each scenario, by name."""
    folder = Path(environment.ROOT, "scenarios")
    found = {path.parent.name: path for path in folder.glob("*/__init__.py")}
    for path in folder.glob("[!_]*.py"):
        if re.search(NAME.format(path.stem), path.read_text(encoding="utf-8"), re.MULTILINE):
            found[path.stem] = path
    return dict(sorted(found.items()))


def _installed() -> set[str]:
    """Return the names of the scenarios that other packages provide."""
    return {one.name for one in metadata.entry_points(group="voxpolis.scenarios")}


def scenario_list() -> str:
    """Return a list of all scenarios with their first sentences, without importing them."""
    lines = []
    for name, story in scenarios().items():
        text = f"{name:{INDENT}}{_first_paragraph(story)}"
        width = min(WIDTH, shutil.get_terminal_size().columns)
        wrapped = textwrap.wrap(text, width, subsequent_indent=" " * INDENT, break_on_hyphens=False)
        lines += wrapped
    lines += ["", f"To play one: {as_typed('scenarios.double_vein')} --help"]
    return "\n".join(
        [*lines, f"Compatible agents, scenarios and worlds: {as_typed('experiments')} matrix"]
    )


def _find(word: str) -> Path | None:
    if not re.fullmatch(r"\w+(\.\w+)+", word) or word.partition(".")[0] not in ROOMS:
        return None
    base = Path(environment.ROOT, *word.split("."))
    paths = [base / "__main__.py", base.with_suffix(".py")]
    return next((path for path in paths if path.exists() and _is_command(path)), None)


def _is_command(path: Path) -> bool:
    return IS_COMMAND in path.read_text(encoding="utf-8")


def _module(path: Path) -> str:
    parts = path.relative_to(environment.ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__main__" else parts)


def _list() -> str:
    played = {name: _first_paragraph(story) for name, story in scenarios().items()}
    played |= dict.fromkeys(_installed(), "A scenario of another package.")
    others = {word: _summary(path) for word, path in commands().items()}
    others |= {"run": RUN, "install": INSTALL}
    lines = ["Usage: voxpolis COMMAND …    (voxpolis COMMAND --help shows the options)"]
    for title, found in (("Scenarios:", played), ("Other commands:", others)):
        lines += ["", title]
        for word, summary in sorted(found.items()):
            text = f"  {word:{INDENT}}{summary}"
            lines += textwrap.wrap(text, WIDTH, subsequent_indent=" " * (INDENT + 2))
    return "\n".join([*lines, "", *EXAMPLES])


def _summary(path: Path) -> str:
    """Return the first paragraph of a module's docstring, leaving out the command that the
    paragraph contains.
    """
    text = _first_paragraph(_docstring(path))
    if not text or ONLY_TYPED.fullmatch(text):
        text = _first_paragraph(_docstring(path.with_name("__init__.py")))
    summary = re.sub(r"^``python -m [^`]*``:? |: ``python -m [^`]*``(?=\.$)", "", text)
    summary = re.sub(r"``python -m (scenarios\.)?([^`]*)``", r"voxpolis \2", summary)
    return summary[:1].upper() + summary[1:]


def _first_paragraph(text: str) -> str:
    return " ".join(text.partition("\n\n")[0].split())


def _docstring(path: Path) -> str:
    try:
        # Only the docstring is parsed, because parsing whole files would take most of the time.
        text = re.match(r'(?:\s|#.*\n)*(r?"""[\s\S]*?""")', path.read_text(encoding="utf-8"))
        return ast.get_docstring(ast.parse(text[1])) or "" if text else ""
    except (SyntaxError, ValueError) as error:
        return f"(it cannot be read: {error})"


def run_app(app: Callable[..., Any], name: str | None = None) -> NoReturn:
    """Run a command of click or typer. A usage error is printed as one line, with exit code 2.

    The process ends with the exit code of the command, or with 130 after Ctrl-C. Typer contains a
    copy of click, so the errors of both are recognised by their methods and not by their class.
    """
    try:
        name = f"voxpolis {_typed[0]}" if _typed else name
        sys.exit(app(standalone_mode=False, prog_name=name) or 0)
    except Exception as error:
        kind = type(error).__name__
        if kind == "Abort":
            sys.exit(INTERRUPTED)
        if kind == "NoArgsIsHelpError":
            error.show()  # type: ignore[attr-defined]
            sys.exit(USAGE_ERROR)
        if hasattr(error, "format_message"):
            sys.exit(_refuse(error.format_message()))
        raise


def _refuse(text: str) -> int:
    print(f"error: {' '.join(text.split())}", file=sys.stderr)
    return USAGE_ERROR
