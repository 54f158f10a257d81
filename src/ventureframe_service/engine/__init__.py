"""The index of the embedded service: finding rows and cutting pages."""
