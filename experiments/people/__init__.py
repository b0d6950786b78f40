"""People who play, and interventions in a running run."""
