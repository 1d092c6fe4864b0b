"""Addresses of websockets."""

from django.urls import re_path

from backend.runs.live.consumers import RunsConsumer

websocket_urlpatterns = [re_path(r"^ws/$", RunsConsumer.as_asgi())]
