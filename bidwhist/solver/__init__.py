"""The double-dummy solver: how many tricks each side takes when all cards are seen and everybody plays best."""
