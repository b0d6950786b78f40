"""What all grid games share: data, random numbers, compilation, threads, batches, and drawing."""
