"""Compare conditions, sweep over seeds, and intervene in runs: ``python -m experiments``."""

import click

from voxpolis.experiments.people.intervention_commands import change, continue_, pause, tell
from voxpolis.experiments.study.bench import bench
from voxpolis.experiments.study.check_models import check_models
from voxpolis.experiments.study.compare import compare
from voxpolis.experiments.study.estimate import estimate
from voxpolis.experiments.study.matrix import matrix
from voxpolis.experiments.study.model_table import model_table
from voxpolis.experiments.study.sweep import sweep
from voxpolis.front import run_app, scenario_list

EXAMPLES = """\b
Examples:
  python -m experiments list
  python -m experiments compare double_vein --world grid --runs 5
  python -m experiments tell runs/RUN Ada "Hello" --by Eve"""


@click.group(epilog=EXAMPLES, context_settings={"help_option_names": ["--help", "-h"]})
def main() -> None:
    """Compare conditions, sweep over seeds, check models, and intervene in runs.

    To play a single scenario: python -m scenarios.NAME --help
    """


@main.command(name="list")
def list_scenarios() -> None:
    """List the scenarios."""
    print(scenario_list())


COMMANDS = (
    *(compare, sweep, model_table, matrix, estimate, bench, check_models),
    *(tell, change, pause, continue_),
)
for one in COMMANDS:
    main.add_command(one)

if __name__ == "__main__":
    run_app(main)
