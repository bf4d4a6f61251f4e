"""Engines that play many tables: `batch` keeps them in lockstep and asks each bot once for all that wait for it."""
