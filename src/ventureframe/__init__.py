"""Research notebooks and a helper for a startup, founder and investor data service."""
