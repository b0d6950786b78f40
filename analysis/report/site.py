"""Writes a folder of static pages that can be published: an index of runs, and a page for each run.

The pages work from any web server, and from the disk. A run's page is ``runs/NAME/index.html``, and
its record is beside it for download.
"""

from __future__ import annotations

import html
import json
import re
import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from urllib.parse import quote
from zipfile import ZIP_DEFLATED, ZipFile

from voxpolis.analysis.figure_styles import Format
from voxpolis.analysis.loading import Runs
from voxpolis.analysis.report.build import Built, build
from voxpolis.analysis.report.gallery import Card, Links, cards_of, index
from voxpolis.analysis.report.picture import Picture
from voxpolis.analysis.report.run_list import filled
from voxpolis.records.files import open_of_run
from voxpolis.records.outcome import title_of
from voxpolis.records.text import many, printable

# Archive of all events as tables.
TABLES = "parquet.zip"
# Everything that a site contains.
CONTENTS = {"index.html", "side.html", "runs", "figures", TABLES}
# Maximum length of the name of a scenario's folder of figures.
MAX_NAME = 60
# The field of a result that contains the folder of its run.
RUN_DIR = rb'"run_dir": "(?:[^"\\]|\\.)*"'
# Files in the folder of a published run.
PAGE, PICTURE, ARCHIVE = "index.html", "picture.svg", "record.zip"
# Files of a record that are published.
RECORD = ("run.yaml", "events.jsonl", "llm.jsonl", "messages.jsonl", "result.json")


def clear(site: Path, runs: Collection[str]) -> None:
    """Delete the pages of earlier runs from a site.

    Raises:
        FileExistsError: the folder contains other things than a site.
        OSError: a file cannot be deleted.
    """
    if others := sorted({path.name for path in site.glob("*")} - CONTENTS):
        raise FileExistsError(f"the folder contains {others[0]}, which is not part of a site")
    for archive in sorted(site.glob(f"runs/**/{ARCHIVE}")):
        place = archive.parent
        if place.relative_to(site / "runs").as_posix() not in runs:
            for name in (PAGE, PICTURE, ARCHIVE):
                (place / name).unlink(missing_ok=True)
            if not any(place.iterdir()):
                place.rmdir()


def write_run(
    name: str, folder: Path, site: Path, progress: Callable[[int], None] = lambda _: None
) -> Built:
    """Write the page, the picture and the record of a run into a site.

    Raises:
        OSError: a file cannot be written.
    """
    place, picture = site / "runs" / name, Picture()
    home = "../" * len(Path("runs", name).parts) + "index.html"
    built = build(folder, place / PAGE, progress, home=home, picture=picture)
    (place / PICTURE).write_text(picture.svg(), encoding="utf-8")
    with ZipFile(place / ARCHIVE, "w", ZIP_DEFLATED) as archive:
        for file in RECORD:
            _add(archive, folder, file)
    return built


def _add(archive: ZipFile, folder: Path, name: str) -> None:
    try:
        source = open_of_run(folder / name)
    except OSError:  # the run lacks this file, or it is a link
        return
    with source, archive.open(f"{folder.name}/{name}", "w", force_zip64=True) as copy:
        if name == "result.json":  # not the place of the run on this machine
            place = f'"run_dir": {json.dumps(folder.name)}'.encode()
            copy.write(re.sub(RUN_DIR, lambda _: place, source.read()))
        else:
            shutil.copyfileobj(source, copy)


def write_tables(runs: Runs, site: Path) -> None:
    """Write all events as Parquet files, in one archive.

    Raises:
        OSError: the file cannot be written.
    """
    with TemporaryDirectory() as folder, ZipFile(site / TABLES, "w", ZIP_DEFLATED) as archive:
        for path in runs.to_parquet(Path(folder)):
            archive.write(path, f"parquet/{path.name}")


def draw_figures(runs: Runs, site: Path, complain: Callable[[str], None]) -> dict[str, list[str]]:
    """Draw the figures of each scenario from its runs. Return their addresses in the site.

    Raises:
        OSError: a file cannot be written.
    """
    from voxpolis.analysis.figures import FigureError, save_all  # noqa: PLC0415  (matplotlib loads slowly)

    folders: dict[str, list[Path]] = {}
    for row in runs.runs.to_dict("records"):
        name = row["scenario"] if isinstance(row["scenario"], str) else ""
        folders.setdefault(printable(name), []).append(Path(row["run"]))
    drawn: dict[str, list[str]] = {}
    for scenario, own in sorted(folders.items()):
        place = site / "figures" / (re.sub(r"\W", "_", scenario)[:MAX_NAME] or "other")
        paths = drawn[scenario] = []
        try:
            for path in save_all(runs.part(own), place, formats=[Format.SVG], complain=complain):
                paths.append(path.relative_to(site).as_posix())
        except FigureError as error:
            complain(f"{scenario}: {error}")
    return drawn


def write_index(
    runs: Mapping[str, Path],
    site: Path,
    figures: Mapping[str, Sequence[str]] = MappingProxyType({}),
    problems: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Path:
    """Write the index of a site, with the figures of each scenario. ``problems`` lists the
    unreadable parts of runs.

    Raises:
        OSError: the file cannot be written.
    """
    links = {}
    for name in runs:
        at = f"runs/{quote(name)}"
        links[name] = Links(f"{at}/{PAGE}", f"{at}/{PICTURE}", {"record": f"{at}/{ARCHIVE}"})
    cards = cards_of(runs, problems)
    shown = "".join(
        _figures(
            scenario,
            paths,
            [card for card in cards if card.facts.get("scenario", "") == scenario],
            links,
        )
        for scenario, paths in figures.items()
        if paths
    )
    heading = "<h2>Figures</h2><p>Each figure shows all runs of a scenario that have its data.</p>"
    more = f"<section id='all'>{heading}{shown}</section>" if shown else ""
    if (site / TABLES).exists():
        more += f"<p><a href='{TABLES}' download>All events as tables (Parquet)</a></p>"
    marks = {"__RUN__": f"runs/*/{PAGE}", "__HOME__": "index.html"}
    (site / "side.html").write_text(filled("side.html", marks), encoding="utf-8")
    path = site / "index.html"
    path.write_text(index(cards, links, more=more), encoding="utf-8")
    return path


def _figures(
    scenario: str, paths: Sequence[str], cards: Sequence[Card], links: Mapping[str, Links]
) -> str:
    """Return the figures of a scenario as HTML, with links to the runs they show."""
    e = html.escape
    runs = ""
    for card in cards:
        name = e(f"{card.title}, {card.name.rpartition('/')[2]}")
        runs += f"<li><a href='{e(links[card.name].page)}'>{name}</a></li>"
    drawn = ""
    for path in paths:
        name = e(Path(path).stem.replace("_", " "))
        image = f"<img src='{quote(path)}' alt='{name}' loading='lazy'>"
        drawn += (
            f"<figure><figcaption>{name}</figcaption><a href='{quote(path)}'>{image}</a></figure>"
        )
    count = f"{many(len(paths), 'figure')} of {many(len(cards), 'run')}"
    return (
        f"<details class='drawn' data-scenario='{e(scenario)}'>"
        f"<summary>{e(title_of({'scenario': scenario}, ''))}: {count}</summary>"
        f"<p>These figures show:</p><ul>{runs}</ul><div>{drawn}</div></details>"
    )
