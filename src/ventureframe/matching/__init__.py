"""A user's list matched to the records: how it is read, compared and graded."""
