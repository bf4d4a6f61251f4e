"""Modules of bots written in Python: imported, and looked into for what plays."""
