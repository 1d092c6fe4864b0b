"""The two addresses of signing in through the identity provider: on the way there, and back. Both are for browsers."""

from __future__ import annotations

import hmac
import logging
import time
from typing import Any

from django.conf import settings
from django.contrib.auth import logout
from django.http import HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle
from rest_framework.views import APIView

from backend.accounts.auth.sessions import sign_in
from backend.errors import Forbidden, NotFound
from backend.sso import provider, services
from backend.sso.claims import refused

log = logging.getLogger(__name__)
KEPT, GOOD_S = "sso_asked", 600
_BACK = {302: None}


class SsoThrottle(SimpleRateThrottle):
    """Each may cost a request to the provider; whole offices come from one address."""

    rate = "300/min"

    def get_cache_key(self, request: Request, view: APIView) -> str:
        """One bucket per address."""
        return f"sso:{self.get_ident(request)}"


class _SsoView(APIView):
    authentication_classes = ()
    permission_classes = (AllowAny,)
    throttle_classes = (SsoThrottle,)

    def check_throttles(self, request: Request) -> None:
        """There is nothing here where no provider is named. Raises NotFound."""
        if not settings.PATCHBAY.oidc_issuer:
            raise NotFound
        super().check_throttles(request)


class StartView(_SsoView):
    """On the way to the provider."""

    @extend_schema(
        operation_id="sso_start",
        auth=[],
        parameters=[OpenApiParameter("next", str, description="The page to come back to.")],
        responses=_BACK,
    )
    def get(self, request: Request) -> HttpResponseRedirect:
        """Send the browser to the identity provider."""
        back_to = request.query_params.get("next", "/")
        if not url_has_allowed_host_and_scheme(back_to, allowed_hosts=None) or not back_to.startswith("/"):
            back_to = "/"
        attempt = provider.SignInAttempt.new(back_to[:4000])
        try:
            where = provider.authorization_url(attempt)
        except (provider.Unreachable, provider.Declined) as error:
            return _back(provider.as_forbidden(error))
        names = ("state", "nonce", "verifier", "back_to", "at")
        request._request.session[KEPT] = {name: getattr(attempt, name) for name in names}
        return HttpResponseRedirect(where)


class CallbackView(_SsoView):
    """Back from the provider."""

    @extend_schema(
        operation_id="sso_callback",
        auth=[],
        parameters=[OpenApiParameter("code", str), OpenApiParameter("state", str), OpenApiParameter("error", str)],
        responses=_BACK,
    )
    def get(self, request: Request) -> HttpResponseRedirect:
        """Sign in whom the provider vouches for; without that back to the sign-in page, which says why."""
        kept: Any = request._request.session.pop(KEPT, None)
        query = request.query_params
        try:
            attempt = provider.SignInAttempt(**kept) if isinstance(kept, dict) else None
            if attempt is None or time.time() - attempt.at > GOOD_S:
                raise Forbidden(params={"reason": "sso_late"})
            if not hmac.compare_digest(query.get("state", "").encode(), attempt.state.encode()):
                raise refused("another state")
            if query.get("iss", settings.PATCHBAY.oidc_issuer) != settings.PATCHBAY.oidc_issuer:
                raise refused("another issuer")
            if query.get("error") or not query.get("code"):
                raise provider.Declined(query.get("error", "no code")[:100])
            user = services.come_in(*provider.redeem(query["code"], attempt))
        except (provider.Unreachable, provider.Declined) as error:
            return _back(provider.as_forbidden(error))
        except Forbidden as error:
            log.warning("signing in through %s: %s", settings.PATCHBAY.oidc_issuer, error.detail or error.params)
            return _back(error)
        logout(request._request)
        sign_in(request._request, user)
        return HttpResponseRedirect(attempt.back_to)


def _back(error: Forbidden) -> HttpResponseRedirect:
    """To the sign-in page, which has the sentence (`project.web`)."""
    return HttpResponseRedirect(f"/?sso={error.params['reason']}")
