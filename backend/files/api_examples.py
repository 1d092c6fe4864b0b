"""Examples of the files room's operations, as the API answered them."""

from __future__ import annotations

from typing import Any

EXAMPLES: dict[str, dict[str, dict[str, Any]]] = {
    "file_create": {
        "asks": {"A text file": {"file": "Hello"}},
        "answers": {
            "201": {"id": "file_01m80fcexg8bvxmrte40pzw2za", "name": "note.txt", "mime": "text/plain", "size": 5}
        },
    },
}
