"""Parts that all grid games share: data, random numbers, compilation, threads, batches, drawing."""
