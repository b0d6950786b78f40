"""``python -m voxpolis`` is ``voxpolis``."""

from voxpolis.front import main

if __name__ == "__main__":
    main()
