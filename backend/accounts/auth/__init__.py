"""How a request proves who it is: sessions, tokens, second factors, passkeys, rate limits."""
