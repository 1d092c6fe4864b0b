"""Addresses of a workflow as an agent, below /api/. `/a2a` itself is no address of Django's."""

from __future__ import annotations

from django.urls import path

from backend.web.late_views import LateView

urlpatterns = [path("workflows/<str:workflow>/agent", LateView("backend.a2a.api", "AgentView"))]
