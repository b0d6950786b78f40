"""What all games of the grid share: data, random numbers, compiling, threads, batches, pictures."""
