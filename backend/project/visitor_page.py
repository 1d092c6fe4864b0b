"""The document of a page trigger, `/p/{address}`: small, never found by search engines, in frames of its sites only.

Of a page by a secret link nothing sets or needs a cookie, so that it works where browsers give frames none.
"""

from __future__ import annotations

import secrets
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from django.views.decorators.http import require_safe

from backend.project.web import assets, content_security_policy

ENTRY = "src/visitor/main.tsx"
HEADERS = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow"}


@require_safe
def visitor_page(request: HttpRequest, address: str) -> HttpResponse:
    """The document; of an address that leads to nothing too, which then says so."""
    from backend.runs.log.encoding import decode
    from backend.triggers.kinds.page import by_link
    from backend.triggers.page.selectors import page_shown_at

    trigger = page_shown_at(address)
    config: Any = decode(trigger.config) if trigger is not None else {"access": "link", "origins": []}
    data = {"base": "", "csrf_cookie": "", "team": ""}  # the link itself is in the address alone
    if trigger is not None and not by_link(config):
        base = f"/api/triggers/{trigger.pk}/page"
        get_token(request)  # sets the cookie that members' requests prove themselves with
        data = {"base": base, "csrf_cookie": settings.CSRF_COOKIE_NAME, "team": _team(request, trigger)}
    nonce = secrets.token_urlsafe(16)
    built = assets(ENTRY)
    status = 503 if built is None else 200 if trigger is not None else 404
    response = render(request, "visitor.html", {"nonce": nonce, "assets": built, "data": data}, status=status)
    response["Content-Security-Policy"] = content_security_policy(nonce, config["origins"])
    if config["origins"]:
        response.xframe_options_exempt = True  # the older header knows no list of sites
    for name, value in HEADERS.items():
        response[name] = value
    return response


def _team(request: HttpRequest, trigger: Any) -> str:
    """The page's team, for a member of it: their requests say in which of their teams they act."""
    from backend.accounts.actor import actor_for
    from backend.accounts.models import User

    user = request.user
    member = actor_for(user, trigger.team_id) if isinstance(user, User) else None
    return trigger.team_id if member is not None else ""
