"""Values that the client and the embedded service share; imports nothing else here."""
