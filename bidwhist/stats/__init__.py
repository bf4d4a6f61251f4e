"""Statistics of paired boards: what the results say, and how surely."""
