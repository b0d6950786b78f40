"""Scenarios: what is played, one runnable module each (``python -m scenarios.double_vein``)."""

import environment

environment.ensure(__name__)
