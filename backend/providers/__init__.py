"""LLM providers of a team: OpenAI-compatible endpoints with keys, models and prices."""
