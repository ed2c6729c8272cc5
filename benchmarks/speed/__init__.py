"""The speed benchmark: ratios in one run, beside real peers from the registries."""
