"""What events mean: streams, the tree, conversations, status, usage, prices, alerts. Pure."""
