"""Players of the AdaSociety grid: their knowledge of the map, and controllers that execute plans.

Modelled on the language-model agents of Huang et al., "AdaSociety" (NeurIPS 2024). A model gets its
situation in words and answers with a plan from a fixed vocabulary. A controller executes the plan
until it is done or has failed; then the model is asked again.
"""
