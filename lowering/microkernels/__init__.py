"""microkernels."""
