"""Bots of strangers, in processes where they can neither cheat nor harm."""
