"""Code shared by all grid games: data, random numbers, compilation, threads, batches, drawing."""
