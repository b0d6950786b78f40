"""Runs the RL-library examples in docs/grid.md, each in its own process.

``python -m tests.try_libraries [LIBRARY …]`` in an environment with the libraries; prints how each
ended and how long it took.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

EXAMPLE = re.compile(r"```python\n# (?P<name>[\w-]+)\n(?P<program>.*?)```", re.DOTALL)


def examples() -> dict[str, str]:
    """Return the page's programs by the library in their first line."""
    page = (ROOT / "docs" / "grid.md").read_text(encoding="utf-8")
    return {found["name"]: found["program"] for found in EXAMPLE.finditer(page)}


def main() -> int:
    """Run the named ones, or all; return 1 if one fails."""
    failed = 0
    for name, program in examples().items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        started = time.monotonic()
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        failed |= done.returncode != 0
        told = "trains" if done.returncode == 0 else done.stderr.strip()[-2000:]
        print(f"{name}: {told} ({time.monotonic() - started:.0f} s)", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
