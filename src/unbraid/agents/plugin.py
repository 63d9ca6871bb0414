"""A kind that another package brings, made harmless.

Its code may raise any error anywhere, which would stop the code that asks all kinds: the watcher of
a machine, the list of its sessions. So every part of it is wrapped. A call that fails is answered
as its port does by default, as if the kind had nothing to say, and its problem is noted for
`unbraid doctor`; where there is no such answer, because a person asked for this very kind, it is a
SourceError.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from unbraid.agents.control_port import Controller
from unbraid.agents.port import (
    AgentKind,
    CliHooks,
    Dialect,
    FileFormats,
    Launcher,
    OutputRenderer,
    SessionStore,
    SessionWatch,
)
from unbraid.agents.source import Source
from unbraid.errors import SourceError, UnbraidError
from unbraid.events import RelayEvent, Unrecognized
from unbraid.read.record import BAD_JSON, Record, sound

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

# A plugin is imported within a second; one that takes longer than this is left out.
PLUGIN_LOAD_TIMEOUT_SECONDS = 10.0

Note = Callable[[str], object]


def _unread(record: Record, out: list[RelayEvent]) -> None:
    out.append(Unrecognized(raw=sound(record.raw)))


# What a kind and its parts give out, by the names of the methods.
_PORTS: dict[str, type] = {
    "dialect": Dialect, "sessions": SessionStore, "files": FileFormats,
    "launcher": Launcher, "hooks": CliHooks, "watch": SessionWatch,
    "follow": Source, "source": Source, "piped": Source, "renderer": OutputRenderer,
    "controller": Controller,
}  # fmt: skip
# Answers that a port does not have by itself.
_ANSWERS: dict[str, Callable[..., Any]] = {
    "translate": _unread, "verbs": list, "pending": list,
}  # fmt: skip
# A person waits for what these do, as for all that is awaited of a part.
_REQUIRED = {"dialect", "source", "runs", "resume", "state", "install", "uninstall"}


def load_plugin(entry: EntryPoint, note: Note) -> AgentKind:
    """Returns the kind of an entry point, guarded. Raises whatever is wrong with it."""
    brought = _loaded(entry)
    if not isinstance(brought, AgentKind):
        raise TypeError(f"{entry.value} is not an AgentKind")
    # It is asked about the lines of every other kind, too.
    with suppress(*BAD_JSON):
        brought.dialect().decode(b"{}")
    made: AgentKind = guarded(brought, AgentKind, note)
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


def guarded(part: object, port: type, note: Note) -> Any:
    """Returns an object with the attributes of a part, whose failing calls are answered by its
    port; what the part does not have, it has from there, too.
    """
    made: dict[str, Any] = {}
    for name in {*dir(type(part)), *getattr(part, "__dict__", ())}:
        if not name.startswith("_"):
            is_method = callable(inspect.getattr_static(part, name))
            made[name] = (_method if is_method else _attribute)(part, name, note)
    return type(type(part).__name__, (port,), made)()


def _attribute(part: object, name: str, note: Note) -> property:
    def get(self: object) -> Any:
        try:
            return getattr(part, name)
        except Exception as error:
            return _default(self, name, error, note)

    return property(get, lambda self, value: setattr(part, name, value))


def _method(part: object, name: str, note: Note) -> Callable[..., Any]:
    call = getattr(part, name)
    # Whoever is given the same part again is given the same object again.
    given: WeakValueDictionary[int, Any] = WeakValueDictionary()

    def called(self: object, *args: Any, **named: Any) -> Any:
        try:
            got = call(*args, **named)
        except Exception as error:
            return _default(self, name, error, note)(*args, **named)
        if isinstance(got, Iterator):
            return iterated(self, got)
        if got is None or name not in _PORTS:
            return got
        known = given.get(id(got))
        return known or given.setdefault(id(got), guarded(got, _PORTS[name], note))

    def iterated(self: object, items: Iterator[Any]) -> Iterator[Any]:
        try:
            yield from items
        except Exception as error:
            _default(self, name, error, note)

    async def awaited(self: object, *args: Any, **named: Any) -> Any:
        try:
            return await call(*args, **named)
        except Exception as error:
            return await _default(self, name, error, note)(*args, **named)

    async def yielding(self: object, *args: Any, **named: Any) -> AsyncGenerator[Any, None]:
        try:
            async with aclosing(call(*args, **named)) as items:
                async for item in items:
                    yield item
        except Exception as error:
            _default(self, name, error, note)
            # Whoever waits for the first look waits no longer.
            yield set()

    if inspect.isasyncgenfunction(call):
        return yielding
    return awaited if inspect.iscoroutinefunction(call) else called


def _default(guard: object, name: str, error: Exception, note: Note) -> Any:
    """Notes a problem. Returns what its port has in place of an attribute, or raises what is
    wrong.
    """
    if isinstance(error, BAD_JSON) and name in ("decode", "hooked"):
        raise error  # what was sent is wrong, not who reads it
    problem = f"{name}: {type(error).__name__}: {error}"
    note(problem)
    if name in _ANSWERS:
        return _ANSWERS[name]
    port = super(type(guard), guard)
    has_default = hasattr(port, name) and name not in _REQUIRED
    default = getattr(port, name, None)
    if has_default and (isinstance(guard, AgentKind) or not inspect.iscoroutinefunction(default)):
        return default
    raise error if isinstance(error, UnbraidError) else SourceError("plugin", problem)
