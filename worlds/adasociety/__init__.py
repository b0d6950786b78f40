"""Players of the AdaSociety grid game: their knowledge of the map, and the execution of their
plans.

The players are modelled on the language-model agents of Huang et al., "AdaSociety" (NeurIPS 2024).
A model reads a description of its situation and answers with a plan from a fixed vocabulary. A
controller then executes the plan. When the plan has succeeded or failed, the model is asked again.
"""
