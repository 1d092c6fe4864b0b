"""The Celery app of the scaled mode. Tasks are hints: the database is the queue of record (design.md, "Engine")."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "backend.project.settings")

app = Celery("patchbay")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
