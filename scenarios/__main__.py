"""List the scenarios: ``python -m scenarios``."""

import sys
import textwrap

import voxpolis

#: Column that the descriptions begin at, and the width of a line.
INDENT, WIDTH = 16, 100


def listing() -> str:
    """Return each scenario with its first sentences, read without importing its code."""
    lines = []
    for name, story in voxpolis.scenarios().items():
        text = " ".join(story.partition("\n\n")[0].split())
        lines += textwrap.wrap(
            f"{name:{INDENT}}{text}", WIDTH, subsequent_indent=" " * INDENT, break_on_hyphens=False
        )
    play, matrix = map(voxpolis.as_typed, ("scenarios.double_vein", "experiments"))
    ends = [f"To play one: {play} --help", f"Who can play what, and where: {matrix} matrix"]
    return "\n".join([*lines, "", *ends])


if __name__ == "__main__":
    if sys.argv[1:]:
        call = voxpolis.as_typed(f"scenarios.{sys.argv[1]}")
        print(f"error: to play one, type {call}", file=sys.stderr)
        sys.exit(2)
    print(listing())
