"""Bots to start from. `bw-arena new` writes one of them with a name of its own in place of `mybot`, and its test."""
