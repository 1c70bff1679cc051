"""Baskets and records -> something to look at."""
