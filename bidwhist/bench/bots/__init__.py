"""Bots that cost next to nothing themselves, so that what is measured is the engine's way to a bot of their kind."""
