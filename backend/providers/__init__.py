"""LLM providers: OpenAI-compatible endpoints of a team, their keys, models and prices, presets, connection tests.

`connections.chat_model` is the one door from the database to a live model.
"""
