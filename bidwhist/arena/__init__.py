"""Tournaments: their file, their schedule, playing a part of it, and the run that writes the results."""
