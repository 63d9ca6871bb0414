"""Secrets, replaced by as many stars.

One engine (`secrets`) finds them, and one class (`lines.LineRedactor`) applies it to lines that
follow each other, whether those are an agent's lines or events of the log. It puts the parts of
each block together, so that a secret is judged whole, and holds back only what may become one.

What comes in is redacted before it is translated (`source`). The log stores a run's bytes until the
run is over, and after a restart the translator is rebuilt from them: were it fed with clear text
and rebuilt from redacted text, the next record, which repeats the block, would be new to it. So the
translator never sees a secret, and neither does anything behind it: no disk and no server. Only the
agent's kind knows how its lines carry parts of a block (`Dialect.delta`), and says so.

What goes out of a log that was written in clear is redacted as it is read (`reader`). A redacted
copy of such a log would be simpler to serve, but it doubles the disk space, is complete only after
the whole history was read, and keeps what is deleted or would be found by better rules.
"""
