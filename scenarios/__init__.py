"""Scenarios: what is played, a package each (``python -m scenarios.double_vein``)."""

import environment

environment.ensure(__name__)
