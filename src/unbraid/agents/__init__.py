"""Everything that knows a kind of agent: one folder per kind, behind one port."""
