"""Whose answer a run waits for, which its state does not say: told the same wherever the state is shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, NamedTuple, TypedDict

from backend.accounts.described import Help
from backend.runs.log.encoding import decode
from backend.runs.models import Run


class WaitsJson(TypedDict):
    """Whose answer a run waits for."""

    waits_for_person: Annotated[bool, Help("A person has to answer what it asks.")]
    waits_for_client: Annotated[bool, Help("The front end that started it has to answer calls of its own tools.")]


NOBODY: WaitsJson = {"waits_for_person": False, "waits_for_client": False}
"""Of a run that is gone, or that there never was."""


def waits_of(stored: str) -> WaitsJson:
    """By the column `waiting` of a run."""
    kinds = {item.get("kind") for item in decode(stored)}
    return {"waits_for_person": "person" in kinds, "waits_for_client": "client" in kinds}


def waits_for_person(run: Run) -> bool:
    """Whether a run that stands still stands for somebody's answer."""
    return waits_of(run.waiting)["waits_for_person"]


class Standing(NamedTuple):
    """How a run stands, for lists of something else that tell of it."""

    state: str | None
    waits: WaitsJson


GONE = Standing(None, NOBODY)


def standings(runs: Iterable[str]) -> dict[str, Standing]:
    """Of those of these runs that are still there."""
    keys = {key for key in runs if key}
    rows = Run.objects.filter(pk__in=keys).values_list("pk", "state", "waiting") if keys else ()
    return {key: Standing(state, waits_of(waiting)) for key, state, waiting in rows}
