"""States, claims, caveats and findings: what every study carries."""
