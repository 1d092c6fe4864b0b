"""Backups: what stands in one, what is noticed when it was changed, and what is refused before anything is touched."""

from __future__ import annotations

import gzip
import io
import json
import sqlite3
import tarfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.management import CommandError, call_command
from django.db import connection

from backend.database.migrating import COPIES_KEPT, copy_beside
from backend.project.backups import restore
from backend.project.backups.archive import CHECKSUMS, KEY, MANIFEST, Damaged, Reader, from_json, to_json
from backend.project.backups.backup import LEFT_OUT, write_backup
from backend.project.backups.restore import Refused, read_backup
from tests.people import Person

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def archive(tmp_path: Path, bob: Person) -> Path:
    path = tmp_path / "all.tar.gz"
    write_backup(path)
    return path


@pytest.fixture
def empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(restore, "_refuse_where_people_are", lambda: None)


def members(path: Path) -> dict[str, bytes]:
    with tarfile.open(path) as tar:
        return {item.name: tar.extractfile(item).read() for item in tar}  # type: ignore[union-attr]


def packed(content: dict[str, bytes]) -> io.BytesIO:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, data in content.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    out.seek(0)
    return out


def changed(path: Path, **manifest: Any) -> io.BytesIO:
    content = members(path)
    content[MANIFEST] = json.dumps({**json.loads(content[MANIFEST]), **manifest}).encode()
    return packed(content)


def test_it_holds_every_table_and_is_for_its_owner_alone(archive: Path, bob: Person) -> None:
    content = members(archive)
    manifest = json.loads(content[MANIFEST])
    assert archive.stat().st_mode & 0o777 == 0o600
    assert next(iter(content)) == MANIFEST and list(content)[-1] == CHECKSUMS
    tables = set(connection.introspection.table_names()) - LEFT_OUT - {"django_migrations"}
    assert tables == set(manifest["tables"])
    assert bob.user.id.encode() in content["tables/accounts_user/0.jsonl"]
    assert json.loads(content[CHECKSUMS])["rows"]["accounts_user"] == 1


def test_the_key_can_be_left_out(tmp_path: Path, bob: Person) -> None:
    write_backup(tmp_path / "with.tar.gz")
    write_backup(tmp_path / "without.tar.gz", with_key=False)
    assert KEY in members(tmp_path / "with.tar.gz") and KEY not in members(tmp_path / "without.tar.gz")


def test_a_folder_gets_a_file_with_the_time_in_its_name(tmp_path: Path, bob: Person, capsys: Any) -> None:
    call_command("backup", str(tmp_path))
    (created,) = tmp_path.iterdir()
    assert created.name.startswith("patchbay-2") and created.name.endswith(".tar.gz")
    assert "It holds the key file" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("value", "kind"),
    [(b"\x00\xff", "bytes"), (True, "bool"), (None, "time"), ("2026-11-22", "date"), ("a\u2028\n", "plain")],
)
def test_values_come_back(value: Any, kind: str) -> None:
    written = json.loads(json.dumps(to_json(value, kind)))
    assert to_json(from_json(written, kind), kind) == written
    assert bytes(from_json(written, kind)) == value if kind == "bytes" else written == value


def test_an_installation_with_people_is_refused(archive: Path, bob: Person) -> None:
    with archive.open("rb") as file, pytest.raises(Refused, match="is not empty"):
        read_backup(file)
    with pytest.raises(CommandError, match=r"is not empty.*Nothing was changed"):
        call_command("restore", str(archive))


@pytest.mark.parametrize(
    "manifest",
    [{"format": 99}, {"migrations": {"runs": ["0001_initial", "9999_of_tomorrow"]}}],
)
def test_a_newer_version_is_refused(archive: Path, empty: None, manifest: dict[str, Any]) -> None:
    with pytest.raises(Refused, match=r"newer version.*Update first"):
        read_backup(changed(archive, **manifest))


@pytest.mark.parametrize("name", ['x" (y) VALUES (1); --', "Ünsinn", ""])
def test_names_that_are_none_of_ours_are_refused(archive: Path, empty: None, name: str) -> None:
    with pytest.raises(Damaged, match="none of ours"):
        read_backup(changed(archive, tables={"accounts_user": [[name, "plain"]]}))


def test_a_missing_or_wrong_key_is_refused(archive: Path) -> None:
    def take(content: dict[str, bytes]) -> None:
        plan = restore._plan(json.loads(content[MANIFEST]))
        rest: Iterator[tuple[str, bytes]] = iter([(name, data) for name, data in content.items() if name != MANIFEST])
        restore._key_and_presets(plan, rest)

    content = members(archive)
    take(content)
    with pytest.raises(Damaged, match="key does not fit"):
        take({**content, KEY: Fernet.generate_key()})
    foreign = json.loads(content[MANIFEST])
    foreign["key_check"] = Fernet(Fernet.generate_key()).encrypt(b'"patchbay"').decode()
    with pytest.raises(Refused, match="holds no key"):
        take({MANIFEST: json.dumps(foreign).encode(), CHECKSUMS: b"{}"})


def test_what_is_no_backup_or_cut_off_or_changed_is_noticed(archive: Path, empty: None) -> None:
    def read(file: io.BytesIO) -> None:
        reader = Reader(file)
        for name, data in reader.members():
            if name.startswith("tables/"):
                reader.count(name.split("/")[1], data.count(b"\n"))
        reader.check()

    read(io.BytesIO(archive.read_bytes()))
    with pytest.raises(Damaged, match="not a backup"):
        read_backup(io.BytesIO(b"hello"))
    with pytest.raises(Damaged, match="not a backup"):
        read(packed({"anything": b""}))
    content = members(archive)
    with pytest.raises(Damaged, match="cut off"):
        read(packed({name: data for name, data in content.items() if name != CHECKSUMS}))
    with pytest.raises(Damaged, match="cut off or damaged"):
        whole = gzip.decompress(archive.read_bytes())
        read(io.BytesIO(gzip.compress(whole[: whole.index(b"bob@")])))
    part = "tables/accounts_user/0.jsonl"
    with pytest.raises(Damaged, match="not what was written"):
        read(packed({**content, part: content[part].replace(b"bob@", b"bib@")}))


def test_an_embedded_database_is_copied_whole_and_the_last_copies_stay(tmp_path: Path) -> None:
    path = tmp_path / "patchbay.sqlite3"
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE number (n)")
        (tmp_path / "patchbay.before-20200101-000000-000000.half").touch()
        created = []
        for n in range(COPIES_KEPT + 2):
            database.execute("INSERT INTO number VALUES (?)", [n])
            database.execute("BEGIN IMMEDIATE")
            database.execute("INSERT INTO number VALUES (-1)")  # not committed: in no copy
            created.append(copy_beside(path))
            database.execute("ROLLBACK")
    assert sorted(path for path in tmp_path.iterdir() if ".before-" in path.name) == created[2:]
    assert created[-1].stat().st_mode & 0o777 == 0o600
    for n, copy in enumerate(created[2:], 2):
        with closing(sqlite3.connect(copy)) as database:
            assert [row[0] for row in database.execute("SELECT n FROM number ORDER BY n")] == list(range(n + 1))
