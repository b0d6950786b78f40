"""``python -m scenarios`` lists what there is."""

from experiments.registry import print_scenarios

if __name__ == "__main__":
    print_scenarios()
