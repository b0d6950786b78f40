"""How scenarios are played: options, the runner, the loops, comparisons and sweeps."""

import environment

environment.ensure(__name__)
