"""Migrations only add: the version before still runs while the next one's tables are there (expand, then contract).

So processes are restarted one by one, and runs go on meanwhile. What is no longer used is removed a version later: then
its migration is named in `CONTRACTS`, with the version since which nothing uses it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db.migrations import Migration, operations
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState
from django.db.models import NOT_PROVIDED, CharField, Field, Q, UniqueConstraint

BEFORE_THE_RULE = {("accounts", "0002_team_budget"), ("runs", "0002_children_and_spending")}
CONTRACTS: dict[tuple[str, str], str] = {}

ALWAYS = (operations.CreateModel, operations.AddIndex, operations.RemoveIndex, operations.RunPython)
LOADER = MigrationLoader(None)
OURS = sorted(
    key
    for key, migration in LOADER.disk_migrations.items()
    if migration.__module__.startswith("backend.")
    and not migration.initial
    and key not in {*BEFORE_THE_RULE, *CONTRACTS}
)


def refusals(migration: Migration, state: ProjectState) -> Iterator[str]:
    """What of a migration the version before could not live with. `state` = the models before it."""
    created: set[str] = set()
    empty: set[tuple[str, str]] = set()
    for operation in migration.operations:
        why = refusal(operation, migration.app_label, state, created)
        if why and not of_new_rows(operation, empty):
            yield f"{operation.describe()}: {why}"
        if isinstance(operation, operations.CreateModel):
            created.add(operation.name_lower)
        default: object = operation.field.db_default if isinstance(operation, operations.AddField) else None
        if isinstance(operation, operations.AddField) and default == "":
            empty.add((operation.model_name_lower, operation.name))
        operation.state_forwards(migration.app_label, state)


def of_new_rows(operation: Any, empty: set[tuple[str, str]]) -> bool:
    """Whether it is a constraint of rows where a column that the migration adds (`empty`) holds something.

    The version before does not know the column, so it writes no such row.
    """
    if not isinstance(operation, operations.AddConstraint) or not isinstance(operation.constraint, UniqueConstraint):
        return False
    condition = operation.constraint.condition
    return isinstance(condition, Q) and any(
        condition == Q(**{f"{name}__gt": ""}) for model, name in empty if model == operation.model_name_lower
    )


def refusal(operation: Any, app: str, state: ProjectState, seen: set[str]) -> str:
    """Why the version before could not live with this step, or nothing."""
    if isinstance(operation, ALWAYS) or getattr(operation, "model_name_lower", "") in seen:
        return ""
    if isinstance(operation, operations.SeparateDatabaseAndState):
        return why_refused(operation, app, state, seen)
    if isinstance(operation, operations.AddField):
        return (
            "" if fills_itself(operation.field) else "what does not know the column writes no value: null or db_default"
        )
    if isinstance(operation, operations.AlterField):
        before = state.models[app, operation.model_name_lower].fields[operation.name]
        return "" if takes_more(before, operation.field) else "it takes less than before"
    return "it takes something away"


def why_refused(operation: Any, app: str, state: ProjectState, seen: set[str]) -> str:
    """The same for what is done by hand: the models are changed as `state_operations` say, each of which must add."""
    by_hand = all(
        isinstance(database_operation, operations.RunPython | operations.RunSQL)
        for database_operation in operation.database_operations
    )
    if not by_hand or not operation.state_operations:
        return "nothing says what it does to the models"
    return "; ".join(
        filter(None, (refusal(state_operation, app, state, seen) for state_operation in operation.state_operations))
    )


def fills_itself(field: Field[Any, Any]) -> bool:
    """Whether a row may be written without naming the column."""
    return bool(field.null or field.many_to_many or field.db_default is not NOT_PROVIDED)


def takes_more(before: Any, after: Any) -> bool:
    """Whether everything that the column took it still takes."""
    longest = after.max_length is None or (before.max_length is not None and before.max_length <= after.max_length)
    same = before.get_internal_type() == after.get_internal_type()
    return same and longest and (after.null or not before.null) and (before.unique or not after.unique)


@pytest.mark.parametrize("key", OURS, ids="/".join)
def test_a_migration_only_adds(key: tuple[str, str]) -> None:
    before = LOADER.project_state([key], at_end=False)
    assert list(refusals(LOADER.disk_migrations[key], before)) == []


def test_what_takes_away_is_found() -> None:
    """The rule looks at what it says it looks at."""
    key = ("runs", "0002_children_and_spending")
    matches = list(refusals(LOADER.disk_migrations[key], LOADER.project_state([key], at_end=False)))
    assert len(matches) == 1 and "depth" in matches[0]
    removal = operations.RemoveField("run", "trigger")
    state = LOADER.project_state([key])
    assert refusal(removal, "runs", state, set()) == "it takes something away"


def test_a_constraint_is_for_rows_that_the_version_before_does_not_write() -> None:
    """One of the rows that are there, or of a column that was there, takes something away."""
    key = ("runs", "0017_conversations")
    adding = operations.AddField("conversation", "visitor", CharField(max_length=64, db_default=""))

    def constrained(*before: Any, **condition: str) -> list[str]:
        only = UniqueConstraint(fields=["trigger_id"], name="only", condition=Q(**condition) if condition else None)
        tried = type("Tried", (Migration,), {"operations": [*before, operations.AddConstraint("conversation", only)]})
        return list(refusals(tried("tried", "runs"), LOADER.project_state([key])))

    assert constrained(adding, visitor__gt="") == []
    assert len(constrained(adding)) == len(constrained(adding, trigger_id__gt="")) == len(constrained(head__gt="")) == 1
