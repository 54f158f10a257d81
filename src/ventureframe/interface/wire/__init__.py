"""One table per generation of the wire: paths, parameters, limits and names."""
