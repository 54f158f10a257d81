"""What each study says in words: its answer, its claims and its caveats, from its counts alone."""
