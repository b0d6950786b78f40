"""Opening files that others name or wrote: regular ones only, and never more of one than is needed.

A named pipe would be waited for and a device never ends, so both are refused before they are read.

A run folder may be a stranger's. A symbolic link in it could lead to any file of the user, so no
file of a run folder is opened through one, for reading or for writing: see :func:`open_of_run`.
The folder itself may be a link: the user named it.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

# Of a file that is read at once: what is longer is not read.
MAX_BYTES = 8_000_000
LINKED = "a symbolic link: links in a run folder are not followed"
# Opens a path with flags of :func:`os.open`, and returns the descriptor.
Opener = Callable[[str, int], int]


def regular(path: str, flags: int) -> int:
    """Open a regular file: an ``opener`` for :func:`open`.

    Raises:
        OSError: it cannot be opened, or is no regular file; ``strerror`` says which.
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
    """Open a regular file that is no symbolic link: an ``opener`` for files of a run folder.

    Raises:
        OSError: it cannot be opened, is a link, or is no regular file; ``strerror`` says which.
    """
    try:
        return regular(path, flags | os.O_NOFOLLOW)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, LINKED, path) from error
        raise


def open_of_run(path: Path, mode: str = "rb") -> IO[Any]:
    """Open a file of a run folder; texts are written line by line.

    Raises:
        OSError: it cannot be opened, is a link, or is no regular file; ``strerror`` says which.
    """
    if "b" in mode:
        return open(path, mode, opener=unlinked)
    return open(path, mode, encoding="utf-8", buffering=1, opener=unlinked)


def replace_text(path: Path, text: str) -> None:
    """Write a file of a run folder, whole or not at all, in place of what is there.

    Raises:
        OSError: it cannot be written.
    """
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    with open_of_run(part, "x") as file:
        file.write(text)
    part.replace(path)


def read_bytes(path: Path, most: int = MAX_BYTES, opener: Opener = regular) -> bytes:
    """Return what a regular file holds, of at most ``most`` bytes.

    Raises:
        OSError: it cannot be read, is no regular file, or is longer; ``strerror`` says which.
    """
    with open(path, "rb", opener=opener) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"longer than {most:,} bytes", str(path))
    return data


def read_text(path: Path, most: int = MAX_BYTES, opener: Opener = regular) -> str:
    r"""Return the text, as UTF-8, that a regular file of at most ``most`` bytes holds.

    Line ends are ``\n``, whichever the file has.

    Raises:
        OSError: it cannot be read, is no regular file, or is longer; ``strerror`` says which.
        UnicodeDecodeError: it is not UTF-8.
    """
    text = read_bytes(path, most, opener).decode()
    return text.replace("\r\n", "\n").replace("\r", "\n")
