"""Sends runs as traces to an OpenTelemetry collector, over OTLP."""
