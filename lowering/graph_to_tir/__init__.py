"""graph_to_tir."""
