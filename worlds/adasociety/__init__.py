"""Players of the AdaSociety grid: their knowledge of the map, and controllers that execute plans.

Modelled on the language-model agents of Huang et al., "AdaSociety" (NeurIPS 2024): a model sees its
situation in words and answers with a plan from a fixed vocabulary; a controller executes the plan
until it is done or has failed; then the model is asked again.
"""
