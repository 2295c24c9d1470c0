"""Caisson as a terminal backend of Hermes Agent: `terminal.backend: caisson`.

Hermes finds it by the entry point of an installed package, or as `~/.hermes/plugins/caisson/__init__.py` beside `caisson.py`.
Its own checks of commands stay on, since the backend of the service may be this host; the service checks each command too.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import threading
from typing import Any, Dict, IO, List, Mapping, Optional, Tuple

from agent.terminal_env_provider import TerminalEnvironmentProvider  # type: ignore[import]
from tools.environments.base import BaseEnvironment  # type: ignore[import]

from caisson import Caisson, CaissonError, SandboxSpec, new_exec_id, state_directory

#: Defaults of Hermes. The service has the same ones.
_USUAL = {"container_cpu": 1, "container_memory": 5120, "container_disk": 51200}
_MB = 1024 * 1024
#: Hermes ends a command itself at its time. This one holds where Hermes is gone.
_GRACE_SECONDS = 30


def task_name(task_id: str) -> str:
    """A name of a task of the service: the same for the same task of Hermes, and another one for each other."""
    plain = re.sub(r"[^a-z0-9_-]", "-", task_id.lower())[:40].strip("-_")
    mark = "" if plain == task_id else f"-{hashlib.sha256(task_id.encode()).hexdigest()[:8]}"
    return f"hermes-{plain}{mark}"


class _Handle:
    """The process that Hermes waits for: stdout and stderr in the order in which they come, over a pipe."""

    def __init__(self, client: Caisson, command: List[str], given: Dict[str, Any], stdin_data: Optional[str]) -> None:
        self._client, self._command, self._given, self._input = client, command, given, stdin_data
        self._id = given["exec_id"] = new_exec_id()
        reading, self._writing = os.pipe()
        self.stdout: IO[str] = os.fdopen(reading, "r", encoding="utf-8", errors="replace")
        self.returncode: Optional[int] = None
        self._is_done = threading.Event()
        threading.Thread(target=self._work, daemon=True, name="caisson-command").start()

    def _work(self) -> None:
        code = 1
        try:
            code = self._read()
        except CaissonError as error:
            self._say(f"caisson: {error}{f'; {error.remedy}' if error.remedy else ''}\n".encode())
            code = 126 if error.code in ("policy_denied", "approval_required") else 125
        finally:
            self.returncode = code
            with contextlib.suppress(OSError):
                os.close(self._writing)
            self._is_done.set()

    def _read(self) -> int:
        with self._client.start(self._command, stdin=self._input is not None, **self._given) as running:
            if self._input is not None:
                with contextlib.suppress(CaissonError):
                    running.write(self._input.encode("utf-8", "surrogateescape"))
                    running.end_input()
            for output in running:
                self._say(output.data)
            exit = running.exit
        if exit is None or exit.exit_code is None:
            self._say(f"\ncaisson: the command has no exit code: {exit.reason if exit else 'lost'}\n".encode())
            return 125
        return 124 if exit.reason == "timed-out" else exit.exit_code

    def _say(self, data: bytes) -> None:
        # Hermes closes its end where it has given up the command.
        with contextlib.suppress(OSError):
            view = memoryview(data)
            while view:
                view = view[os.write(self._writing, view) :]

    def poll(self) -> Optional[int]:
        return self.returncode if self._is_done.is_set() else None

    def kill(self) -> None:
        """Ends the command with all that it started."""
        with contextlib.suppress(CaissonError):
            self._client.execs.cancel(self._id)

    def wait(self, timeout: Optional[float] = None) -> Optional[int]:
        self._is_done.wait(timeout)
        return self.returncode


class CaissonEnvironment(BaseEnvironment):  # type: ignore[misc]
    """One sandbox for a task of Hermes. What `execute` does beside running a shell is that of Hermes."""

    def __init__(self, cwd: str, timeout: int, task_id: str, spec: SandboxSpec, persistent: bool) -> None:
        self._client: Optional[Caisson] = Caisson.from_environment()
        self._task, self._spec, self._persistent = task_name(task_id), spec, persistent
        self._client.sandboxes.create(self._task, spec)
        if cwd in ("", "."):
            cwd = self._client.run(["pwd"], task=self._task).stdout.text.rstrip("\n")
        super().__init__(cwd=cwd, timeout=timeout)
        self.init_session()

    def _run_bash(
        self, cmd_string: str, *, login: bool = False, timeout: int = 120, stdin_data: Optional[str] = None
    ) -> _Handle:
        if self._client is None:
            raise RuntimeError("the sandbox of this environment was given up")
        command = ["bash", *(["-l"] if login else []), "-c", cmd_string]
        given = {"task": self._task, "spec": self._spec, "env": self.env or None, "timeout": timeout + _GRACE_SECONDS}
        return _Handle(self._client, command, given, stdin_data)

    def cleanup(self) -> None:
        """Stops a persistent sandbox, which keeps its files, and removes any other."""
        client, self._client = getattr(self, "_client", None), None
        if client is None:
            return
        with client, contextlib.suppress(CaissonError):
            if self._persistent:
                client.sandboxes.stop(self._task)
            else:
                client.sandboxes.remove(self._task)


class CaissonProvider(TerminalEnvironmentProvider):  # type: ignore[misc]
    """A service by `CAISSON_URL` and `CAISSON_TOKEN`, or that of the state directory of this user."""

    is_remote = True
    is_container = True
    session_isolated_when_nonpersistent = True

    @property
    def name(self) -> str:
        return "caisson"

    @property
    def display_name(self) -> str:
        return "Caisson"

    @property
    def skip_container_guards(self) -> bool:
        return False

    @property
    def strip_env_keys(self) -> frozenset:  # type: ignore[type-arg]
        return frozenset({"CAISSON_TOKEN"})

    def is_available(self) -> bool:
        if os.environ.get("CAISSON_URL"):
            return bool(os.environ.get("CAISSON_TOKEN"))
        return os.path.exists(os.path.join(state_directory(), "service.json"))

    def probe(self) -> Tuple[str, str]:
        if not self.is_available():
            return "needs_setup", "start `caisson serve`, or set CAISSON_URL and CAISSON_TOKEN"
        try:
            with Caisson.from_environment(resume_seconds=0) as client:
                client.sandboxes.list(limit=1)
            return "ready", ""
        except CaissonError as error:
            return "unavailable", str(error)

    def setup_instructions(self) -> List[str]:
        return [
            "Start a service: caisson serve --background",
            "On another host: caisson token create hermes --scope run --scope read, and set CAISSON_URL and CAISSON_TOKEN",
        ]

    def create_environment(
        self,
        *,
        cwd: str,
        timeout: int,
        task_id: str = "default",
        image: Optional[str] = None,
        container_config: Optional[Dict[str, Any]] = None,
        **kwargs: Any,
    ) -> CaissonEnvironment:
        config = container_config or {}
        persistent = bool(config.get("container_persistent", True))
        spec = SandboxSpec(image=image or None, limits=limits_of(config), persistent=persistent)
        return CaissonEnvironment(cwd, timeout, task_id, spec, persistent)


def limits_of(config: Mapping[str, Any]) -> Optional[Dict[str, Optional[float]]]:
    """Limits that were asked for: a place that cannot hold one refuses it."""
    asked = {name: config[name] for name, usual in _USUAL.items() if config.get(name) not in (None, 0, usual)}
    found: Dict[str, Optional[float]] = {}
    if "container_cpu" in asked:
        found["cpuCores"] = float(asked["container_cpu"])
    for name, key in (("container_memory", "memoryBytes"), ("container_disk", "diskBytes")):
        if name in asked:
            found[key] = int(asked[name]) * _MB
    return found or None


def register(ctx: Any) -> None:
    """Called by Hermes."""
    ctx.register_terminal_environment_provider(CaissonProvider())
