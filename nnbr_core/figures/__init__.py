"""Plain figures, tables and sentences. Nothing here trains or waits for a click."""
