"""How people come to feel about each other: by what is said to them, and what follows from it.

Source: Altera.AL, "Project Sid" (2024), sentiment. Talk: one agent hears three speakers whose moods
change. Chef: a chef has too little food for four hungry customers, who love, like, dislike and hate
the chef. Society: fifty people of different personalities live together for four hours; how well is
each one's likeability seen by others? All with and without social awareness.
"""

from voxpolis.scenarios.sentiment.scenario import Sentiment

__all__ = ["Sentiment"]
