"""Hermes Agent: `agent/terminal_env_provider.py`, `agent/provider_base.py`, `tools/environments/base.py`."""

import abc

SOURCE = [
    ("NousResearch/hermes-agent", "agent/terminal_env_provider.py", "3af739aeceb6cccaeb7e52912fd2d3606f1cee23"),
    ("NousResearch/hermes-agent", "tools/environments/base.py", "00067189dfecf833d4d009c2dd977ae85cf800e0"),
]

#: Names of backends that Hermes has itself: it refuses a provider under one of them.
BUILT_IN = {"local", "docker", "singularity", "modal", "managed_modal", "daytona", "vercel_sandbox", "ssh"}


class TerminalEnvironmentProvider(abc.ABC):
    is_remote = True
    is_container = True
    session_isolated_when_nonpersistent = False

    @property
    @abc.abstractmethod
    def name(self): ...

    @property
    def display_name(self): ...

    def get_setup_schema(self): ...

    @property
    def description(self): ...

    @property
    def skip_container_guards(self): ...

    @property
    def cache_path_base(self): ...

    @property
    def strip_env_keys(self): ...

    @property
    def env_description(self): ...

    @abc.abstractmethod
    def is_available(self): ...

    def check_requirements(self, config): ...

    def probe(self): ...

    def probe_with_config(self, config): ...

    def setup_instructions(self): ...

    def post_setup(self): ...

    def doctor_checks(self): ...

    def get_config_schema(self): ...

    def validated_config_schema(self): ...

    def resolve_config(self, config): ...

    def validated_config(self, config): ...

    @abc.abstractmethod
    def create_environment(self, *, cwd, timeout, task_id="default", image=None, container_config=None, **kwargs): ...


class BaseEnvironment(abc.ABC):
    def __init__(self, cwd, timeout, env=None):
        self.cwd, self.timeout, self.env = cwd, timeout, env or {}

    def get_temp_dir(self): ...

    def _run_bash(self, cmd_string, *, login=False, timeout=120, stdin_data=None): ...

    @abc.abstractmethod
    def cleanup(self): ...

    def init_session(self): ...

    def fetch_file(self, remote_path, local_dest, *, max_bytes): ...

    def execute(
        self,
        command,
        cwd="",
        *,
        timeout=None,
        stdin_data=None,
        rewrite_compound_background=True,
        bounded_capture=False,
        yield_handler=None,
    ): ...


MODULES = {
    "agent.terminal_env_provider": {"TerminalEnvironmentProvider": TerminalEnvironmentProvider},
    "tools.environments.base": {"BaseEnvironment": BaseEnvironment},
}
