"""A published site of runs, opened from the disk in a real browser."""

from __future__ import annotations

import json
import re
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from zipfile import ZipFile

import pytest

from tests.browser import until, violations
from tests.pages import made, run_app, written
from voxpolis.analysis.report.gallery import cards_of
from voxpolis.analysis.report.picture import picture_of
from voxpolis.records import RunWriter, events, read_record

NASTY = (
    "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>" + 60 * "W"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """A site of a game with a contract, and of a stranger's record full of markup."""
    runs, out = tmp_path_factory.mktemp("runs"), tmp_path_factory.mktemp("site")
    made("double_vein", runs, "--world", "grid", "--contract", "1")
    folder = written(
        runs / "made_up" / "nasty",
        (events.Chat, NASTY, {"text": NASTY}),
        (
            events.WorldBuilt,
            None,
            {"ground": [(NASTY, 0, 0, 4, 4)], "blocks": {NASTY: [(1, 0, 1)]}},
        ),
        (events.PositionSampled, NASTY, {"position": (1.0, 0.0, 2.0)}),
    )
    result = {"runs": [{"condition": NASTY, "agents": {NASTY: {"reward": 3.0}}}]}
    (folder / "result.json").write_text(json.dumps(result))
    (folder / "run.yaml").write_text(json.dumps({"scenario": NASTY, "mind": NASTY, "game": NASTY}))
    assert run_app(["site", str(runs), "--out", str(out), "--figures"]) in (0, None)
    return out


def test_runs_are_searched_and_filtered_in_the_index(opened, site):
    page = opened(site / "index.html")
    assert "Scripted minds played all of them" in page.inner_text("#summary")
    assert page.inner_text("#count") == "2 of 2"
    card = page.locator(".run:visible", has_text="Double vein, contract 1")
    for told in ("welfare\n78 of 78", "Glitch gets 41", "scripted, no language model"):
        assert told in card.inner_text()
    until(
        page,
        "[...document.querySelectorAll('.run img')].every(image => image.naturalWidth === 320)",
    )
    page.fill("[name=words]", "glitch GIZMO")
    until(page, "document.getElementById('count').textContent === '1 of 2'")
    page.reload()
    assert page.inner_text("#count") == "1 of 2", "the address keeps the words"
    page.fill("[name=words]", "")
    page.select_option("[name=scenario]", label=NASTY)
    until(page, "document.getElementById('count').textContent === '1 of 2'")
    assert not card.is_visible()
    page.select_option("[name=scenario]", value="")
    for order, first in (("number", "Double vein"), ("scenario", NASTY)):
        page.select_option("#sort", value=order)
        assert first.lower() in page.locator(".run h2").first.inner_text().lower()
    (group,) = page.locator(".drawn").all()
    assert re.fullmatch(r"Double vein: \d+ figures of 1 run", group.inner_text())
    page.select_option("[name=scenario]", label=NASTY)
    assert group.is_hidden()
    page.select_option("[name=scenario]", value="double_vein")
    group.locator("summary").click()
    until(page, "document.querySelector('.drawn img').naturalWidth > 0")
    assert group.locator("li a").get_attribute("href") == card.locator("h2 a").get_attribute("href")
    page.select_option("[name=scenario]", value="")
    page.fill("[name=words]", "nonsense")
    assert page.is_hidden("#all"), "no run matches"
    page.fill("[name=words]", "")
    page.uncheck("#moving")
    until(
        page,
        "[...document.querySelectorAll('.run img')].every(image => image.src.endsWith('#still'))",
    )
    assert page.evaluate("window.hacked") is None


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1280)])
def test_the_index_is_accessible(opened, site, scheme, width):
    page = opened(site / "index.html", width=width, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    is_cut = "[...document.querySelectorAll('.run > *')].filter(e => e.scrollWidth > e.clientWidth)"
    assert page.evaluate(f"{is_cut}.map(e => e.textContent)") == [], "long names are wrapped"
    assert violations(page) == []


def test_a_site_on_a_web_server_shows_two_runs_side_by_side(opened, site):
    assert not opened(site / "index.html").locator("[name=run]").count(), "not from the disk"
    handler = partial(SimpleHTTPRequestHandler, directory=site)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = opened(site / "index.html")
        page.goto(f"http://127.0.0.1:{server.server_address[1]}/")
        for box in page.locator("[name=run]").all():
            box.check()
        page.click("#beside")
        page.wait_for_selector("html[data-ready=yes]", state="attached")
        assert page.inner_text("#play") == "Play", "people who want less motion start it"
        assert "Glitch gets 41" in page.inner_text("main")
        page.click("section a >> nth=0")
        page.wait_for_selector("#timeline")
        server.shutdown()


def test_a_card_leads_to_the_run_and_to_its_record(opened, site, tmp_path):
    page = opened(site / "index.html")
    page.click("text=Double vein, contract 1")
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    assert page.inner_text("#tiles div >> nth=0") == "welfare\n78 of 78"
    assert str(site.parent) not in page.content()
    page.click("#all-runs")
    page.wait_for_selector("#runs")
    (archive,) = site.glob("runs/double_vein/*/record.zip")
    with ZipFile(archive) as file:
        file.extractall(tmp_path)
    (folder,) = tmp_path.iterdir()
    assert read_record(folder).of(events.RunEnded)
    with ZipFile(site / "parquet.zip") as file:
        assert "parquet/runs.parquet" in file.namelist()


def test_a_new_site_replaces_the_old_one_and_nothing_else(tmp_path, capsys):
    runs, out = tmp_path / "runs", tmp_path / "site"
    for name in ("älter", "other"):
        written(runs / name, (events.Chat, "Ann", {"text": "Hello"}))
        (runs / name / "result.json").write_text(json.dumps({"run_dir": str(runs / name)}))
    assert run_app(["site", str(runs), "--out", str(out)]) in (0, None)
    assert run_app(["site", str(runs / "älter"), "--out", str(out)]) in (0, None)
    (page,) = out.glob("runs/**/index.html")
    assert str(tmp_path) not in page.read_text()
    with ZipFile(page.parent / "record.zip") as archive:
        assert json.loads(archive.read("älter/result.json"))["run_dir"] == "älter"
    assert run_app(["site", str(runs), "--out", str(runs)]) == 2
    assert "not part of a site" in capsys.readouterr().err
    assert (runs / "other" / "events.jsonl").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["figures", "--only", "roles"], "the closest is roles_"),
        (["film", "--out", "x.avi"], "gif, mp4"),
        (["report", "--out", "x.txt"], "html"),
    ],
)
def test_an_unknown_figure_or_format_is_refused_in_one_line(tmp_path, capsys, words, told):
    written(tmp_path / "a", (events.Chat, "Ann", {"text": "Hello"}))
    assert run_app([*words, str(tmp_path)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert told in line


def test_the_figures_are_listed(capsys):
    assert run_app(["figures", "--list"]) in (0, None)
    assert "roles_at_the_end" in capsys.readouterr().out.split()


def test_folders_without_a_manifest_and_empty_records_are_reported(tmp_path, capsys):
    for name in ("a", "b"):
        written(tmp_path / name, (events.Chat, "Ann", {"text": "Hello"}))
        (tmp_path / name / "result.json").write_text('{"mean": {}}')
    (tmp_path / "a" / "run.yaml").unlink()
    (tmp_path / "b" / "events.jsonl").write_text("")
    assert run_app(["show", str(tmp_path)]) in (0, None)
    shown = capsys.readouterr()
    assert shown.out.splitlines()[1].split()[-1] == "no", "the run's events are lost"
    assert f"left out: {tmp_path / 'a'}" in shown.err
    assert "events.jsonl: empty" in shown.err


def test_a_picture_shows_agents_that_move_and_blocks_that_vanish(tmp_path):
    folder = made("double_vein", tmp_path, "--world", "grid", "--contract", "1")
    picture = picture_of(folder)
    assert picture.count("animation:a") == 2, "both players move"
    assert "opacity:0" in picture, "ore is dug"
    assert "<polyline" in picture
    assert "Items that all agents hold</text>" in picture
    assert "prefers-reduced-motion" in picture
    lake = made("fishing", tmp_path / "lake", "--runs", "1", "--world", "grid")
    assert "Fish in the lake</text>" in picture_of(lake)
    assert re.search(r'points="8,(\S+) (\d+),\1 \2,', picture_of(lake)), "level between changes"
    seated = picture_of(written(tmp_path / "talk", (events.Chat, NASTY, {"text": NASTY})))
    assert seated.count("<circle") == 1
    assert "script" not in seated


def test_other_runs_do_not_change_the_card_of_a_run(tmp_path):
    runs = {}
    for kind in ("planner", "human"):
        runs[kind] = tmp_path / kind
        manifest = {"scenario": "made_up", "condition": "none", "agents": {"Ann": kind}}
        runs[kind].mkdir()
        RunWriter(runs[kind], {**manifest, "config": {"kind": kind}}).close()
    assert cards_of(runs) == [card for name in runs for card in cards_of({name: runs[name]})]
