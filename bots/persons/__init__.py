"""Scripted persons: an explicit stochastic model of people, for societies without a language model.

They read the same prompts and answer in the same forms as a chat model, so all parts around them
are what a model would go through; but they are rules with stated rates, and results say so.
Because their rates are known, an experiment with them has a truth that its measures must recover.
"""

from bots.persons.believer import Believers, Faith
from bots.persons.villager import Villagers, Ways

__all__ = ["Believers", "Faith", "Villagers", "Ways"]
