"""The chain of the audit trail: what somebody changes in the database is named, what we erase ourselves is not."""

from __future__ import annotations

import io
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db.models import F, QuerySet
from django.utils import timezone

from backend.accounts.audit import chain
from backend.accounts.audit.digests import canonical, link_digest, part_digest
from backend.accounts.audit.erasing import delete_old, erase, erase_person, erase_team, has_old
from backend.accounts.audit.trail import audit
from backend.accounts.models import AuditChain, AuditEntry, AuditLink
from backend.runs.lifecycle.maintenance import VERIFYING, MaintenanceRunner
from backend.runs.models import Chore
from tests.api.accounts.trail import entries, exported
from tests.api.runs.conftest import until
from tests.people import Person


def write(person: Person, count: int = 6, **content: Any) -> None:
    for number in range(count):
        audit(person.actor, "run.started", "run", f"run_{number}", content={"note": "hello", **content}, number=number)


def raw() -> QuerySet[AuditEntry]:
    """The rows as somebody has them who opens the database by hand."""
    return QuerySet(AuditEntry)


def verify(*args: str) -> str:
    """What the command prints; it raises CommandError where it would end with 1."""
    out = io.StringIO()
    call_command("audit_verify", *args, stdout=out)
    return out.getvalue()


def fault(*args: str) -> str:
    with pytest.raises(CommandError) as error:
        verify(*args)
    return str(error.value)


def follow(*args: str) -> list[dict[str, Any]]:
    out = io.StringIO()
    call_command("audit_follow", "--once", *args, stdout=out, stderr=io.StringIO())
    return [json.loads(line) for line in out.getvalue().splitlines()]


def slug(person: Person) -> str:
    return str(person.team.slug)


def link(position: int) -> AuditLink:
    return AuditLink.objects.get(position=position)


def test_rows_have_no_place_until_they_are_linked_and_then_the_chain_holds(alice: Person) -> None:
    write(alice)
    assert [action["link"] for action in entries(alice)] == [None] * 6
    assert alice.api.get("/api/audit/chain").data["waiting"] == 6
    assert verify().startswith(f"{slug(alice)}: verified up to row 6, digest ")
    assert [action["link"]["position"] for action in entries(alice)] == [6, 5, 4, 3, 2, 1]
    state = alice.api.get("/api/audit/chain").data
    assert (state["verified"], state["head"], state["broken"], state["waiting"]) == (6, 6, None, 0)
    assert state["digest"] == entries(alice)[0]["link"]["digest"] and state["verified_at"]


def test_each_team_has_a_chain_of_its_own(alice: Person, charlie: Person) -> None:
    write(alice, 3)
    write(charlie, 2)
    assert len(verify().splitlines()) == 2
    assert verify("--team", slug(charlie)).startswith(f"{slug(charlie)}: verified up to row 2")
    raw().filter(team_id=alice.team.pk, target_id="run_1").update(action="run.deleted")
    assert fault().startswith(f"{slug(alice)}: row 2 ")
    assert "up to row 2" in verify("--team", slug(charlie))
    assert charlie.api.get("/api/audit/chain").data["broken"] is None
    state = alice.api.get("/api/audit/chain").data
    assert (state["verified"], state["broken"], state["problem"]) == (1, 2, "changed")


@pytest.mark.parametrize(
    "change",
    [
        {"action": "run.deleted"},
        {"actor_id": "usr_other"},
        {"target_id": "run_9"},
        {"at": datetime(2026, 1, 2, tzinfo=UTC)},
        {"data": {"number": 7}},
        {"content": {"note": "bye"}},
        {"data": {}},
    ],
    ids=str,
)
def test_a_row_that_was_changed_is_named(alice: Person, change: dict[str, Any]) -> None:
    write(alice)
    verify()
    key = link(3).entry_id
    raw().filter(pk=key).update(**change)
    assert fault().startswith(f"{slug(alice)}: row 3 ({key}): ")


def test_a_row_that_was_removed_is_named_with_its_link_or_without(alice: Person) -> None:
    write(alice)
    verify()
    raw().filter(pk=link(3).entry_id).delete()
    assert "row 3" in fault() and "the row was removed" in fault()
    link(3).delete()
    assert "row 3: the link is missing" in fault()
    AuditLink.objects.filter(position__gt=3).update(position=F("position") - 1)
    assert "row 3 " in fault()


def test_a_cut_off_end_is_named(alice: Person) -> None:
    write(alice)
    verify()
    last = link(6)
    raw().filter(pk=last.entry_id).delete()
    last.delete()
    assert "row 6: the end of the chain is missing" in fault()


def test_swapped_rows_are_named(alice: Person) -> None:
    write(alice)
    verify()
    two, five = link(2), link(5)
    AuditLink.objects.filter(pk=two.pk).update(position=-1)
    AuditLink.objects.filter(pk=five.pk).update(position=2)
    AuditLink.objects.filter(pk=two.pk).update(position=5)
    assert "row 2 " in fault()


def test_a_row_that_was_put_in_between_is_named(alice: Person) -> None:
    write(alice)
    verify()
    for position in (6, 5, 4):
        AuditLink.objects.filter(position=position).update(position=position + 1)
    forged = AuditEntry.objects.create(team=alice.team, action="run.started", target_id="run_x")
    AuditLink.objects.create(team=alice.team.pk, position=4, entry=forged, digest="0" * 64, linked_at=timezone.now())
    assert "row 4 " in fault()


def test_a_row_with_an_earlier_date_stands_at_the_end_and_is_told(alice: Person) -> None:
    write(alice)
    verify()
    forged = AuditEntry.objects.create(team=alice.team, action="run.started", target_id="run_x")
    raw().filter(pk=forged.pk).update(at=timezone.now() - timedelta(days=2))
    assert "row 7 (1 dated before the row ahead of them)" in verify()


def test_without_a_chain_row_its_links_are_named_and_other_teams_go_on(alice: Person, charlie: Person) -> None:
    write(alice)
    verify()
    AuditChain.objects.filter(pk=alice.team.pk).delete()
    assert "a link stands beyond the end" in fault()
    write(alice, 1)
    write(charlie, 1)
    assert fault().startswith(f"{slug(alice)}: row 1 ")
    assert link_of(charlie) == 1


def link_of(person: Person) -> int | None:
    row = AuditEntry.objects.filter(team=person.team).select_related("link").latest("at")
    return row.link.position


def test_a_chain_that_was_made_anew_is_found_by_what_was_noted_elsewhere(alice: Person) -> None:
    write(alice)
    verify()
    noted = f"{link(4).position}:{link(4).digest}"
    assert "up to row 6" in verify("--team", slug(alice), "--anchor", noted)
    AuditLink.objects.all().delete()
    AuditChain.objects.all().delete()
    raw().filter(target_id="run_1").update(action="run.deleted")
    assert "up to row 6" in verify()
    assert "row 4" in fault("--team", slug(alice), "--anchor", noted)
    assert "another than the one that was noted" in fault("--team", slug(alice), "--anchor", noted)
    with pytest.raises(CommandError, match="this is not the chain that was followed"):
        follow("--after", noted)
    with pytest.raises(CommandError, match="the chain ends at row 6"):
        follow("--after", "9")
    assert "end of the chain" in fault("--team", slug(alice), "--anchor", f"9:{'0' * 64}")


def test_what_is_erased_leaves_no_salt_and_the_chain_verifies(alice: Person, bob: Person) -> None:
    write(alice, 3)
    audit(alice.actor, "member.changed", "member", "mem_1", email="bob@example.org")
    audit(alice.actor, "user.renamed", "user", bob.user.pk, changes={"name": ["Bob", "Robert"]})
    verify()
    erase("run", ["run_0", "run_1"])
    erase_person(bob.user.pk, "bob@example.org", "Bob")
    assert "row 5 (4 with something erased)" in verify()
    assert (link(1).content_salt, link(1).content_digest != "") == (None, True)
    assert link(1).data_salt and link(3).content_salt, "what was not erased is still vouched for"
    assert link(4).data_salt is None and link(5).content_salt is None
    raw().filter(target_id="run_0").update(data={"number": 5})
    assert "row 1 " in fault() and "its facts were changed" in fault()


def test_a_team_that_goes_leaves_a_chain_that_verifies(alice: Person, charlie: Person) -> None:
    write(alice)
    verify()
    erase_team(alice.team.pk)
    assert "6 with something erased" in verify()
    assert not AuditLink.objects.exclude(data_salt=None, content_salt=None).exists()


def test_what_is_erased_before_it_is_linked_is_linked_erased(alice: Person) -> None:
    write(alice, 2)
    erase("run", ["run_0"])
    assert "up to row 2" in verify()
    assert (link(1).content_salt, link(1).content_digest) == (None, "")


def test_old_rows_leave_from_the_front_and_the_rest_verifies(alice: Person) -> None:
    write(alice)
    for number, days in enumerate((400, 399, 10, 380)):
        raw().filter(target_id=f"run_{number}").update(at=timezone.now() - timedelta(days=days))
    raw().filter(target_id="run_3").update(at=timezone.now() - timedelta(days=9))
    verify()
    noted = f"2:{link(2).digest}"
    assert has_old(365) and delete_old(365) == 2 and not has_old(365) and delete_old(0) == 0
    assert "row 6 (2 gone by age)" in verify() and AuditLink.objects.count() == 4
    assert "up to row 6" in verify("--team", slug(alice), "--anchor", noted)
    assert "row 2" in fault("--team", slug(alice), "--anchor", f"2:{'0' * 64}")
    assert "gone by age" in fault("--team", slug(alice), "--anchor", f"1:{'0' * 64}")
    assert [item["link"]["position"] for item in follow()] == [3, 4, 5, 6]
    AuditChain.objects.update(start=3)
    assert "row 4 " in fault()


def test_a_removed_row_is_told_until_its_age(alice: Person) -> None:
    write(alice)
    verify()
    raw().filter(target_id="run_0").delete()
    assert not has_old(365) and "row 1 " in fault()
    AuditLink.objects.filter(position=1).update(linked_at=timezone.now() - timedelta(days=366))
    assert has_old(365) and delete_old(365) == 1
    assert "1 gone by age" in verify()


def test_lines_prove_themselves_to_who_reads_them_elsewhere(alice: Person) -> None:
    write(alice, 4, amount=1.0, text="Überweisung 发票")
    lines = follow()
    before = "0" * 64
    for line in lines:
        place = line["link"]
        content = {**({"changes": line["changes"]} if line["changes"] else {}), **line["content"]}
        assert part_digest(place["data_salt"], line["data"]) == place["data_digest"]
        assert part_digest(place["content_salt"], content) == place["content_digest"]
        facts = [
            line["id"],
            line["at"],
            line["team"],
            line["actor"]["id"],
            None,
            line["action"],
            line["kind"],
            line["target"],
        ]
        before = link_digest(before, place["position"], facts, place["data_digest"], place["content_digest"])
        assert before == place["digest"]
    assert [item["link"]["position"] for item in follow("--after", "2", "--team", slug(alice))] == [3, 4]
    assert follow("--after", f"4:{before}") == []


@pytest.mark.django_db(transaction=True)
def test_an_export_can_go_on_from_a_position(alice: Person, vera: Person) -> None:
    write(alice, 3)
    verify()
    lines = [json.loads(line) for line in exported(alice, "?format=jsonl&after=1").splitlines()]
    assert [line["link"]["position"] for line in lines] == [2, 3]
    assert alice.api.get("/api/audit/export?format=csv&after=1").status == 400
    assert alice.api.get("/api/audit/export?format=jsonl&after=x").status == 400
    assert vera.api.get("/api/audit/chain").status == 403


def test_numbers_are_written_alike_whatever_database_gives_them() -> None:
    assert canonical({"b": 1.0, "a": [1e22, 0.1]}) == canonical({"a": [10**22, 0.1], "b": 1})
    assert canonical({"名": "é"}).isascii()


def test_many_rows_are_linked_in_batches(alice: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain, "AT_ONCE", 4)
    write(alice, 10)
    rests: list[None] = []
    assert chain.link_rows(rest=lambda: rests.append(None)) == 10
    assert len(rests) == 2 and "up to row 10" in verify()
    assert chain.link_rows() == 0


def test_the_chore_of_each_minute_looks_at_recent_rows_and_then_at_all(alice: Person) -> None:
    write(alice, 2)
    raw().filter(target_id="run_0").update(at=timezone.now() - timedelta(days=30))
    assert chain.link_rows(recent=True) == 1
    assert chain.link_rows() == 1


@pytest.mark.django_db(transaction=True)
def test_a_worker_links_and_verifies_by_itself(alice: Person) -> None:
    write(alice)
    keeper = MaintenanceRunner("one", 30, look_every_s=0.01)
    keeper.start()
    try:
        until(lambda: Chore.objects.filter(name=VERIFYING, done_at__gt=0).exists(), 60)
    finally:
        keeper.stop(10)
    state = alice.api.get("/api/audit/chain").data
    assert (state["verified"], state["waiting"]) == (6, 0)


def test_writing_a_row_takes_one_statement_as_before(alice: Person, django_assert_num_queries: Any) -> None:
    actor = alice.actor
    with django_assert_num_queries(1):
        audit(actor, "run.started", "run", "run_1")
