"""A dataset folder: tables of Parquet that a pull writes and the service serves."""
