"""Writes a folder of static pages that can be published: an index of runs, and a page for each run.

The pages work from any web server, and from the disk. A run's page is ``runs/NAME/index.html``, and
its record is beside it for download.
"""

from __future__ import annotations

import html
import json
import re
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from urllib.parse import quote
from zipfile import ZIP_DEFLATED, ZipFile

from voxpolis.analysis.loading import Runs
from voxpolis.analysis.report.build import Built, build
from voxpolis.analysis.report.gallery import Links, cards_of, index
from voxpolis.analysis.report.picture import Picture
from voxpolis.analysis.report.run_list import filled
from voxpolis.records.files import open_of_run

# Archive of all events as tables.
TABLES = "parquet.zip"
# Everything that a site contains.
CONTENTS = {"index.html", "side.html", "runs", "figures", TABLES}
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


def write_index(
    runs: Mapping[str, Path],
    site: Path,
    figures: Sequence[Path] = (),
    problems: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> Path:
    """Write the index of a site, with its figures. ``problems`` lists the unreadable parts of runs.

    Raises:
        OSError: the file cannot be written.
    """
    links = {}
    for name in runs:
        at = f"runs/{quote(name)}"
        links[name] = Links(f"{at}/{PAGE}", f"{at}/{PICTURE}", {"record": f"{at}/{ARCHIVE}"})
    shown = "".join(_figures(site, figures))
    heading = "<h2>Figures of all runs</h2>"
    more = f"<section id='all'>{heading}<div id='figures'>{shown}</div></section>" if shown else ""
    if (site / TABLES).exists():
        more += f"<p><a href='{TABLES}' download>All events as tables (Parquet)</a></p>"
    marks = {"__RUN__": f"runs/*/{PAGE}", "__HOME__": "index.html"}
    (site / "side.html").write_text(filled("side.html", marks), encoding="utf-8")
    path = site / "index.html"
    path.write_text(index(cards_of(runs, problems), links, more=more), encoding="utf-8")
    return path


def _figures(site: Path, figures: Sequence[Path]) -> Iterator[str]:
    for path in figures:
        name = html.escape(path.stem.replace("_", " "))
        address = quote(path.relative_to(site).as_posix())
        yield f"<figure><figcaption>{name}</figcaption><img src='{address}' alt='{name}'></figure>"
