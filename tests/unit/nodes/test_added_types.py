"""A package that brings a node type by the entry point `patchbay.nodes`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from backend.nodes import BUILT_IN, node_types

SOURCE = """
from backend.engine.document.types import NodeConfig, Text, node_type

class Nothing(NodeConfig):
    pass

@node_type("shout", group="data", title=Text("Shout", "喊"), description=Text("Loud", "大声"), config=Nothing)
async def shout(ctx):
    return {"text": "!"}

nonsense = 5
"""


@pytest.fixture
def package(tmp_path: Path) -> Iterator[Path]:
    """An installed package; gives the file that names its entry points."""
    (tmp_path / "shouting_nodes.py").write_text(SOURCE)
    info = tmp_path / "shouting-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shouting\nVersion: 1.0\n")
    sys.path.insert(0, str(tmp_path))
    node_types.cache_clear()
    yield info / "entry_points.txt"
    sys.path.remove(str(tmp_path))
    sys.modules.pop("shouting_nodes", None)
    node_types.cache_clear()


def test_its_type_is_known_like_ours(package: Path) -> None:
    package.write_text("[patchbay.nodes]\nshout = shouting_nodes:shout\n")
    assert list(node_types()) == [*(item.name for item in BUILT_IN), "shout"]


def test_what_is_no_node_type_is_refused_by_name(package: Path) -> None:
    package.write_text("[patchbay.nodes]\nnonsense = shouting_nodes:nonsense\n")
    with pytest.raises(TypeError, match="nonsense"):
        node_types()
