"""List the scenarios: ``python -m scenarios``."""

import sys

import voxpolis

if __name__ == "__main__":
    if sys.argv[1:]:
        call = voxpolis.as_typed(f"scenarios.{sys.argv[1]}")
        print(f"error: to play one, type {call}", file=sys.stderr)
        sys.exit(2)
    print(voxpolis.scenario_list())
