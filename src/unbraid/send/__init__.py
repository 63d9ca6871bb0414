"""Consumers of the log: alerts, traces, AG-UI, delivery to another server; exports as files."""
