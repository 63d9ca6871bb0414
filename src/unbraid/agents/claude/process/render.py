"""What Claude Code would have printed, from the lines that it prints for us instead."""

from __future__ import annotations

from unbraid.agents.claude.heads import ProcessHead, process_head
from unbraid.agents.command_line import option
from unbraid.agents.process_port import Command

# What `--output-format json --verbose` leaves out.
_LEFT_OUT = ("stream_event", "keep_alive")


class StreamJsonRenderer:
    """Takes the lines of `stream-json`; gives the bytes of `text` or `json` when they are due."""

    def __init__(self, command: Command) -> None:
        self._command = command
        self._all: list[bytes] = []
        self._results: list[ProcessHead] = []
        self._last = b""

    def line(self, line: bytes) -> bytes:
        """Takes one line, without its end. Returns what it makes visible at once."""
        read = process_head(line)
        if read is None:
            # Some wrapper's own words, which the person would have seen.
            return line + b"\n" if line.strip() else b""
        if read.type == "result":
            self._last = line
            if read.result_index is None:
                # Older versions show the last one only.
                self._results.clear()
            self._results.append(read)
        left_out = read.type in _LEFT_OUT or read.type.startswith("control_")
        if self._command.prints == "json" and self._command.verbose and not left_out:
            self._all.append(line)
        return b""

    def end(self) -> bytes:
        """Returns the rest, when the stream is over."""
        if not self._last:
            return b""
        if self._command.prints == "json":
            return (b"[" + b",".join(self._all) + b"]" if self._all else self._last) + b"\n"
        return "\n".join(map(self._text, self._results)).encode("utf-8", "replace")

    def exit_code(self, code: int) -> int:
        """Returns the code itself: it is the same program."""
        return code

    def _text(self, result: ProcessHead) -> str:
        match result.subtype:
            case "success":
                return (result.result or "").removesuffix("\n") + "\n"
            case "error_max_turns":
                return f"Error: Reached max turns ({self._limit('--max-turns')})"
            case "error_max_budget_usd":
                return f"Error: Exceeded USD budget ({self._limit('--max-budget-usd')})"
            case "error_max_structured_output_retries":
                return "Error: Failed to provide valid structured output after maximum retries"
            case _:
                return "Execution error"

    def _limit(self, name: str) -> str:
        return option(self._command.argv, name) or ""
