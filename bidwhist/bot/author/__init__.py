"""Tools for authors of bots: the context of an object, observations on disk, and Python's debugger."""
