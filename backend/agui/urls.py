"""Addresses of what front ends are offered, below /api/. `/agui/…` itself is no address of Django's."""

from __future__ import annotations

from django.urls import path

from backend.web.late_views import LateView

urlpatterns = [path("workflows/<str:workflow>/agui", LateView("backend.agui.api", "AguiView"))]
