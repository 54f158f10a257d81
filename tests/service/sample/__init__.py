"""The synthetic sample: a dataset generated from a seed."""
