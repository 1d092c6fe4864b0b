"""The planner: works step by step, rates risk, asks, can be paused."""
