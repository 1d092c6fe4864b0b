"""Addresses of what MCP clients are offered, below /api/. `/mcp` itself is no address of Django's."""

from __future__ import annotations

from django.urls import path

from backend.web.late_views import LateView

urlpatterns = [path("workflows/<str:workflow>/offer", LateView("backend.mcp_server.api", "OfferView"))]
