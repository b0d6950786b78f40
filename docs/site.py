"""Hooks of the documentation site: pages made from code and results, and links to files.

mkdocs loads this file by its path (``mkdocs.yml``).
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

from voxpolis.experiments.run import registry
from voxpolis.experiments.run.options import marks_of
from voxpolis.experiments.run.scenario import Scenario
from voxpolis.experiments.study.matrix import cells
from voxpolis.records import events

# Modules whose public classes and functions are the API, with a heading each.
API = {
    "Games of choices": "voxpolis.experiments.loops.choices",
    "Contracts, judges and votes": "voxpolis.experiments.loops.institutions",
    "Scenarios and runs": "voxpolis.experiments.run.scenario",
    "Contract games": "voxpolis.experiments.loops.contract.scenario",
    "Agents": "voxpolis.bots.agents.protocol",
    "Asking a model": "voxpolis.bots.asking",
    "Types of answers": "voxpolis.bots.models.typed",
    "Contracts": "voxpolis.judge.contracts.contract",
    "Constitutions": "voxpolis.judge.law.constitution",
    "Reading records": "voxpolis.records.reader",
    "Frames": "voxpolis.analysis.loading",
    "The bridge to Minecraft": "voxpolis.bridge.bridge",
}
# Generated pages by the files that they are made from. Other pages link to the files, so that the
# links also work in a checkout.
GENERATED = {
    "records/events": "events.md",
    "experiments/study/matrix.py": "compatibility.md",
    "docs/measured": "benchmarks.md",
}
COMMANDS = ("scenarios.double_vein", "experiments", "experiments compare", "experiments sweep",
            "analysis", "server", "server up", "grid", "bots.models")  # fmt: skip


def on_files(files: Files, config: Any) -> Files:
    """Add the generated pages of the reference."""
    pages = {
        "events": _events(),
        "settings": _settings(),
        "compatibility": _compatibility(),
        "commands": _commands(),
        "api": _api(),
        "benchmarks": _benchmarks(),
        "licences": _licences(),
    }
    for name, lines in pages.items():
        content = "\n".join(lines) + "\n"
        files.append(File.generated(config, f"reference/{name}.md", content=content))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Point links that leave ``docs/`` to generated pages, or keep only the text of the link."""
    docs = Path(__file__).parent
    here = (docs / page.file.src_uri).parent

    def shown(link: re.Match[str]) -> str:
        target = (here / link[2]).resolve()
        if (generated := GENERATED.get(str(target.relative_to(docs.parent)))) is not None:
            return f"[{link[1]}]({os.path.relpath(docs / 'reference' / generated, here)})"
        if target.is_relative_to(docs):
            return link[0]
        return link[1] if "`" in link[1] else f"`{link[1]}`"

    return re.sub(r"(?<!!)\[([^\]]+)\]\(((?:\.\./|measured)[^)#]*)[^)]*\)", shown, markdown)


def _cell(text: object) -> str:
    return " ".join(str(text).split()).replace("|", "\\|")


def _events() -> Iterator[str]:
    yield from ("# Events", "", "Every line of `events.jsonl` is one event. All have `id`, `t` ")
    yield "(seconds since the start of the run), `episode`, `agent` and `kind`."
    for lane in events.base.LANES:
        yield from ("", f"## {lane}", "")
        yield from ("| kind | recorded by | meaning | fields |", "|---|---|---|---|")
        for kind in events.kinds():
            if kind.lane == lane:
                own = [n for n in kind.model_fields if n not in events.Event.model_fields]
                what = (kind.__doc__ or "").strip().partition("\n\n")[0]
                name = kind.model_fields["kind"].default
                fields = ", ".join(f"`{one}`" for one in own)
                yield f"| `{name}` | {kind.origin} | {_cell(what)} | {fields} |"


def _settings() -> Iterator[str]:
    yield from ("# Settings", "", "Set them with `--set NAME=VALUE` or in a `--config` file.")
    for scenario in registry.scenarios():
        yield from ("", f"## {scenario.name}", "")
        yield from _conditions(scenario)
        yield from ("| setting | default | meaning |", "|---|---|---|")
        for name, field in scenario.settings.model_fields.items():
            if "hidden" not in marks_of(field):
                default = marks_of(field).get("shown") or field.get_default(
                    call_default_factory=True
                )
                shown = _cell(default)[:80]
                yield f"| `{name}` | `{shown or ' '}` | {_cell(field.description or '')} |"


def _conditions(scenario: type[Scenario]) -> Iterator[str]:
    if scenario.conditions:
        yield from ("| condition | |", "|---|---|")
        for name, what in scenario.conditions.items():
            yield f"| `{name}` | {_cell(what)} |"
        yield ""


def _compatibility() -> Iterator[str]:
    yield from ("# Compatibility matrix", "", "Which kind of agent plays which scenario where.", "")
    found = list(cells())
    kinds = list(dict.fromkeys(cell.agent for cell in found))
    yield f"| scenario | world | {' | '.join(kinds)} |"
    yield "|---|---|" + ":-:|" * len(kinds)
    rows: dict[tuple[str, str], list[str]] = {}
    for cell in found:
        rows.setdefault((cell.scenario, cell.world), []).append("✓" if cell.works else "")
    for (scenario, world), marks in rows.items():
        yield f"| {scenario} | {world} | {' | '.join(marks)} |"


def _commands() -> Iterator[str]:
    yield from ("# Commands", "", "Every scenario takes the options of the first one below.")
    for command in COMMANDS:
        words = [sys.executable, "-m", *f"voxpolis {command}".split(), "--help"]
        if command.startswith("scenarios."):
            words[3] = command.removeprefix("scenarios.")
        said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        yield from ("", f"## `python -m {command}`", "", "```text", said.rstrip(), "```")


def _api() -> Iterator[str]:
    yield from ("# Python API", "", "Everything is imported from `voxpolis`.")
    for heading, module in API.items():
        yield from ("", f"## {heading}", "", f"::: {module}")


def _benchmarks() -> Iterator[str]:
    yield from ("# Benchmarks", "")
    yield "`python docs/measure.py` measures these again. Your numbers will differ."
    for path in sorted((Path(__file__).parent / "measured").glob("*.json")):
        found = json.loads(path.read_text(encoding="utf-8"))
        yield from ("", f"## {found['title']}", "", "```sh", found["command"], "```", "")
        yield f"{found['date']}, commit {found['commit']}; {found['machine']}; load "
        yield f"{found['load']} before."
        yield f"It took {found['wall_s']} s, and {found['cpu_s']} s of CPU time."
        yield from ("", *_measured(found["output"]))


def _measured(output: Any) -> Iterator[str]:
    """Yield a command's output as Markdown: a table for one or more objects, code for a text."""
    if isinstance(output, str):
        yield from ("```text", output, "```") if output else ()
        return
    rows = output if isinstance(output, list) else [output]
    columns = [name for name in rows[0] if not isinstance(rows[0][name], list | dict)]
    cells = [columns, *([_number(row.get(name)) for name in columns] for row in rows)]
    if len(columns) > len(cells):
        cells = [list(column) for column in zip(*cells, strict=True)]
    for number, row in enumerate(cells):
        yield f"| {' | '.join(row)} |"
        if number == 0:
            yield "|" + "---|" * len(row)


def _number(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.4g}" if value < 1000 else f"{value:,.0f}"
    return str(value)


def _licences() -> Iterator[str]:
    yield from (
        "# Licences",
        "",
        "voxpolis is MIT-licensed. A wheel holds our code and data only: no",
    )
    yield "code, textures or model weights of others. Installing it downloads these packages:"
    yield from ("", "| Python package | licence | extra |", "|---|---|---|")
    for line in metadata.requires("voxpolis") or []:
        name = re.match(r"[\w.-]+", line)
        extra = re.search(r'extra == "(\w+)"', line)
        if name and (extra is None or extra[1] != "dev"):
            yield f"| {name[0]} | {_licence(name[0])} | {extra[1] if extra else ''} |"
    yield from ("", "| Node package | licence |", "|---|---|")
    root = Path(__file__).parents[1]
    packages = [json.loads(path.read_text()) for path in root.glob("[bs]*/*/package.json")]
    names = {name for package in packages for name in package.get("dependencies", {})}
    for name in sorted(name for name in names if not name.startswith("@voxpolis")):
        path = root / "node_modules" / name / "package.json"
        found = json.loads(path.read_text()) if path.exists() else {}
        yield f"| {name} | {found.get('license', 'see its repository')} |"


def _licence(name: str) -> str:
    """Return the licence that an installed distribution names."""
    try:
        found = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return "see its repository"
    kinds = [c.rpartition(" :: ")[2] for c in found.get_all("Classifier", []) if "License" in c]
    named = found.get("License-Expression") or ", ".join(kinds) or found.get("License") or ""
    return _cell(named)[:60] or "see its repository"
