"""Hidden hands that agree with all that a seat has seen: counted, drawn uniformly, made into states to play on from."""
