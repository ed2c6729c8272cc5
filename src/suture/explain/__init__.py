"""Refusals → problems: the only place with prose about placement. It decides nothing."""
