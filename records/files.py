"""Opening files that may be malicious. Only regular files are read, and only up to a maximum size.

Reading a named pipe would block, and reading a device would never end, so both are rejected first.

A run folder may come from a stranger. A symbolic link in the folder could point to any file of the
user. Files of a run folder are therefore never read or written through links; see
:func:`open_of_run`. The folder itself may be a link, because the user has named it.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

# Maximum size in bytes of a file that is read as a whole.
MAX_BYTES = 8_000_000
LINKED = "a symbolic link: links in a run folder are not followed"
# Opens a path with the flags of :func:`os.open`, and returns the file descriptor.
Opener = Callable[[str, int], int]


def regular(path: str, flags: int) -> int:
    """Open a regular file.

    Pass this function to :func:`open` as ``opener``.

    Raises:
        OSError: the file cannot be opened or is not a regular file; ``strerror`` gives the reason.
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
    """Open a regular file that is not a symbolic link.

    Pass this function to :func:`open` as ``opener``.

    Raises:
        OSError: the file cannot be opened, is a link, or is not a regular file; ``strerror`` gives
            the reason.
    """
    try:
        return regular(path, flags | os.O_NOFOLLOW)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise OSError(errno.ELOOP, LINKED, path) from error
        raise


def open_of_run(path: Path, mode: str = "rb") -> IO[Any]:
    """Open a file of a run folder. Text files are written line by line.

    Raises:
        OSError: the file cannot be opened, is a link, or is not a regular file; ``strerror`` gives
            the reason.
    """
    if "b" in mode:
        return open(path, mode, opener=unlinked)
    return open(path, mode, encoding="utf-8", buffering=1, opener=unlinked)


def replace_text(path: Path, text: str) -> None:
    """Write a file of a run folder.

    Readers see either the old or the new content, never a part of it.

    Raises:
        OSError: the file cannot be written.
    """
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    with open_of_run(part, "x") as file:
        file.write(text)
    part.replace(path)


def read_bytes(path: Path, most: int = MAX_BYTES, opener: Opener = regular) -> bytes:
    """Return the content of a regular file of at most ``most`` bytes.

    Raises:
        OSError: the file cannot be read, is not a regular file, or is too long; ``strerror`` gives
            the reason.
    """
    with open(path, "rb", opener=opener) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"longer than {most:,} bytes", str(path))
    return data


def read_text(path: Path, most: int = MAX_BYTES, opener: Opener = regular) -> str:
    r"""Return the UTF-8 text of a regular file of at most ``most`` bytes, with ``\n`` line ends.

    Raises:
        OSError: the file cannot be read, is not a regular file, or is too long; ``strerror`` gives
            the reason.
        UnicodeDecodeError: the text is not UTF-8.
    """
    text = read_bytes(path, most, opener).decode()
    return text.replace("\r\n", "\n").replace("\r", "\n")
