"""Makes a film of a run from the page's view of the world, with captions below.

The page draws the frames in a headless browser, so a film shows the same as the page.
"""

from __future__ import annotations

import contextlib
import functools
import io
import itertools
import os
import shutil
import subprocess
import tempfile
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from voxpolis import environment
from voxpolis.analysis.report.build import build
from voxpolis.analysis.report.run_list import run_state
from voxpolis.analysis.report.story import Chapters
from voxpolis.records import RunReader
from voxpolis.records.outcome import outcome

if TYPE_CHECKING:
    from PIL import Image, ImageFont
    from playwright.sync_api import Browser, Page

# Browsers that are tried if VOXPOLIS_BROWSER is not set.
INSTALLED = ("chromium", "chromium-browser", "google-chrome")
PATIENCE_MS = 120_000
# Number of colours in a GIF; a few are enough, because blocks have flat colours.
COLOURS = 224
# Caption strip below the frame, in pixels: padding, and line height.
EDGE, MARGIN, LETTERS, LINE = 10, 10, 14, 18
# Minimum and maximum number of lines in a caption strip, depending on the outcome.
LEAST_LINES, MOST_LINES = 2, 8
# Seconds for which the outcome is shown at the end.
LAST_S = 2.0
_SHOW = """t => {
    const slider = document.getElementById('time')
    slider.value = String(t)
    slider.dispatchEvent(new Event('input'))
}"""
# True when the frame for the requested moment is complete.
_IS_SHOWN = """([t, isSolid]) => !isSolid
    || document.getElementById('scene3d').dataset.shown === String(t)"""
_AGENTS = "[...document.getElementById('agent').options].slice(1).map(one => one.text)"
_ONLY_THE_WORLD = """height => {
    for (const id of ['views', 'zoom', 'solid-bar', 'key'])
        document.getElementById(id).hidden = true
    const view = document.getElementById('view')
    view.style = `position: fixed; inset: 0 0 auto; z-index: 2; height: ${height}px; min-height: 0;
        background: var(--paper)`
}"""


class FilmError(RuntimeError):
    """A film cannot be made. The message says what is missing."""


class FilmFormat(StrEnum):
    """The format of a film's file."""

    GIF = "gif"
    MP4 = "mp4"


@dataclass(frozen=True)
class Cut:
    """The content of a film, and how it is shown.

    Attributes:
        seconds: duration without the last frame.
        rate: frames per second.
        width: width of a frame in pixels; the height follows from it.
        begin: second of the run at which the film begins.
        end: second of the run at which the film ends; None for the end of the run.
        agent: the agent that the view follows, if any.
        is_solid: True for blocks in 3D, False for a plan seen from above.
    """

    seconds: float = 12.0
    rate: int = 10
    width: int = 720
    begin: float = 0.0
    end: float | None = None
    agent: str | None = None
    is_solid: bool = True


@contextmanager
def open_chromium() -> Iterator[Browser]:
    """Start a headless browser.

    Raises:
        FilmError: no browser is installed.
    """
    try:
        environment.require("film", "playwright", "PIL", "matplotlib")
        from playwright.sync_api import Error, sync_playwright  # noqa: PLC0415  (the group film)
    except ImportError as error:
        how = f"{environment.how_to_add('film')} && playwright install chromium"
        raise FilmError(f"a film needs a browser and extra packages; run: {how}") from error

    named = os.environ.get("VOXPOLIS_BROWSER") or next(
        filter(None, map(shutil.which, INSTALLED)), None
    )
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=named, args=["--no-sandbox"])
        except Error as error:
            raise FilmError(
                "no browser can be started: run playwright install chromium, or set "
                "VOXPOLIS_BROWSER"
            ) from error
        yield browser
        browser.close()


def shoot(
    browser: Browser,
    folder: Path,
    out: Path,
    cut: Cut = Cut(),
    progress: Callable[[int], None] = lambda _: None,
) -> None:
    """Write the film of a run.

    Args:
        browser: draws the frames.
        folder: folder of the run.
        out: the file to write. Its extension selects GIF or MP4.
        cut: what the film shows, and how.
        progress: called with the number of finished frames.

    Raises:
        FilmError: the run has nothing to show, or a program is missing.
        OSError: the file cannot be written.
    """
    ffmpeg = find_ffmpeg() if out.suffix == ".mp4" else ""
    captions = _Captions(folder)
    with tempfile.TemporaryDirectory() as temporary:
        report = Path(temporary) / "report.html"
        build(folder, report)
        page = browser.new_page(viewport={"width": cut.width + 32, "height": 900})
        page.set_default_timeout(PATIENCE_MS)
        drawn = _hold_last_frame(
            _pictures(page, report, folder, cut, captions), round(LAST_S * cut.rate), progress
        )
        out.parent.mkdir(parents=True, exist_ok=True)
        if out.is_symlink():  # in a stranger's folder, a link could point to any file
            out.unlink()
        if ffmpeg:
            _write_mp4(ffmpeg, drawn, out, cut.rate)
        else:
            _write_gif(list(drawn), out, cut.rate)
        page.close()


def find_ffmpeg() -> str:
    """Return the path of ffmpeg, which is part of the package imageio-ffmpeg or installed on the
    system.

    Raises:
        FilmError: ffmpeg is not installed.
    """
    with contextlib.suppress(ImportError, RuntimeError):
        import imageio_ffmpeg  # noqa: PLC0415  (an extra)

        return str(imageio_ffmpeg.get_ffmpeg_exe())
    if found := shutil.which("ffmpeg"):
        return found
    how = environment.how_to_add("film")
    raise FilmError(f"an MP4 needs ffmpeg, a GIF does not; run: {how}")


def _hold_last_frame(
    pictures: Iterator[Image.Image], times: int, progress: Callable[[int], None]
) -> Iterator[Image.Image]:
    for number, picture in enumerate(pictures, start=1):
        progress(number)
        yield picture
    yield from [picture] * times


def _pictures(
    page: Page, report: Path, folder: Path, cut: Cut, captions: _Captions
) -> Iterator[Image.Image]:
    view = {"view": "3d" if cut.is_solid else "plan"}
    agent = {"agent": cut.agent} if cut.agent else {}
    page.goto(f"{report.as_uri()}#{urlencode({'t': cut.begin, **agent, **view})}")
    page.wait_for_selector("html[data-ready=yes]", state="attached")
    there = page.evaluate(_AGENTS)
    if cut.agent and cut.agent not in there:
        names = f"; there are: {', '.join(there)}" if there else ""
        raise FilmError(f"there is no agent {cut.agent!r} in {folder}{names}")
    if cut.is_solid and page.is_visible("#no-solid"):
        raise FilmError("the browser lacks WebGL 2; --view plan works without it")
    height = round(cut.width * 9 / 16)
    page.evaluate(_ONLY_THE_WORLD, height)
    last = float(page.evaluate("document.getElementById('time').max"))
    end = last if cut.end is None else min(cut.end, last)
    if end <= cut.begin:
        raise FilmError(f"the run ends at {last:g} s, before the film's start at {cut.begin:g} s")
    count = max(2, round(cut.seconds * cut.rate))
    lines = len(_lines(captions.outcome, cut.width))
    for number in range(count):
        t = cut.begin + (end - cut.begin) * number / (count - 1)
        page.evaluate(_SHOW, t)
        shown = float(page.evaluate("document.getElementById('time').value"))
        _wait(page, shown, cut.is_solid)
        from PIL import Image  # noqa: PLC0415  (the group film)

        with Image.open(io.BytesIO(page.locator("#view").screenshot())) as drawn:
            picture = drawn.crop((0, 0, cut.width, height))
        is_last = number == count - 1
        yield _captioned(picture, captions.outcome if is_last else captions.at(t), lines)


def _wait(page: Page, t: float, is_solid: bool) -> None:
    """Wait until the page shows a certain moment. Playwright's own wait cannot be used, because the
    security policy of the page blocks it.
    """
    for _ in range(PATIENCE_MS // 20):
        if page.evaluate(_IS_SHOWN, [t, is_solid]):
            return
        page.wait_for_timeout(20)
    raise FilmError("the page does not draw the world")


class _Captions:
    def __init__(self, folder: Path) -> None:
        reader, chapters = RunReader(folder), Chapters()
        self._times: list[float] = []
        self._texts: list[str] = []
        for event in reader.events():
            if title := chapters.title(event):
                name = event.get("agent")
                who = f" ({name})" if name and name not in title else ""
                self._times.append(float(event["t"]))
                self._texts.append(f"{title}{who}")
        self.outcome = outcome(reader.facts(), reader.result(), run_state(folder))

    def at(self, t: float) -> str:
        number = bisect_right(self._times, t) - 1
        chapter = f"   {self._texts[number]}" if number >= 0 else ""
        return f"{int(t // 60)}:{int(t % 60):02d}{chapter}"


def _captioned(picture: Image.Image, text: str, lines: int) -> Image.Image:
    most = min(max(lines, LEAST_LINES), MOST_LINES)
    from PIL import Image, ImageDraw  # noqa: PLC0415  (the group film)

    made = Image.new("RGB", (picture.width, picture.height + EDGE + LINE * most), "#fdfdfb")
    made.paste(picture.convert("RGB"), (0, 0))
    pen, font = ImageDraw.Draw(made), _font()
    shown = _lines(text, picture.width)
    if len(shown) > most:
        shown[most - 1] += " …"
    for number, line in enumerate(shown[:most]):
        pen.text((MARGIN, picture.height + 4 + LINE * number), line, fill="#1d2126", font=font)
    return made


def _lines(text: str, width: int) -> list[str]:
    font, lines = _font(), [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if font.getlength(longer) <= width - 2 * MARGIN:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


@functools.cache
def _font() -> ImageFont.FreeTypeFont:
    """Return the font that matplotlib contains, so that films look the same everywhere."""
    import matplotlib  # noqa: PLC0415  (the group film)
    from PIL import ImageFont  # noqa: PLC0415

    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    return ImageFont.truetype(folder / "DejaVuSans.ttf", LETTERS)


def _write_gif(pictures: Sequence[Image.Image], out: Path, rate: int) -> None:
    from PIL import Image  # noqa: PLC0415  (the group film)

    sample = Image.new("RGB", (pictures[0].width, 3 * pictures[0].height))
    for number, share in enumerate((0, len(pictures) // 2, len(pictures) - 1)):
        sample.paste(pictures[share], (0, number * pictures[0].height))
    palette = sample.quantize(COLOURS, dither=Image.Dither.NONE)
    plain = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures]
    plain[0].save(
        out, save_all=True, append_images=plain[1:], duration=1000 // rate, loop=0, optimize=True
    )


def _write_mp4(ffmpeg: str, pictures: Iterator[Image.Image], out: Path, rate: int) -> None:
    """Write frames to an MP4 file with ffmpeg. If the width or height is odd, one pixel is cut
    off.
    """
    first = next(pictures)
    width, height = (side // 2 * 2 for side in first.size)
    command = [ffmpeg, "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"]
    command += ["-s", f"{width}x{height}", "-r", str(rate), "-i", "-", "-pix_fmt", "yuv420p"]
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*command, str(out)], **pipes) as making:  # type: ignore[call-overload]
        try:
            for picture in itertools.chain([first], pictures):
                making.stdin.write(picture.crop((0, 0, width, height)).tobytes())
        except BrokenPipeError:
            pass  # the reason is printed below
        _, said = making.communicate()
    if making.returncode:
        raise FilmError(f"ffmpeg: {said.decode(errors='replace').strip()}")
