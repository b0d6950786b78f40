"""Golden prompts: one prompt of each role, as ``--show-prompts`` prints it.

After an intended change, run ``python -m tests.bots.test_prompts`` to rewrite the copies, and
review ``git diff tests/data/prompts`` before committing.
"""

from __future__ import annotations

import contextlib
import io
import re
from functools import cache

import pytest

from tests.conftest import ROOT
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.command import command
from voxpolis.experiments.run.registry import scenario as experiment

FOLDER = ROOT / "tests" / "data" / "prompts"
# Commands whose prompts are checked: all scenarios, kinds and stages.
COMMANDS = {
    "double_vein": "double_vein --condition negotiate --compile",
    "double_vein_judged": "double_vein --condition 1 --judge model",
    "double_vein_voyager": "double_vein --condition 1 --agent voyager",
    "double_vein_planner": "double_vein --world grid --agent planner",
    "cleanup_grid": "cleanup --world grid --condition 2 --time-limit 30",
    "harvest_grid": "harvest --world grid --condition negotiate --time-limit 30",
    "matrix": "matrix --condition negotiate --episodes 2",
    "public_goods": "public_goods",
    "fishing": "fishing",
    "crafting_tree": "crafting_tree",
    "crafting_tree_grid": "crafting_tree --condition adasociety --world grid --minutes 1",
    "adasociety_negotiation": "adasociety --game negotiation-easy --set length=60",
    "taxation": "taxation --agents 8",
    "religion": "religion --agents 24",
    "specialisation": "specialisation --condition art --agents 8",
    "specialisation_minecraft": "specialisation --condition normal --world minecraft --agents 2 "
    "--agent Ada=voyager --agent Ben=code_writer",
    "coherence": "coherence --condition full",
    "sentiment": "sentiment --condition chef",
    "items_minecraft": "items --world minecraft --agents 1",
    "commons_full": "commons --condition full --set trees=1 --set rounds=30",
}


# Commands with golden copies of the first prompt of each role.
COPIED = ("double_vein", "double_vein_judged", "double_vein_voyager", "adasociety_negotiation",
          "taxation", "religion", "specialisation", "sentiment", "fishing",
          "commons_full")  # fmt: skip


# If at least this many lines are shared with an earlier prompt, one line replaces them.
RUN = 4


@cache
def shown(words: str) -> str:
    """Return the output of a command with ``--show-prompts``."""
    name, *options = words.split()
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        command(experiment(name)).main([*options, "--show-prompts"], standalone_mode=False)
    return printed.getvalue()


def prompts_of(name: str) -> dict[str, str]:
    """Return a command's prompts by title."""
    parts = re.split(r"^=+ (.+?) =+$", shown(COMMANDS[name]), flags=re.MULTILINE)
    found: dict[str, str] = {}
    for title, prompt in zip(parts[1::2], parts[2::2], strict=True):
        found.setdefault(title, prompt)  # a role can be asked several different questions
    return found


def first_of_each_role() -> dict[str, str]:
    """Return one prompt per role; lines shared with an earlier role are replaced by one line."""
    found: dict[str, str] = {}
    for name in COPIED:
        for title, prompt in prompts_of(name).items():
            found.setdefault(title.partition(",")[0], prompt.strip("\n"))
    before: set[tuple[str, ...]] = set()
    copies = {}
    for role in sorted(role for role in found if not role.startswith("others")):
        lines, told, at = found[role].split("\n"), [], 0
        while at < len(lines):
            end = at
            while tuple(lines[end : end + RUN]) in before:
                end += 1
            if end == at:
                told.append(lines[at])
                at += 1
            else:
                told.append(f"({end - at + RUN - 1} lines as before, from: {lines[at]})")
                at = end + RUN - 1
        before |= {tuple(lines[k : k + RUN]) for k in range(len(lines) - RUN + 1)}
        copies[role] = "\n".join([*told, ""])
    return copies


def test_prompts_equal_the_reviewed_copies():
    copies = {path.stem: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    assert first_of_each_role() == copies


def test_every_scenario_is_covered():
    assert {words.split()[0] for words in COMMANDS.values()} == set(registry.names())


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("specialisation", ("Remember,",)),
        ("taxation", ("You paid", "in season")),
    ],
)
def test_later_prompts_of_a_society_are_also_shown(name, told):
    """The initial prompts lack the facts that decide whether people pay."""
    (prompt,) = (
        text for title, text in prompts_of(name).items() if re.match("decide.*last", title)
    )
    assert [text for text in told if text not in prompt] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_prompts_never_mention_things_that_their_world_lacks(name):
    """No Minecraft on the grid, and no chest in worlds without one."""
    prompts = shown(COMMANDS[name])
    assert "{{" not in prompts
    if "--world grid" in COMMANDS[name]:
        assert "Minecraft" not in prompts
    for prompt in re.split(r"^=+ .* =+$", prompts, flags=re.MULTILINE):
        if "There is no chest" in prompt:
            assert "lies in a chest" not in prompt


if __name__ == "__main__":
    for old in FOLDER.iterdir():
        old.unlink()
    for one, text in first_of_each_role().items():
        (FOLDER / f"{one}.txt").write_text(text, encoding="utf-8")
