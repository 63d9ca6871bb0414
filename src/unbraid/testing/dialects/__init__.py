"""The answers of a scripted model, in the dialects of several APIs."""
