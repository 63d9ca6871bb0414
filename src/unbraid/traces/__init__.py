"""A run as one trace: its agents, model messages, tool calls and permission requests as spans."""

from unbraid.traces.identity import TraceIdentity, TraceParent
from unbraid.traces.run_trace import RunTrace
from unbraid.traces.span import Span, SpanEvent

__all__ = ["RunTrace", "Span", "SpanEvent", "TraceIdentity", "TraceParent"]
