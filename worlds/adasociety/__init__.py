"""Players of the AdaSociety grid: what they know of its map, and controllers that execute plans.

After the language-model agents of Huang et al., "AdaSociety" (NeurIPS 2024): a model sees its
situation in words, answers with a plan out of a fixed vocabulary, a controller executes it until it
is done or has failed, and the model is asked again.
"""
