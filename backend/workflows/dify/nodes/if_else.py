"""If/else: our `if` where there is one case, else a `switch`."""

from __future__ import annotations

from typing import Any

from backend.engine.document.types import Text
from backend.workflows.dify.conditions import conditions_of, match_of
from backend.workflows.dify.context import Context
from backend.workflows.dify.mapping import Mapped, Mapping, Step, renamed
from backend.workflows.dify.reading import DifyNode, dicts_in, text_in
from backend.workflows.report import plural


def convert(node: DifyNode, ctx: Context) -> Mapped:
    """The cases in their order."""
    line = ctx.lines[node.id]
    cases: list[dict[str, Any]] = dicts_in(node.data, "cases") or [{**node.data, "case_id": "true"}]
    read = [{"match": match_of(case), "conditions": conditions_of(case, line)} for case in cases]
    if any(not case["conditions"] for case in read):
        line.note("a case without conditions always holds", "没有条件的分支恒成立")
    names = [text_in(case, "case_id") or text_in(case, "id") or f"case {index}" for index, case in enumerate(cases)]
    count = sum(len(case["conditions"]) for case in read)
    if len(cases) == 1:
        why = Text(plural(count, "condition", "conditions"), f"{count} 个条件")
        return Mapped([Step("if", read[0])], why, {names[0]: "true", "true": "true", "false": "false"})
    ids = [f"case_{index}" for index in range(1, len(cases) + 1)]
    why = Text(
        f"{len(cases)} cases, {plural(count, 'condition', 'conditions')}", f"{len(cases)} 个分支，{count} 个条件"
    )
    switch = {"cases": [{"id": id_, **case} for id_, case in zip(ids, read, strict=True)]}
    return Mapped([Step("switch", switch)], why, {**dict(zip(names, ids, strict=True)), "false": "default"})


IF_ELSE = Mapping(convert, renamed({"result": "port", "selected_case_id": "port"}))
