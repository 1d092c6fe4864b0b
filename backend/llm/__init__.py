"""Chat with language models: the words (types), and the client for OpenAI-compatible endpoints. Pure: no Django."""
