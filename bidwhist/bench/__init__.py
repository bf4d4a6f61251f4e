"""What `bw-arena bench` measures: how fast the engine is where people meet it, beside plain C in the same run."""
