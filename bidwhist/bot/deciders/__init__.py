"""Bots that have been loaded to play: a class for each kind, behind the interface `Decider`."""
