"""The plain-Python twin of the Bid Whist rules: slow, obvious, and sharing no code with the engine it checks."""
