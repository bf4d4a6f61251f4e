"""A ladder: bots are submitted one after the other, and each plays all that are there already."""
