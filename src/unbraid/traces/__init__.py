"""A run as one trace: its agents, model messages, tool calls and permission requests as spans."""

from unbraid.traces.run_trace import RunTrace, Span, SpanEvent, TraceIdentity, TraceParent

__all__ = ["RunTrace", "Span", "SpanEvent", "TraceIdentity", "TraceParent"]
