"""Clients whose id is the address of their document: fetched through the guard, and believed for its host."""

from __future__ import annotations

import json
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from django.conf import settings

from tests.api.oauth.program import BACK, Browser, Program
from tests.certificates import certificate
from tests.people import Person

pytestmark = pytest.mark.django_db


@dataclass
class Site:
    """A client's own web site: paths → (status, headers, body)."""

    origin: str
    pages: dict[str, tuple[int, dict[str, str], bytes]] = field(default_factory=dict)

    def document(self, **other: Any) -> str:
        """A document put up; its address."""
        url = f"{self.origin}/client.json"
        document = {"client_id": url, "client_name": "Cloud", "redirect_uris": [f"{self.origin}/back"], **other}
        self.pages["/client.json"] = (200, {}, json.dumps(document).encode())
        return url


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Site, Path]]:
    """The site, and the certificate by which one knows it."""
    certificate_file, key_file = certificate(tmp_path_factory.mktemp("site"))
    site = Site("")

    class Pages(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = site.pages.get(self.path, (404, {}, b""))
            self.send_response(status)
            for name, value in {**headers, "content-length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate_file, key_file)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    site.origin = f"https://127.0.0.1:{server.server_port}"
    Thread(target=server.serve_forever, daemon=True).start()
    yield site, certificate_file
    server.shutdown()
    server.server_close()


@pytest.fixture
def known(site: tuple[Site, Path], monkeypatch: pytest.MonkeyPatch) -> Site:
    """The site as one that may be reached, whose certificate is trusted."""
    monkeypatch.setattr(settings.PATCHBAY, "outbound_allow", ["127.0.0.1"])
    monkeypatch.setattr(settings.PATCHBAY, "ca_file", str(site[1]))
    site[0].pages.clear()
    return site[0]


def consent_page(bob: Person, url: str, back: str) -> dict[str, Any]:
    """What the page is told of a client with this id."""
    return Browser(bob).ask(Program().query(client_id=url, redirect_uri=back))


def test_its_host_is_proven(bob: Person, known: Site) -> None:
    url = known.document()
    answer = consent_page(bob, url, f"{known.origin}/back")
    assert answer["client"] == {"id": url, "name": "Cloud", "host": known.origin.removeprefix("https://")}
    assert consent_page(bob, url, BACK)["fields"].keys() == {"redirect_uri"}


def test_it_comes_in(bob: Person, known: Site) -> None:
    program, browser = Program(), Browser(bob)
    program.id = known.document(redirect_uris=[BACK])
    assert program.redeem(browser.allow(program))["token_type"] == "Bearer"


def test_what_is_no_document_of_it_is_refused(bob: Person, known: Site) -> None:
    back = f"{known.origin}/back"
    others: list[dict[str, Any]] = [
        {"client_id": f"{known.origin}/other.json"},
        {"redirect_uris": []},
        {"redirect_uris": "all"},
        {"token_endpoint_auth_method": "private_key_jwt"},
    ]
    for other in others:
        assert consent_page(bob, known.document(**other), back)["fields"].keys() == {"client_id"}, other
    url = known.document()
    page = known.pages["/client.json"]
    for answer in (
        (404, {}, page[2]),
        (200, {}, b"<html>"),
        (200, {}, b"[]"),
        (200, {}, page[2] + b" " * 40_000),
        (302, {"location": "/moved.json"}, b""),
    ):
        known.pages |= {"/client.json": answer, "/moved.json": page}
        assert consent_page(bob, url, back)["fields"].keys() == {"client_id"}, answer[:2]


def test_an_address_with_two_meanings_is_no_id(bob: Person, known: Site) -> None:
    for url in (
        known.origin,
        f"{known.origin}/",
        f"{known.origin}/client.json?x=1",
        f"{known.origin}/client.json#x",
        f"{known.origin}/a/../client.json",
        known.origin.replace("https://", "https://claude.ai@") + "/client.json",
        f"{known.origin}/{'x' * 600}",
        "https://[",
    ):
        answer = consent_page(bob, url, BACK)
        assert "must be a plain https address" in answer["fields"]["client_id"][0], url


def test_this_machine_is_not_asked(bob: Person, site: tuple[Site, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Anybody can send a member to an address that names one inside: the guard holds."""
    monkeypatch.setattr(settings.PATCHBAY, "ca_file", str(site[1]))
    answer = consent_page(bob, site[0].document(), f"{site[0].origin}/back")
    assert "cannot be reached" in answer["fields"]["client_id"][0]
