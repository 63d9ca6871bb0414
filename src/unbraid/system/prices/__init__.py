"""Prices of models: those that come with this package, and a person's own."""
