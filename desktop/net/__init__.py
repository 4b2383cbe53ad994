"""The guarded way out: for every address that a model or a page chose."""
