"""Patchbay as a client: each scenario of the official suite through the registry, a sign-in, the pool and a run."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.conformance.suite import PATIENCE_S, REVISIONS, conformance
from tests.instance import Instance

pytestmark = pytest.mark.timeout(PATIENCE_S)
UNSCORED = {
    "auth/enterprise-managed-authorization": "signing in by a company's identity provider is not built",
    "auth/dpop": "DPoP is not built",
    "auth/dpop-nonce": "DPoP is not built",
    "auth/wif-jwt-bearer": "workload identity is not built",
}
"""Scenarios of extensions, which no revision requires, and why they fail."""


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_scenario_that_is_scored_passes(
    revision: str, patchbay: Instance, cookies: dict[str, str], found: Path
) -> None:
    command = f"{sys.executable} -m tests.conformance.client"
    at = {"PATCHBAY_AT": patchbay.url, "PATCHBAY_COOKIES": json.dumps(cookies)}
    outcome = conformance("client", revision, found, "--command", command, **at)
    assert {name: why for name, why in outcome.failed.items() if name not in UNSCORED} == {}, outcome.printed[-4000:]
    assert set(outcome.failed) == set(UNSCORED), "what passes now belongs on no list of what fails"
    assert len(outcome.passed) >= {"2025-11-25": 20, "2026-07-28": 34}[revision]
