"""A page of a long record of many agents, in a real browser."""

from __future__ import annotations

import json
import os
import random

from tests.browser import until
from tests.pages import go_to, reported

#: Of the record; LARGE_REPORT_MB=100 makes the one of docs/benchmarks.md.
MEGABYTES = int(os.environ.get("LARGE_REPORT_MB", "25"))


def test_a_large_record_of_500_agents_stays_usable(opened, tmp_path):
    """Each step is done when its outcome is on the page; how long it took is not judged here."""
    folder = tmp_path / "runs" / "large"
    folder.mkdir(parents=True)
    (folder / "run.yaml").write_text("scenario: religion\nmind: scripted\n")
    length = write_large(folder / "events.jsonl", MEGABYTES * 1_000_000)
    page = opened(reported(folder))
    assert (folder / "report.html").stat().st_size < 0.3 * MEGABYTES * 1_000_000
    for share in (0.9, 0.1, 0.5):
        go_to(page, share)
        until(
            page,
            """t => { const first = document.querySelector('#feed li time');
                return first && Math.abs(seconds(first.textContent) - t) < 11
                function seconds(text) {
                    return text.split(':').reduce((sum, part) => 60 * sum + Number(part), 0) } }""",
            share * length,
        )
    page.fill("#search", "needle")
    go_to(page, 1.0)
    until(page, "document.querySelectorAll('#feed li b').length == 1")
    assert page.inner_text("#feed li").endswith("“a needle” (0 hear)")


def write_large(path, size):
    """Positions and talk of 500 agents; gives their last second."""
    chance, t = random.Random(0), 0
    names = [f"P{number}" for number in range(500)]
    head = '{{"t":{t},"episode":0,"agent":"{name}","kind":"{kind}","position":[{x},0.0,{z}]'
    heard = [json.dumps(chance.sample(names, 6)) for _ in range(1000)]
    with path.open("w") as file:
        while file.tell() < size:
            t += 10
            lines = []
            for name in names:
                x, z = chance.randrange(1000), chance.randrange(1000)
                lines.append(head.format(t=t, name=name, kind="position", x=x, z=z) + "}")
            for name in chance.sample(names, 150):
                said = head.format(t=t, name=name, kind="spoke", x=1.0, z=2.0)
                what = f"Have you heard of {chance.randrange(1000)}?"
                lines.append(f'{said},"text":"{what}","hearers":{chance.choice(heard)}}}')
            if t == 50:
                said = head.format(t=t, name=names[0], kind="spoke", x=1.0, z=2.0)
                lines.append(f'{said},"text":"a needle","hearers":[]}}')
            file.write("\n".join(lines) + "\n")
    return t
