"""With which message the transcripts of a history begin. Many are read by two processes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

from unbraid.agents.claude.sessions.counts import first_message
from unbraid.agents.claude.sessions.discovery import File
from unbraid.agents.claude.sessions.second_reader import SecondReader, may_fork
from unbraid.agents.claude.sessions.transcript_facts import First
from unbraid.events.decoders import msgpack_decoder
from unbraid.system.files import HeadReader

# Fewer are read in about the time that a second process takes to start.
MIN_FILES = 500
# Sending what was found in each by itself takes a fifth of the time that reading it does.
FILES_AT_ONCE = 32


@contextmanager
def first_messages_reader(files: Sequence[File]) -> Iterator[SecondReader[First]]:
    """Reads with which messages transcripts begin, by their paths, while the block does something
    else; then it takes them all.
    """
    with closing(HeadReader()) as heads:

        def read(file: File) -> First | None:
            return first_message(file.path, heads.read)

        decode = msgpack_decoder(dict[str, First]).decode
        forked = len(files) >= MIN_FILES and may_fork()
        reader = SecondReader(files, read, decode, forked=forked, at_once=FILES_AT_ONCE)
        with closing(reader):
            yield reader
