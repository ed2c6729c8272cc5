"""What happened, as values, and the bus that tells it to subscribers."""
