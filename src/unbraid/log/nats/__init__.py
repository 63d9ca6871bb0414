"""NATS JetStream as the journal of a log that many machines share. Needs the extra
`unbraid[nats]`; nothing of it is imported before a log is opened there.
"""
