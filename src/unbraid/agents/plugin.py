"""A kind that another package brings, made harmless.

Its code may raise any error anywhere, which would stop the code that asks all kinds: the watcher of
a machine, the list of its sessions. So every part of it is wrapped. A call that fails is answered
as if the kind had nothing to say, and its problem is noted for `unbraid doctor`; where there is no
such answer, because a person asked for this very kind, it is a SourceError.
"""

from __future__ import annotations

import inspect
import math
import threading
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from msgspec import Struct, field

from unbraid.agents.control_port import Controller
from unbraid.agents.port import AgentKind
from unbraid.errors import SourceError, UnbraidError
from unbraid.events import RelayEvent, Unrecognized
from unbraid.timings import PLUGIN_LOAD_TIMEOUT_SECONDS
from unbraid.wire.record import BAD_JSON, Record, sound

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Note = Callable[[str], object]


class _Part(Struct):
    """What a part of a kind answers where its own code fails, the parts that it gives out, and the
    class whose defaults it has.
    """

    answers: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    parts: Mapping[str, _Part] = field(default_factory=dict)
    base: type = object


def _nothing(*args: Any, **named: Any) -> None:
    """Answers None."""


def _no(*args: Any, **named: Any) -> bool:
    return False


def _none(*args: Any, **named: Any) -> tuple[()]:
    return ()


def _empty(*args: Any, **named: Any) -> set[str]:
    return set()


class _SilentWatch:
    """Watches nothing."""

    async def changes(self) -> AsyncGenerator[set[str], None]:
        yield set()

    look = ended = staticmethod(_empty)
    has = staticmethod(_no)
    follow = forget = staticmethod(_nothing)


def _silent_watch(**named: Any) -> _SilentWatch:
    return _SilentWatch()


def _unread(record: Record, out: list[RelayEvent]) -> None:
    out.append(Unrecognized(raw=sound(record.raw)))


_CONTROLLER = _Part({"verbs": lambda: [], "printed": _nothing, "passed": _nothing,
                     "close": _nothing}, base=Controller)  # fmt: skip
_FOLLOWER = _Part({"unsettled": _no, "problems": dict, "read": _none,
                   "silent_seconds": lambda: math.inf})  # fmt: skip
_WATCH = _Part(
    {"changes": _empty, "look": _empty, "has": _no, "follow": _nothing, "forget": _nothing,
     "ended": _empty, "changed_states": _empty, "is_alive": _no, "controller": _nothing},
    {"follow": _FOLLOWER, "controller": _CONTROLLER},
)  # fmt: skip
_STORE = _Part(
    {"is_session_id": _no, "matching": _none, "root": _nothing, "listed": _none, "blocks": _none,
     "run": _nothing, "updated": lambda session_id: 0, "follow": _nothing,
     "watch": _silent_watch, "states": lambda among=(): {}},
    {"follow": _FOLLOWER, "watch": _WATCH},
)  # fmt: skip
_SOURCE = _Part({"session_id": _nothing, "printed": _nothing, "end": _nothing, "begin": _nothing,
                 "read": _none})  # fmt: skip
_RENDERER = _Part({"line": lambda line: line + b"\n", "end": bytes, "exit_code": lambda code: code})
_LAUNCHER = _Part(
    {"recognizes": _no, "piped": _nothing, "controller": _nothing, "renderer": _nothing},
    {"source": _SOURCE, "piped": _SOURCE, "renderer": _RENDERER, "controller": _CONTROLLER},
)  # fmt: skip
_DIALECT = _Part({"ts": lambda: 0, "outcome": _nothing, "decode": _nothing, "mend": _nothing,
                  "reading": _nothing, "program": _nothing, "arrive": _nothing,
                  "translate": _unread, "finish": _nothing})  # fmt: skip
_FILES = _Part({"opened": _nothing, "form": _nothing, "document": _nothing})
_KIND = _Part(
    {"deltas": _nothing, "without_notes": lambda text, of_agent: text, "sessions": _nothing,
     "files": _nothing, "launcher": _nothing, "resumer": _nothing, "backend": _nothing,
     "hooks": _nothing, "tools": _none, "checkup": lambda env: []},
    {"dialect": _DIALECT, "deltas": _Part({"read": _nothing}), "sessions": _STORE,
     "files": _FILES, "launcher": _LAUNCHER, "resumer": _Part(),
     "hooks": _Part({"is_present": _no})},
    AgentKind,
)  # fmt: skip


def load_plugin(entry: EntryPoint, note: Note) -> AgentKind:
    """Returns the kind of an entry point, guarded. Raises whatever is wrong with it."""
    brought = _loaded(entry)
    if not isinstance(brought, AgentKind):
        raise TypeError(f"{entry.value} is not an AgentKind")
    # It is asked about the lines of every other kind, too.
    with suppress(*BAD_JSON):
        brought.dialect().decode(b"{}")
    made: AgentKind = _guarded(brought, _KIND, note)
    return made


def _loaded(entry: EntryPoint) -> object:
    """Returns what an entry point names, loaded in a thread: an import that does not end must not
    block the other kinds.
    """
    found: list[object] = []
    problems: list[Exception] = []

    def load() -> None:
        try:
            found.append(entry.load()())
        except Exception as error:
            problems.append(error)

    thread = threading.Thread(target=load, daemon=True)
    thread.start()
    thread.join(PLUGIN_LOAD_TIMEOUT_SECONDS)
    if problems:
        raise problems[0]
    if not found:
        raise TimeoutError(f"loading takes longer than {PLUGIN_LOAD_TIMEOUT_SECONDS:g} seconds")
    return found[0]


def _guarded(part: object, about: _Part, note: Note) -> Any:
    """Returns an object with the attributes of a part, whose failing calls are answered."""
    made: dict[str, Any] = {}
    for name in {*dir(type(part)), *getattr(part, "__dict__", ())}:
        if name.startswith("_"):
            continue
        guard = _Guard(name, about, note)
        is_method = callable(inspect.getattr_static(part, name))
        made[name] = guard.as_method(part) if is_method else guard.as_property(part)
    return type(type(part).__name__, (about.base,), made)()


class _Guard:
    """Answers for one attribute of a part where its own code fails."""

    def __init__(self, name: str, about: _Part, note: Note) -> None:
        self._name, self._about, self._note = name, about, note

    def as_property(self, part: object) -> property:
        """Returns the attribute, which is no method."""
        return property(lambda _: self._call(lambda: getattr(part, self._name)))

    def as_method(self, part: object) -> staticmethod[..., Any]:
        """Returns the attribute, which is a method."""
        call, inner = getattr(part, self._name), self._about.parts.get(self._name)
        # Whoever is given the same part again is given the same object again.
        given: WeakValueDictionary[int, Any] = WeakValueDictionary()

        def called(*args: Any, **named: Any) -> Any:
            got = self._call(call, *args, **named)
            if isinstance(got, Iterator):
                return self._iterated(got)
            if inner is None or got is None:
                return got
            return given.get(id(got)) or given.setdefault(id(got), _guarded(got, inner, self._note))

        async def awaited(*args: Any, **named: Any) -> Any:
            try:
                return await call(*args, **named)
            except Exception as error:
                return self._answer(error)(*args, **named)

        def yielding(*args: Any, **named: Any) -> AsyncGenerator[Any, None]:
            return self._yielded(call(*args, **named))

        if inspect.isasyncgenfunction(call):
            return staticmethod(yielding)
        return staticmethod(awaited if inspect.iscoroutinefunction(call) else called)

    def _call(self, call: Callable[..., Any], /, *args: Any, **named: Any) -> Any:
        try:
            return call(*args, **named)
        except Exception as error:
            return self._answer(error)(*args, **named)

    def _iterated(self, items: Iterator[Any]) -> Iterator[Any]:
        try:
            yield from items
        except Exception as error:
            yield from self._answer(error)()

    async def _yielded(self, items: AsyncGenerator[Any, None]) -> AsyncGenerator[Any, None]:
        try:
            async with aclosing(items):
                async for item in items:
                    yield item
        except Exception as error:
            # Whoever waits for the first look waits no longer.
            yield self._answer(error)()

    def _answer(self, error: Exception) -> Callable[..., Any]:
        """Notes a problem. Returns what answers in place of the call, or raises what is wrong."""
        if isinstance(error, BAD_JSON) and self._name in ("decode", "hooked"):
            raise error  # what was sent is wrong, not who reads it
        problem = f"{self._name}: {type(error).__name__}: {error}"
        self._note(problem)
        if (answer := self._about.answers.get(self._name)) is not None:
            return answer
        if isinstance(error, UnbraidError):
            raise error
        raise SourceError("plugin", problem) from error
