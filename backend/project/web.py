"""The page: one document for every address of the app, with its scripts from the build's manifest and a strict CSP."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import ensure_csrf_cookie
from django.views.decorators.http import require_safe

from backend.errors import Forbidden
from backend.version import VERSION
from backend.web.rest import language_of

WEB = Path(__file__).with_name("web")
ENTRY = "src/main.tsx"
NOBODY = "'none'"
SSO_REASONS = {f"sso_{name}" for name in ("answer", "late", "declined", "unreachable", "email", "local", "no_team")}


@cache
def _manifest(changed: float) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((WEB / "app" / ".vite" / "manifest.json").read_text())
    return loaded


def built_file(source: str) -> str | None:
    """The address of what was built of one source file; None when the frontend is not built, or has no such file."""
    path = WEB / "app" / ".vite" / "manifest.json"
    chunk = _manifest(path.stat().st_mtime).get(source) if path.exists() else None
    return None if chunk is None else f"{settings.STATIC_URL}app/{chunk['file']}"


def assets(entry: str = ENTRY) -> dict[str, list[str]] | None:
    """Addresses of a built entry: `{scripts, styles, preloads}`; None when the frontend is not built."""
    path = WEB / "app" / ".vite" / "manifest.json"
    if not path.exists():
        return None
    manifest = _manifest(path.stat().st_mtime)
    if entry not in manifest:  # built by an earlier version
        return None
    styles: list[str] = []
    preloads: list[str] = []
    seen: set[str] = set()

    def follow(key: str) -> None:
        if key in seen:
            return
        seen.add(key)
        chunk = manifest[key]
        styles.extend(chunk.get("css", []))
        for inner in chunk.get("imports", []):
            preloads.append(manifest[inner]["file"])
            follow(inner)

    follow(entry)
    base = f"{settings.STATIC_URL}app/"
    return {
        "scripts": [base + manifest[entry]["file"]],
        "styles": [base + file for file in dict.fromkeys(styles)],
        "preloads": [base + file for file in dict.fromkeys(preloads)],
    }


def content_security_policy(nonce: str, ancestors: Sequence[str] = ()) -> str:
    """Only our own scripts and styles, or those with the page's nonce; no inline code, no foreign origin.

    `ancestors` = origins that may show the page in a frame.
    """
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src 'self' 'nonce-{nonce}'",
            f"style-src 'self' 'nonce-{nonce}'",
            "img-src 'self' data: blob:",
            "media-src 'self' data: blob:",
            "font-src 'self'",
            "connect-src 'self'",
            "worker-src 'self' blob:",
            "manifest-src 'self'",
            "base-uri 'none'",
            "form-action 'self'",
            f"frame-ancestors {' '.join(ancestors) or NOBODY}",
        ]
    )


def _sso_error(request: HttpRequest) -> dict[str, Any] | None:
    """Why the identity provider signed nobody in, where the browser comes back so."""
    reason = request.GET.get("sso", "")
    if reason not in SSO_REASONS:
        return None
    return Forbidden(params={"reason": reason}).as_json(language_of(request))


@require_safe
@ensure_csrf_cookie
def page(request: HttpRequest) -> HttpResponse:
    """The app's document."""
    nonce = secrets.token_urlsafe(16)
    env = settings.PATCHBAY
    data = {
        "version": VERSION,
        "mode": env.mode,
        "csrf_cookie": settings.CSRF_COOKIE_NAME,
        "max_file_mb": env.max_blob_mb,
        "sso": env.oidc_name if env.oidc_issuer else "",
        "sso_error": _sso_error(request),
    }
    response = render(
        request, "index.html", {"nonce": nonce, "assets": assets(), "data": data}, status=200 if assets() else 503
    )
    response["Content-Security-Policy"] = content_security_policy(nonce)
    response["Cache-Control"] = "no-store"
    return response
