"""Types of arrays, named by the type of their elements and the number of axes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Int1 = np.ndarray[tuple[int], np.dtype[np.int64]]
Int2 = np.ndarray[tuple[int, int], np.dtype[np.int64]]
Int3 = np.ndarray[tuple[int, int, int], np.dtype[np.int64]]
Word1 = np.ndarray[tuple[int], np.dtype[np.uint64]]
Float1 = np.ndarray[tuple[int], np.dtype[np.float64]]
Float2 = np.ndarray[tuple[int, int], np.dtype[np.float64]]
Float3 = np.ndarray[tuple[int, int, int], np.dtype[np.float64]]
# Arrays with any number of axes.
Bytes = npt.NDArray[np.uint8]
Masks = npt.NDArray[np.int8]
Flags = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
SmallInts = npt.NDArray[np.int32]
Words = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]
