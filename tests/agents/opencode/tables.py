"""The tables of OpenCode's database, with the columns that we read of them."""

from __future__ import annotations

TABLES = """
CREATE TABLE session
    (id, parent_id, title, directory, version, time_created, time_updated, agent, model);
CREATE TABLE message (id, session_id, data, time_updated);
CREATE TABLE part (id, message_id, session_id, time_created, data, time_updated);
"""
