"""Opening untrusted files: only regular ones, and only as many bytes as needed.

Named pipes would block and devices never end, so both are refused before reading.

A run folder may come from a stranger. A symbolic link in it could point to any file of the user, so
files of a run folder are never opened through links, for reading or for writing: see
:func:`open_of_run`. The folder itself may be a link: the user named it.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

# Maximum size of a file that is read as a whole.
MAX_BYTES = 8_000_000
LINKED = "a symbolic link: links in a run folder are not followed"
# Opens a path with the flags of :func:`os.open`, and returns the descriptor.
Opener = Callable[[str, int], int]


def regular(path: str, flags: int) -> int:
    """Open a regular file: an ``opener`` for :func:`open`.

    Raises:
        OSError: it cannot be opened, or is not a regular file; ``strerror`` says which.
    """
    descriptor = os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
    try:
        kind = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        if not stat.S_ISREG(kind):
            raise OSError(errno.EINVAL, "not a regular file", path)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def unlinked(path: str, flags: int) -> int:
    """Open a regular file that is not a symbolic link: an ``opener`` for files of a run folder.

    Raises:
        OSError: it cannot be opened, is a link, or is not a regular file; ``strerror`` says which.
    """
    try:
        return regular(path, flags | os.O_NOFOLLOW)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, LINKED, path) from error
        raise


def open_of_run(path: Path, mode: str = "rb") -> IO[Any]:
    """Open a file of a run folder; text files are line-buffered.

    Raises:
        OSError: it cannot be opened, is a link, or is not a regular file; ``strerror`` says which.
    """
    if "b" in mode:
        return open(path, mode, opener=unlinked)
    return open(path, mode, encoding="utf-8", buffering=1, opener=unlinked)


def replace_text(path: Path, text: str) -> None:
    """Replace a file of a run folder atomically.

    Raises:
        OSError: it cannot be written.
    """
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    with open_of_run(part, "x") as file:
        file.write(text)
    part.replace(path)


def read_bytes(path: Path, most: int = MAX_BYTES, opener: Opener = regular) -> bytes:
    """Return the content of a regular file of at most ``most`` bytes.

    Raises:
        OSError: it cannot be read, is not a regular file, or is longer; ``strerror`` says which.
    """
    with open(path, "rb", opener=opener) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"longer than {most:,} bytes", str(path))
    return data


def read_text(path: Path, most: int = MAX_BYTES, opener: Opener = regular) -> str:
    r"""Return the UTF-8 text of a regular file of at most ``most`` bytes, with ``\n`` line ends.

    Raises:
        OSError: it cannot be read, is not a regular file, or is longer; ``strerror`` says which.
        UnicodeDecodeError: it is not UTF-8.
    """
    text = read_bytes(path, most, opener).decode()
    return text.replace("\r\n", "\n").replace("\r", "\n")
