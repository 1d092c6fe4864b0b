"""What a front end asked, once for each id that it gave, so that the same id is answered by the same run again."""

from __future__ import annotations

from django.db import models

from backend.runs.models import Run


class Request(models.Model):
    """A request of a front end (`/agui`): its stream is what the run's log says after event `after`.

    `key` = digest of the workflow, the member, the thread and the id that the client gave. Goes with its run.
    """

    id = models.BigAutoField(primary_key=True)
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=64, unique=True)
    after = models.PositiveBigIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.run_id} after {self.after}"
