"""How much a folder holds on disk: what a program may write in all is bounded by looking now and then."""

from __future__ import annotations

import os
from pathlib import Path

_BLOCK = 512


def size_of(folder: Path, enough: int) -> int:
    """Bytes on disk below a folder, links not followed; counting stops beyond `enough`."""
    size, left = 0, [str(folder)]
    while left and size <= enough:
        try:
            with os.scandir(left.pop()) as entries:
                for entry in entries:
                    try:
                        size += entry.stat(follow_symlinks=False).st_blocks * _BLOCK
                        if entry.is_dir(follow_symlinks=False):
                            left.append(entry.path)
                    except OSError:
                        continue  # gone meanwhile
        except OSError:
            continue
    return size
