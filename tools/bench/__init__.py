"""``tilewright bench``: how fast compiled models are, beside other engines in the same run."""
