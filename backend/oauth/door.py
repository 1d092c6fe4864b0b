"""What programs of clients ask for: where to sign in, registration, tokens. No address of the API: OAuth's own answers.

The bodies, the errors and their names are the standard's (RFC 6749, 7009, 7591, 8414, 9728).
"""

from __future__ import annotations

import json
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.views import View

from backend.accounts.auth.rate_limits import RATES
from backend.database.storage_errors import storage_problem
from backend.errors import NotFound, RateLimited
from backend.oauth.addresses import SCOPES, audience_of, audience_of_path, own_origin
from backend.oauth.clients import register
from backend.oauth.granting import Issued, redeem, renew, revoke
from backend.oauth.refusals import Refused
from backend.web.lookup import storable
from backend.web.rest import error_body

LARGEST = 64 * 1024
PER_MINUTE = 300
"""Requests for tokens of one address."""


class Door(View):
    """Something that clients ask for. No cookie counts here, and every origin may read the answer."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer, or say by the standard what is wrong."""
        try:
            response = self._answer(request, *args, **kwargs)
        except Refused as error:
            body = {"error": error.error, "error_description": error.why}
            response = JsonResponse(body, status=error.status)
        except RateLimited as error:
            body = {"error": "temporarily_unavailable", "error_description": error.text("en")[0]}
            response = JsonResponse(body, status=429, headers={"Retry-After": str(error.params["retry_after"])})
        except NotFound as error:
            response = JsonResponse(error_body(error, request), status=error.status)
        except Exception as error:
            if (problem := storage_problem(error)) is None:
                raise
            body = {"error": "temporarily_unavailable", "error_description": problem.text("en")[0]}
            response = JsonResponse(body, status=problem.status)
        response["Access-Control-Allow-Origin"] = "*"
        response.setdefault("Cache-Control", "no-store")
        return response

    def _answer(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if int(request.META.get("CONTENT_LENGTH") or 0) > LARGEST:
            raise Refused("invalid_request", f"The body has more than {LARGEST} bytes.", 413)
        return super().dispatch(request, *args, **kwargs)

    def options(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """A browser asks whether a page of a client may ask."""
        headers = {
            "Access-Control-Allow-Methods": "GET, POST",
            "Access-Control-Allow-Headers": "Authorization, Content-Type, MCP-Protocol-Version",
            "Access-Control-Max-Age": "3600",
        }
        return HttpResponse(status=204, headers=headers)


class ResourceView(Door):
    """What an address says of itself for which there are tokens (RFC 9728)."""

    def get(self, request: HttpRequest, path: str = "") -> HttpResponse:
        """Where one signs in to it. Raises NotFound for any other address."""
        audience = audience_of_path(path or "/mcp")
        if audience is None:
            raise NotFound
        origin = own_origin(request.get_host())
        return _public(
            {
                "resource": f"{origin}{audience}",
                "authorization_servers": [origin],
                "scopes_supported": SCOPES,
                "bearer_methods_supported": ["header"],
                "resource_name": "Patchbay",
                "resource_documentation": f"{settings.PUBLIC_URL}/docs/en/sharing",
            }
        )


class ServerView(Door):
    """What the authorization server says of itself (RFC 8414)."""

    def get(self, request: HttpRequest, path: str = "") -> HttpResponse:
        """Its addresses, and what it can do. Raises NotFound below an address for which there are no tokens."""
        if path and audience_of_path(path) is None:
            raise NotFound
        origin = own_origin(request.get_host())
        return _public(
            {
                "issuer": origin,
                "authorization_endpoint": f"{origin}/oauth/authorize",
                "token_endpoint": f"{origin}/oauth/token",
                "registration_endpoint": f"{origin}/oauth/register",
                "revocation_endpoint": f"{origin}/oauth/revoke",
                "response_types_supported": ["code"],
                "response_modes_supported": ["query"],
                "grant_types_supported": ["authorization_code", "refresh_token"],
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["none"],
                "revocation_endpoint_auth_methods_supported": ["none"],
                "scopes_supported": SCOPES,
                "client_id_metadata_document_supported": True,
                "authorization_response_iss_parameter_supported": True,
                "service_documentation": f"{settings.PUBLIC_URL}/docs/en/sharing",
            }
        )


def _public(body: dict[str, Any]) -> JsonResponse:
    return JsonResponse(body, headers={"Cache-Control": "public, max-age=300", "Vary": "Host"})


class RegisterView(Door):
    """A client registers itself (RFC 7591)."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """A new client id, and what it is good for. Never a secret: every client is a public one."""
        try:
            parsed = json.loads(request.body)
        except (ValueError, RecursionError):
            raise Refused("invalid_client_metadata", "The body must be a JSON object.") from None
        row = register(parsed, request.META.get("REMOTE_ADDR", ""))
        body = {
            "client_id": row.pk,
            "client_id_issued_at": int(row.created_at.timestamp()),
            "client_name": row.name,
            "redirect_uris": row.redirect_uris,
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
            "scope": " ".join(SCOPES),
        }
        return JsonResponse(body, status=201)


class TokenView(Door):
    """Tokens for a code, or for a refresh token."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """The tokens."""
        RATES.take("client_tokens", request.META.get("REMOTE_ADDR", ""), PER_MINUTE)
        client, kind = _field(request, "client_id"), _field(request, "grant_type")
        audience = _audience(request)
        if kind == "authorization_code":
            code, verifier = _field(request, "code"), _field(request, "code_verifier")
            issued = redeem(code, client, _field(request, "redirect_uri"), verifier, audience)
        elif kind == "refresh_token":
            issued = renew(_field(request, "refresh_token"), client, audience, request.POST.get("scope", ""))
        else:
            raise Refused("unsupported_grant_type", "grant_type must be authorization_code or refresh_token.")
        return JsonResponse(_tokens(issued))


class RevokeView(Door):
    """A token is given back."""

    def post(self, request: HttpRequest) -> HttpResponse:
        """End it; whether there was one is not told."""
        RATES.take("client_tokens", request.META.get("REMOTE_ADDR", ""), PER_MINUTE)
        revoke(_field(request, "token"), _field(request, "client_id"))
        return HttpResponse(status=200)


def _tokens(issued: Issued) -> dict[str, Any]:
    return {
        "access_token": issued.access,
        "token_type": "Bearer",
        "expires_in": issued.seconds,
        "refresh_token": issued.refresh,
        "scope": " ".join(issued.scopes),
    }


def _field(request: HttpRequest, name: str) -> str:
    """A field of the form. Raises Refused."""
    values = request.POST.getlist(name)
    if len(values) != 1 or not values[0]:
        raise Refused("invalid_request", f"{name} must be given once, in a form.")
    if not storable(values[0]):
        raise Refused("invalid_request", f"{name} holds characters that nothing here has.")
    return values[0]


def _audience(request: HttpRequest) -> str | None:
    """What `resource` names, None where it is not given. Raises Refused."""
    if "resource" not in request.POST:
        return None
    audience = audience_of(_field(request, "resource"))
    if audience is None:
        raise Refused("invalid_target", "resource is no address of MCP or of an agent here.")
    return audience
