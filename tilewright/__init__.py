"""Tilewright: a deep-learning graph compiler for x86 CPUs."""

__version__ = "0.1.0"
