"""How long the questions of a node stay open, and what happens then: fields that nodes which ask people share.

The engine reads them (`NodeContext.ask`), so they hold for every question of the node: its own, and those of the gate.
"""

from __future__ import annotations

from typing import Literal, TypedDict

from pydantic import Field

from backend.engine.document.types import NodeConfig, OptionalNumber, Text, words
from backend.tools.types import JsonValue

_HELP = Text("Seconds within which a person must answer. Empty: no limit.", "等待回答的秒数，留空则不限。")


class ExpiringValues(TypedDict):
    """Its values when the node runs."""

    expires_s: JsonValue
    on_expire: Literal["decline", "fail"]


class Expiring(NodeConfig):
    """When nobody answers."""

    expires_s: OptionalNumber = Field(
        default=None, **words("Answer within", "回答期限", help=_HELP, extra={"x-advanced": True})
    )
    on_expire: Literal["decline", "fail"] = Field(
        default="decline",
        **words(
            "When nobody answers",
            "无人回答时",
            choices=[("Counts as declined", "视为拒绝"), ("The node fails", "节点失败")],
            extra={"x-advanced": True},
        ),
    )
