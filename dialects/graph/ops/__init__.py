"""The graph operations, one file a family."""
