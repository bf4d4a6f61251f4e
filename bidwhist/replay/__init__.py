"""Hands of a run once more: their cards, and the decisions that their players took."""
