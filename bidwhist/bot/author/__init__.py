"""Tools for authors of bots: asking one for a decision, observations on disk, and Python's debugger."""
