"""Settings -> run -> record; many of them; notebooks in batch."""
