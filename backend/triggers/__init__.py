"""What starts a workflow's published version without a person: webhooks, schedules, events. Rows, and no process."""
