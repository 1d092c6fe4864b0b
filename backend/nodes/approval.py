"""Approval node: a person says yes or no, and may edit what was proposed. The run waits for minutes or months."""

from __future__ import annotations

from typing import NotRequired

from pydantic import Field

from backend.engine.document.types import AnyValue, LongText, Result, Text, TextValue, node_type, words
from backend.engine.execution.context import NodeContext
from backend.engine.language.filters import to_text
from backend.nodes.expiring import Expiring, ExpiringValues
from backend.tools.approvers import Approvers, rule_of
from backend.tools.types import JsonObject, JsonValue, Question

_APPROVERS = Text(
    "Who must approve. One refusal declines. A stricter setting of the workflow also applies.",
    "需要谁批准。任何一人拒绝即为拒绝。工作流若有更严格的设置，同样生效。",
)


class ApprovalValues(ExpiringValues):
    """Its values when it runs."""

    title: JsonValue
    message: JsonValue
    proposal: JsonValue
    approvers: NotRequired[Approvers]  # not there in what runs of before have frozen


class ApprovalConfig(Expiring):
    """What is asked, and who must agree."""

    title: TextValue = Field(**words("Title", "标题"))
    message: LongText = Field(default="", **words("Message", "说明"))
    proposal: AnyValue = Field(
        default=None,
        **words("Proposal", "提议", help=Text("Values that the person can edit.", "审批人可以修改的值。")),
    )
    approvers: Approvers = Field(
        default="anyone",
        **words(
            "Approvers",
            "审批人",
            help=_APPROVERS,
            choices=[
                ("Anyone on the team", "团队中任何人"),
                ("Not the person who started the run", "不能是启动运行的人"),
                ("Two people", "两个人"),
                ("Two people other than the person who started the run", "两个人，且都不是启动运行的人"),
            ],
            extra={"x-advanced": True},
        ),
    )


@node_type(
    "approval",
    group="people",
    title=Text("Approval", "审批"),
    description=Text("Waits until a person approves or declines.", "等待有人批准或拒绝。"),
    config=ApprovalConfig,
    ports_out=("approved", "declined"),
    output_schema={
        "type": "object",
        "properties": {
            "approved": {"type": "boolean"},
            "reason": {"type": "string"},
            "values": {},
            "by": {"type": "string"},
            "port": {"enum": ["approved", "declined"]},
        },
        "additionalProperties": False,
    },
)
async def approval(ctx: NodeContext[ApprovalValues]) -> Result:
    """The person's answer."""
    proposal = ctx.config["proposal"]
    question = Question(
        "approval",
        to_text(ctx.config["title"]),
        message=to_text(ctx.config["message"]),
        proposal=proposal,
        approvers=rule_of(ctx.config.get("approvers")),
    )
    answer = await ctx.ask("approval", question)
    approved = answer.action == "accept"
    values = proposal if answer.values is None else answer.values
    port = "approved" if approved else "declined"
    outputs: JsonObject = {
        "approved": approved,
        "reason": answer.reason,
        "values": values,
        "by": answer.by,
        "port": port,
    }
    return Result(outputs, port=port)
