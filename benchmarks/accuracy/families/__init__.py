"""Families of cases about one promise each: `python -m benchmarks.accuracy --family NAME --git PATH`."""
