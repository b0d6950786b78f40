"""Reports of runs for tests: creating, opening and navigating them."""

from __future__ import annotations

import os

from tests.browser import until
from tests.conftest import run_module
from voxpolis.analysis.__main__ import app
from voxpolis.records import RunWriter
from voxpolis.records.process import LOCK_FILE


def made(name, out, *options):
    ran = run_module(f"scenarios.{name}", "--out", str(out), "--json", *options)
    assert ran.returncode == 0, ran.stderr
    (folder,) = out.glob("*/*/")
    return folder


def reported(folder, *options):
    done = run_module("analysis", "report", str(folder), *options)
    assert done.returncode == 0
    assert done.stderr.startswith("1 run found; writing report.html in it\n")
    assert done.stdout.split() == [str(folder / "report.html")]
    return folder / "report.html"


def go_to(page, share):
    """Move the slider to a fraction of the run's time."""
    page.evaluate(
        """share => {
            const slider = document.getElementById('time')
            slider.value = share * slider.max
            slider.dispatchEvent(new Event('input'))
        }""",
        share,
    )


def wait_for_feed(page, text):
    """Wait until the list of events shows the current moment and contains a text."""
    is_drawn = "feed.getAttribute('aria-busy') === 'false' && feed.textContent.includes(text)"
    until(
        page, f"text => {{ const feed = document.getElementById('feed'); return {is_drawn} }}", text
    )


def written(folder, *noted):
    """Yield a writer for a record as from another machine, whose process state is unknown."""
    folder.mkdir(parents=True)
    with RunWriter(folder, {"scenario": "made_up", "mind": "scripted", "seed": 3}) as writer:
        for kind, agent, fields in noted:
            writer.event(kind, agent, **fields)
    (folder / LOCK_FILE).unlink()
    return folder


def long_silent(folder):
    """Make a run look silent for a long time, with its process in an unknown state."""
    (folder / LOCK_FILE).unlink(missing_ok=True)
    for path in folder.glob("*.jsonl"):
        os.utime(path, (0, 0))


def run_app(words):
    """Run a command of ``python -m analysis``, and return its exit code."""
    try:
        app(words)
    except SystemExit as end:
        return end.code
