"""``python -m scenarios`` lists what there is."""

import sys

from experiments.registry import print_scenarios

if __name__ == "__main__":
    if sys.argv[1:]:
        print(f"error: to play one, type python -m scenarios.{sys.argv[1]}", file=sys.stderr)
        sys.exit(2)
    print_scenarios()
