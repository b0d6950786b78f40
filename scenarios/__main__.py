"""List the scenarios: ``python -m scenarios``."""

import sys

from voxpolis import front

if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["-h"], ["--help"]):
        call = front.as_typed(f"scenarios.{sys.argv[1]}")
        print(f"error: to play one, type {call}", file=sys.stderr)
        sys.exit(2)
    print(front.scenario_list())
