"""How often a patch that a model spoilt lands byte for byte, and how often a stale one is refused: see __main__."""
