"""``python -m scenarios`` lists what there is to play."""

import sys

from experiments.registry import print_scenarios
from voxpolis import as_typed

if __name__ == "__main__":
    if sys.argv[1:]:
        call = as_typed(f"scenarios.{sys.argv[1]}")
        print(f"error: to play one, type {call}", file=sys.stderr)
        sys.exit(2)
    print_scenarios()
