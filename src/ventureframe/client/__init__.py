"""The helper: token, requests session, paging to frames."""
