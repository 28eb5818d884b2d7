"""Settings of all tests: hypothesis draws the same examples in every run, and keeps nothing on disk."""

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None, database=None)
settings.load_profile("same")
