"""Agents: rounds with a model, the tool loop, the planner, memory, budgets, prompts. Pure: they see only `ToolSource`,
a `ChatModel` and `ctx`."""
