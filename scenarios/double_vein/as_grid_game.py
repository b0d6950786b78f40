"""Double-Vein as a game of the grid library (``grid.make("double_vein")``), derived from the
scenario.

``python -m scenarios.double_vein.as_grid_game`` prints ``grid/adasociety/data/double_vein.yaml``. A
test compares this output with the file. Supply, values, tools and positions are therefore only
defined in the scenario.
"""

from __future__ import annotations

from typing import Any

import yaml

from voxpolis.scenarios.double_vein import ITEMS, DoubleVein
from voxpolis.worlds.layout import grid_form

HEAD = """\
# Double-Vein for learners: Yocum et al., "Mitigating Generative Agent Social Dilemmas" (2023).
# Made of scenarios/double_vein/ by: python -m scenarios.double_vein.as_grid_game
# Worth in emeralds is a job's preference; `tools`: one of them must be held to collect it.
"""


def game() -> dict[str, Any]:
    """Return the game as the fields of a rules file."""
    scenario = DoubleVein(start_jitter_blocks=0)
    form = grid_form(scenario.layout(0), int(scenario.time_limit_s))
    rules = form.rules.model_dump(mode="json", exclude_defaults=True)
    for name in ITEMS.values():
        rules["resources"][name]["reward"] = 1
    for agent, values in scenario.values.items():
        worth = {ITEMS[item]: value for item, value in values.model_dump().items()}
        rules["jobs"][agent]["preference"] = worth
    arena = form.game.model_dump(mode="json", include={"layout", "legend", "agents", "length"})
    legend = {
        letter: {key: value for key, value in symbol.items() if value not in ("", None)}
        for letter, symbol in arena["legend"].items()
    }
    played = {**arena, "legend": legend, "events": {}}
    return {**rules, "events": {}, "games": {"double_vein": played}}


class _Dumper(yaml.SafeDumper):
    """A YAML dumper that writes texts of several lines in YAML's block style."""


def _text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    style = "|" if "\n" in value else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _text)


def text() -> str:
    """Return the text of the rules file."""
    options: dict[str, Any] = {"sort_keys": False, "default_flow_style": None, "width": 100}
    return HEAD + str(yaml.dump(game(), Dumper=_Dumper, **options))


if __name__ == "__main__":
    print(text(), end="")
