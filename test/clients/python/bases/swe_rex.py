"""SWE-ReX: `src/swerex/runtime/abstract.py`, and the names of `src/swerex/exceptions.py` that its runtimes raise."""

import abc
import types

SOURCE = [("seal-research/SWE-ReX", "src/swerex/runtime/abstract.py", "a9b7a718dcd8924bb738ed9a659d66ae1eba93df")]


def record(name, **defaults):
    """A request or an answer: fields with their defaults; `...` has none."""

    def made(**given):
        unknown = [key for key in given if key not in defaults]
        missing = [key for key, value in defaults.items() if value is ... and key not in given]
        if unknown or missing:
            raise TypeError(f"{name}: unknown {unknown}, missing {missing}")
        return types.SimpleNamespace(**{**defaults, **given})

    return made


RECORDS = {
    "IsAliveResponse": {"is_alive": ..., "message": ""},
    "CreateBashSessionRequest": {
        "startup_source": (),
        "session": "default",
        "session_type": "bash",
        "startup_timeout": 1.0,
    },
    "CreateBashSessionResponse": {"output": "", "session_type": "bash"},
    "BashAction": {
        "command": ...,
        "session": "default",
        "timeout": None,
        "is_interactive_command": False,
        "is_interactive_quit": False,
        "check": "raise",
        "error_msg": "",
        "expect": (),
        "action_type": "bash",
    },
    "BashInterruptAction": {
        "session": "default",
        "timeout": 0.2,
        "n_retry": 3,
        "expect": (),
        "action_type": "bash_interrupt",
    },
    "BashObservation": {
        "output": "",
        "exit_code": None,
        "failure_reason": "",
        "expect_string": "",
        "session_type": "bash",
    },
    "CloseBashSessionRequest": {"session": "default", "session_type": "bash"},
    "CloseBashSessionResponse": {"session_type": "bash"},
    "Command": {
        "command": ...,
        "timeout": None,
        "shell": False,
        "check": False,
        "error_msg": "",
        "env": None,
        "cwd": None,
    },
    "CommandResponse": {"stdout": "", "stderr": "", "exit_code": None},
    "ReadFileRequest": {"path": ..., "encoding": None, "errors": None},
    "ReadFileResponse": {"content": ""},
    "WriteFileRequest": {"content": ..., "path": ...},
    "WriteFileResponse": {},
    "UploadRequest": {"source_path": ..., "target_path": ...},
    "UploadResponse": {},
    "CloseResponse": {},
}
#: Unions over the kinds of sessions.
UNIONS = ("CreateSessionRequest", "CreateSessionResponse", "Action", "Observation", "CloseSessionRequest", "CloseSessionResponse")


class AbstractRuntime(abc.ABC):
    @abc.abstractmethod
    async def is_alive(self, *, timeout=None): ...

    @abc.abstractmethod
    async def create_session(self, request): ...

    @abc.abstractmethod
    async def run_in_session(self, action): ...

    @abc.abstractmethod
    async def close_session(self, request): ...

    @abc.abstractmethod
    async def execute(self, command): ...

    @abc.abstractmethod
    async def read_file(self, request): ...

    @abc.abstractmethod
    async def write_file(self, request): ...

    @abc.abstractmethod
    async def upload(self, request): ...

    @abc.abstractmethod
    async def close(self): ...


ERRORS = (
    "BashIncorrectSyntaxError",
    "CommandTimeoutError",
    "NonZeroExitCodeError",
    "SessionDoesNotExistError",
    "SessionExistsError",
)
MODULES = {
    "swerex.exceptions": {name: type(name, (RuntimeError,), {}) for name in ERRORS},
    "swerex.runtime.abstract": {
        "AbstractRuntime": AbstractRuntime,
        **{name: record(name, **fields) for name, fields in RECORDS.items()},
        **{name: object for name in UNIONS},
    },
}
