"""The Celery app. Tasks are hints: the database is the queue of record (design.md, "Engine contract")."""

from __future__ import annotations

import os

from celery import Celery

from backend.project import wake_transport

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backend.project.settings")
wake_transport.register()

app = Celery("patchbay")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
