"""When a person is to be alerted about agents: rules, what they apply to, and budgets. Pure."""
