"""``python -m voxpolis``: the same as ``voxpolis``."""

from voxpolis.front import main

if __name__ == "__main__":
    main()
