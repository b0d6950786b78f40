"""Game loops: each plays one case of a scenario and returns an entry of the result."""
