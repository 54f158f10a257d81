"""The embedded service: any dataset folder behind the interface, on a real socket."""
