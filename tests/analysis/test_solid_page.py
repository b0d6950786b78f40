"""The 3D view of a run, and its film, in a real browser."""

from __future__ import annotations

import io
import math
import sys
import threading
import time
import zipfile

import imageio_ffmpeg
import pytest
from PIL import Image

from tests.browser import open_page, until, violations
from tests.pages import reported, run_app, written
from voxpolis.analysis.report.encoder import TimelineEncoder
from voxpolis.analysis.report.film import EDGE, LINE, Cut, FilmError, shoot
from voxpolis.records import RunWriter, SimulatedClock, events

# --- In three dimensions -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def hill(tmp_path_factory):
    """The report of a run in natural land: Ada digs a shaft into a hill, and finds iron."""
    folder, clock = tmp_path_factory.mktemp("hill"), SimulatedClock()
    heights = [70 if x > 7 else 63 for _ in range(16) for x in range(16)]
    land = {"names": ["grass_block", "water"], "heights": heights, "tops": [0] * 256}
    with RunWriter(folder, {"scenario": "made_up", "mind": "scripted"}, clock) as writer:
        for x, z in ((0, 0), (16, 0), (0, 16)):
            writer.event(events.LandSeen, "Ada", x=x, z=z, above=[(1, 0, 0, 64, 64)], **land)
        writer.event(events.TaskStarted, "Ada", task="Mine iron", context="", obtain={})
        for second, y in enumerate(range(70, 62, -1), start=1):
            clock.set(second)
            writer.event(events.BlockDug, "Ada", block="stone", position=(9, y, 9))
            writer.event(events.PositionSampled, "Ada", position=(9.5, y, 9.5))
        writer.event(events.BlocksBared, "Ada", blocks=[("iron_ore", 8, 64, 9)])
        writer.event(events.Inventory, "Ada", items={"iron_ore": 3})
        clock.set(20)
        writer.event(events.Chat, "Ada", text="Iron!")
    return reported(folder)


def changes(page, seen, act=lambda: None):
    """Act on the page, and wait until the view shows a new image."""
    act()
    clip, deadline = page.locator("#view").bounding_box(), time.monotonic() + 120
    while (now := page.screenshot(clip=clip)) in seen:
        assert time.monotonic() < deadline, "the view stays as it is"
    seen.append(now)


def test_the_3d_view_can_be_turned_and_cut(opened, hill):
    page, seen = opened(hill, "#t=20&agent=Ada", width=800), []
    changes(page, seen)
    changes(page, seen, lambda: page.click("#as-solid"))
    until(page, "location.hash == '#t=20&agent=Ada&view=3d'")
    view = Image.open(io.BytesIO(seen[-1])).convert("RGB")
    left, top = view.width // 2, view.height * 3 // 10
    ground = view.crop((left, top, left + 60, top + 60)).getcolors(1 << 24)
    assert len(ground) > 100  # textures; blocks of one colour each have about 20
    for key in ("Shift+ArrowLeft", "Shift+ArrowUp", "ArrowRight", "+"):
        changes(page, seen, lambda key=key: page.press("#scene3d", key))
    changes(page, seen, lambda: page.click("#free"))
    cut = """() => {
        const slice = document.getElementById('slice')
        slice.value = 64
        slice.dispatchEvent(new Event('input'))
    }"""
    changes(page, seen, lambda: page.evaluate(cut))
    assert page.inner_text("#slice-at") == "up to 64"
    assert page.get_attribute("#scene3d", "aria-label") == "Map at 0:20.0: Ada at 10, 10"
    assert violations(page) == []
    page.click("#as-plan")
    until(page, "location.hash == '#t=20&agent=Ada'")


def test_the_page_opens_in_3d_where_a_graphics_card_draws(browser, hill):
    with browser.new_context() as context:
        context.add_init_script(
            """const real = WebGL2RenderingContext.prototype.getParameter
            WebGL2RenderingContext.prototype.getParameter = function (name) {
              const answer = real.call(this, name)
              return typeof answer === 'string' ? 'A graphics card' : answer
            }"""
        )
        page, complaints = open_page(context, hill.as_uri() + "#t=20")
        assert page.get_attribute("#as-solid", "aria-pressed") == "true"
        page.click("#as-plan")
        until(page, "location.hash == '#t=20&view=plan'")
        page.reload()
        page.wait_for_selector("html[data-ready=yes]", state="attached")
        assert page.get_attribute("#as-solid", "aria-pressed") == "false"
        assert complaints == []


def test_agents_at_one_spot_are_drawn_around_it(opened, hill):
    page = opened(hill)
    (first, second, third, far) = page.evaluate(
        """async () => {
            const { apart } = await import('report/walk.js')
            return apart([[3, 0, 3], [3, 0, 3], [3, 0, 3], [9, 0, 3]], 1)
        }"""
    )
    assert (first, far) == ([3, 0, 3], [9, 0, 3])
    assert all(1 <= math.dist(one, first) < 2 for one in (second, third))
    assert math.dist(second, third) >= 1


def test_figures_have_the_colours_of_converts(opened, tmp_path):
    ground = {"ground": [("land", 0.0, 0.0, 9.0, 9.0)]}
    people = (("Ann", 2), ("Priest", 6))
    folder = written(
        tmp_path / "religion",
        (events.WorldBuilt, None, ground),
        *((events.PositionSampled, name, {"position": (x, 0, 4)}) for name, x in people),
        (events.Converted, "Priest", {"position": (6, 0, 4), "level": 1, "believed": True}),
    )
    page, seen = opened(reported(folder), "#t=9&view=plan", width=800), []
    changes(page, seen)
    changes(page, seen, lambda: page.click("#as-solid"))
    view = Image.open(io.BytesIO(seen[-1])).convert("RGB").crop((0, 120, 800, 500))
    found = [colour for _, colour in view.getcolors(1 << 24)]
    assert any(red > 150 and blue < red / 4 for red, _, blue in found), "the priest's colour"
    assert not any(blue > 100 and red < blue / 4 for red, _, blue in found), "no agent's own colour"


def test_the_page_shows_blocks_where_the_record_has_them(opened, hill):
    """Checks the page's blocks above and below ground, before and after digging."""
    page = opened(hill, "#view=3d")
    stands = page.evaluate(
        """async () => {
            const { Voxels } = await import('report/voxels.js')
            const land = { x: 0, z: 0, names: ['grass_block', 'water'], tops: Array(256).fill(0) }
            const heights = Array(256).fill(63)
            const model = {
                worlds: [], columns: [], points: [],
                lands: [{ ...land, heights, above: [[1, 0, 0, 64, 65]] }],
                bared: [{ block: 'iron_ore', x: 5, y: 50, z: 5 }],
                places: [
                    { t: 5, block: 'air', x: 3, y: 63, z: 3 },
                    { t: 9, block: 'torch', x: 3, y: 63, z: 3 }
                ]
            }
            const voxels = new Voxels(model, { t: 0, ground: [], blocks: {}, places: {} })
            const at = (x, y, z, t) => voxels.at(x, y, z, t)
            const chunk = voxels.chunks.get('0,0')
            const seen = [...voxels.seen(chunk, 7, 50)].filter(({ y }) => y === 50)
            return {
                shaft: [4, 5, 9].map((t) => at(3, 63, 3, t)),
                depths: [64, 63, 62, 60, 59].map((y) => at(8, y, 8, 0)),
                water: [at(0, 65, 0, 0), at(0, 66, 0, 0)],
                ore: at(5, 50, 5, 0),
                outside: at(20, 60, 0, 0),
                changed: [...voxels.changedBetween(4, 6)],
                still: [...voxels.changedBetween(6, 8)],
                cut: [seen.length, new Set(seen.map(({ x, z }) => 16 * z + x)).size]
            }
        }"""
    )
    assert stands == {
        "shaft": ["grass_block", "", "torch"],
        "depths": ["", "grass_block", "dirt", "dirt", "unseen rock"],
        "water": ["water", ""],
        "ore": "iron_ore",
        "outside": "",
        "changed": ["0,0"],
        "still": [],
        "cut": [256, 256],
    }


def test_each_episode_is_framed_by_its_own_people_and_places(opened, hill):
    """Distant villages do not count, and neither does a position when the next episode begins."""
    encoder = TimelineEncoder()
    ground = [("land", 0.0, 0.0, 2000.0, 0.0)]
    for t, places, ways in (
        (
            0.0,
            {"camp": (10.0, 0.0, 5.0), "camp 2": (2000.0, 0.0, 0.0)},
            [(0, 0), (20, 30), (50, 50)],
        ),
        (60.0, {"kitchen": (0.0, 0.0, 0.0)}, [(-1, -2), (3, 4), (3, 4)]),
    ):
        built = {"kind": "world_built", "agent": None, "ground": ground, "blocks": {}}
        encoder.take({**built, "places": places, "episode": 0, "t": t})
        for second, (x, z) in zip((0, 30, 60), ways, strict=True):
            moved = {"kind": "position", "agent": "Ada", "position": (x, 0.0, z)}
            encoder.take({**moved, "episode": 0, "t": t + second})
    extents = opened(hill).evaluate(
        """async (head) => {
            const { Model } = await import('report/model.js')
            const model = new Model(null)
            model.add(head)
            return model.worlds.map((world) => Object.values(model.extent(world)))
        }""",
        encoder.batch(),
    )
    assert extents == [[0, 20, 0, 30], [-1, 3, -2, 4]]  # west, east, north, south


def test_the_plan_shows_the_scenery_of_places(opened, tmp_path):
    built = {"ground": [("land", 0.0, 0.0, 9.0, 9.0)], "places": {"water": (0.0, 0.0, 0.0)}}
    seen = events.PositionSampled, "Ada", {"position": (9, 0, 9)}
    page = opened(reported(written(tmp_path / "run", (events.WorldBuilt, None, built), seen)))
    plan = Image.open(io.BytesIO(page.locator("#map").screenshot())).convert("RGB")
    counts = {colour: count for count, colour in plan.getcolors(1 << 24)}
    blue = sum(n for (red, _, bright), n in counts.items() if bright - red > 80)
    assert blue > plan.width * plan.height / 20


def test_a_resource_pack_gives_blocks_its_textures(opened, hill, tmp_path):
    """Grey textures take the colour of their block, such as grass; others keep their own."""
    pack, png = tmp_path / "pack.zip", io.BytesIO()
    Image.new("RGB", (16, 32), (255, 0, 255)).save(png, "png")
    with zipfile.ZipFile(pack, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("pack.mcmeta", "{}")
        archive.writestr("assets/minecraft/textures/block/grass_block_top.png", png.getvalue())
    page, seen = opened(hill, "#t=20&view=3d", width=800), []
    changes(page, seen)
    changes(page, seen, lambda: page.set_input_files("#pack", pack))
    view = Image.open(io.BytesIO(seen[-1])).convert("RGB")
    colours = view.getcolors(1 << 24)
    pink = sum(count for count, (red, green, blue) in colours if red == blue > 2 * green)
    assert pink > view.width * view.height / 20
    page.set_input_files("#pack", hill)
    until(
        page,
        f"document.getElementById('state').textContent === 'Cannot use {hill.name}: it is "
        "no ZIP archive'",
    )


def test_the_plan_is_shown_if_webgl_is_missing(browser, hill):
    context = browser.new_context()
    context.add_init_script(
        """const { getContext } = HTMLCanvasElement.prototype
        HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
            return kind.startsWith('webgl') ? null : getContext.call(this, kind, ...rest)
        }"""
    )
    page, complaints = open_page(context, hill.as_uri() + "#view=3d")
    assert page.is_visible("#map")
    assert "lacks WebGL 2" in page.inner_text("#no-solid")
    assert complaints == []
    context.close()


# --- Films -------------------------------------------------------------------------------------


def test_a_film_shows_moments_and_the_outcome(browser, hill, tmp_path):
    made = []
    cut = Cut(seconds=0.4, rate=10, width=320, end=20.0)
    shoot(browser, hill.parent, tmp_path / "film.gif", cut, made.append)
    with Image.open(tmp_path / "film.gif") as film:
        assert film.size == (320, 180 + EDGE + 2 * LINE)
        durations, pictures = [], []
        for number in range(film.n_frames):
            film.seek(number)
            durations.append(film.info["duration"])
            pictures.append(film.convert("RGB").tobytes())
    assert made == [1, 2, 3, 4]
    assert len(set(pictures)) == 4, "the last one stays, and is one picture"
    assert sum(durations) == 400 + 2000
    with pytest.raises(FilmError, match=r"the run ends at 20 s, .* at 30 s"):
        shoot(browser, hill.parent, tmp_path / "late.gif", Cut(begin=30.0))
    with pytest.raises(FilmError, match=r"there is no agent 'Nobody' in .*; there are: "):
        shoot(browser, hill.parent, tmp_path / "nobody.gif", Cut(agent="Nobody"))


def test_a_film_of_the_plan_hides_the_page_behind(browser, tmp_path):
    ground = {"ground": [("grass_block", 0, 0, 4, 40)], "blocks": {}}
    folder = written(
        tmp_path / "a",
        (events.WorldBuilt, None, ground),
        (events.PositionSampled, "Ada", {"position": (1.0, 0.0, 1.0)}),
        (events.PositionSampled, "Ada", {"position": (2.0, 0.0, 1.0)}),
    )
    shoot(browser, folder, tmp_path / "film.gif", Cut(seconds=0.2, width=320, is_solid=False))
    with Image.open(tmp_path / "film.gif") as film:
        beside = film.convert("RGB").crop((0, 0, 80, 180))
    assert len(beside.getcolors()) == 1, "the header of the page is shown"


def test_an_mp4_film_has_the_same_frames(browser, hill, tmp_path):
    shoot(browser, hill.parent, tmp_path / "film.mp4", Cut(seconds=0.4, width=321, end=20.0))
    frames = imageio_ffmpeg.read_frames(str(tmp_path / "film.mp4"))
    assert next(frames)["size"] == (320, 180 + EDGE + 2 * LINE)
    pictures = list(frames)
    assert len(pictures) == 4 + 20
    assert len({hash(picture) for picture in pictures[:4]}) == 4


@pytest.mark.parametrize(
    ("lacking", "options", "says"),
    [
        ("playwright.sync_api", [], "[film]' && playwright install chromium"),
        (None, ["--out", "a.gif"], "no browser can be started"),
    ],
)
def test_a_missing_browser_is_reported_with_the_command_that_installs_it(
    tmp_path, monkeypatch, capsys, lacking, options, says
):
    written(tmp_path / "a", (events.Chat, "Anna", {"text": "Hello"}))
    monkeypatch.setenv("VOXPOLIS_BROWSER", str(tmp_path / "nowhere"))
    if lacking:
        monkeypatch.setitem(sys.modules, lacking, None)
    ran = []
    # Playwright allows one event loop per thread, and the test browser uses this thread's.
    thread = threading.Thread(
        target=lambda: ran.append(run_app(["film", str(tmp_path / "a"), *options]))
    )
    thread.start()
    thread.join()
    assert ran == [2]
    (line,) = capsys.readouterr().err.splitlines()
    assert says in line
