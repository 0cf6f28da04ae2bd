"""Pictures that display themselves in a notebook."""

from __future__ import annotations

import operator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .errors import InputError

if TYPE_CHECKING:
    from PIL import Image


def check_size(size: tuple[int, int]) -> tuple[int, int]:
    """Returns the columns and rows of a picture. Raises `InputError` unless it has 1 to 2^24 pixels."""
    try:
        columns, rows = (operator.index(side) for side in size)
    except (TypeError, ValueError):
        allowed = "two whole numbers, columns and rows"
        raise InputError(f"size = {size!r}: must be {allowed}", "size", str(size), allowed) from None
    if columns < 1 or rows < 1 or columns * rows > 2**24:
        allowed = "1 to 2^24 pixels"
        raise InputError(f"size = {size!r}: must be {allowed}", "size", str(size), allowed)
    return columns, rows


class Picture:
    """A rendered picture, which displays itself in a notebook."""

    def __init__(self, array: NDArray[np.uint8], png: bytes) -> None:
        self.array = array
        """Pixels, shape (rows, columns, 3): 8-bit sRGB, rows from the top."""
        self.png = png
        """The picture as a PNG file."""

    def _repr_png_(self) -> bytes:
        return self.png

    def save(self, path: str | Path) -> None:
        """Writes the picture to a PNG file."""
        Path(path).write_bytes(self.png)

    def to_pil(self) -> Image.Image:
        """Returns the picture as an image of Pillow, which must be installed."""
        from PIL import Image

        return Image.fromarray(self.array)

    def __repr__(self) -> str:
        rows, columns, _ = self.array.shape
        return f"<bekker.Picture {columns} x {rows}>"
