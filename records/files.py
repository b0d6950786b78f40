"""Opening files that others name or wrote: regular ones only, and never more of one than is needed.

A named pipe would be waited for and a device never ends, so both are refused before they are read.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

#: Of a file that is read at once: what is longer is not read.
MAX_BYTES = 8_000_000


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading.

    Raises:
        OSError: it cannot be opened, or is no regular file; ``strerror`` says which.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        kind = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(kind):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(kind):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_bytes(path: Path, most: int = MAX_BYTES) -> bytes:
    """Return what a regular file holds, of at most ``most`` bytes.

    Raises:
        OSError: it cannot be read, is no regular file, or is longer; ``strerror`` says which.
    """
    with open_regular(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"longer than {most:,} bytes", str(path))
    return data


def read_text(path: Path, most: int = MAX_BYTES) -> str:
    r"""Return the text, as UTF-8, that a regular file of at most ``most`` bytes holds.

    Line ends are ``\n``, whichever the file has.

    Raises:
        OSError: it cannot be read, is no regular file, or is longer; ``strerror`` says which.
        UnicodeDecodeError: it is not UTF-8.
    """
    text = read_bytes(path, most).decode()
    return text.replace("\r\n", "\n").replace("\r", "\n")
