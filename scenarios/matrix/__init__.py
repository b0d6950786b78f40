"""Repeated 2 by 2 games: two players choose at once, see what came of it, and choose again.

Any table of payoffs can be played. Four of the classic games are shipped (Rapoport and Guyer, "A
Taxonomy of 2 x 2 Games", 1966): the prisoner's dilemma with the payoffs of Axelrod's tournaments
(1980), stag hunt, chicken and battle of the sexes. A player chooses by stepping on one of its two
plates; an episode is a round, and all rounds before are told in the prompt.
"""

from pydantic import Field

from voxpolis.experiments.loops.contract.experiment import ContractExperiment
from voxpolis.experiments.loops.contract.settings import ContractOptions
from voxpolis.experiments.run.options import MOST_RUNS
from voxpolis.scenarios.matrix.scenario import Matrix


class MatrixOptions(ContractOptions):
    """What the command takes; a game is played in rounds."""

    episodes: int = Field(
        default=10,
        ge=1,
        le=MOST_RUNS,
        description="Rounds that the same two players play in each repetition.",
    )


EXPERIMENT = ContractExperiment(Matrix, Matrix, __doc__, MatrixOptions)

__all__ = ["EXPERIMENT", "Matrix"]
