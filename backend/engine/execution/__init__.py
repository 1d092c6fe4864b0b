"""A segment of a run: schedule, steps, effects, replay."""
