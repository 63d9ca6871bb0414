"""Everything that knows a kind of agent: one room each, behind one port."""
