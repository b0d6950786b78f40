"""Types of arrays, named by the type of their elements and the number of axes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Byte2 = np.ndarray[tuple[int, int], np.dtype[np.uint8]]
Byte3 = np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]
Byte4 = np.ndarray[tuple[int, int, int, int], np.dtype[np.uint8]]
Fate1 = np.ndarray[tuple[int], np.dtype[np.int8]]
Row1 = np.ndarray[tuple[int], np.dtype[np.float32]]
Row3 = np.ndarray[tuple[int, int, int], np.dtype[np.float32]]
Small1 = np.ndarray[tuple[int], np.dtype[np.int32]]
Small2 = np.ndarray[tuple[int, int], np.dtype[np.int32]]
Small3 = np.ndarray[tuple[int, int, int], np.dtype[np.int32]]
Small4 = np.ndarray[tuple[int, int, int, int], np.dtype[np.int32]]
Word3 = np.ndarray[tuple[int, int, int], np.dtype[np.uint64]]
Int1 = np.ndarray[tuple[int], np.dtype[np.int64]]
Int2 = np.ndarray[tuple[int, int], np.dtype[np.int64]]
Int3 = np.ndarray[tuple[int, int, int], np.dtype[np.int64]]
Word1 = np.ndarray[tuple[int], np.dtype[np.uint64]]
Word2 = np.ndarray[tuple[int, int], np.dtype[np.uint64]]
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
