"""A client of a Caisson service in one file, with `requests` alone: commands, files, and streams that resume after a lost connection."""

import base64
import json
import os
import secrets
import time

import requests


class Refused(Exception):
    """The service did not run it. `problem` has `code`, `detail`, `retryable` and `remediation` (RFC 9457)."""

    def __init__(self, problem):
        super().__init__(f"{problem.get('detail')} ({problem.get('code')})")
        self.problem = problem


class Service:
    def __init__(self, url, token, patience=60.0):
        """`patience`: seconds for which a lost connection is tried again."""
        self.url = url.rstrip("/")
        self.patience = patience
        self.session = requests.Session()
        self.session.headers["Authorization"] = f"Bearer {token}"

    def request(self, method, path, **how):
        response = self.session.request(method, self.url + path, timeout=(10, 60), **how)
        if response.ok:
            return response
        with response:
            is_problem = response.headers.get("Content-Type", "").startswith("application/problem+json")
            raise Refused(response.json() if is_problem else {"code": "internal", "detail": response.text[:200]})

    def create(self, task, **wanted):
        """Gets the sandbox of the task, or makes it: `image`, `network`, `limits`, `labels`."""
        return self.request("POST", "/v1/sandboxes", json={"taskId": task, **wanted}).json()["sandbox"]

    def remove(self, task):
        self.request("DELETE", f"/v1/sandboxes/{task}")

    def run(self, task, command, on_output=lambda stream, data: None, **wanted):
        """
        Runs a command and returns its exit: `reason`, `exitCode`, `signal`, `durationMs`. The id is ours, so that a repeated
        request starts nothing twice; `seq` says where to go on, so that each byte comes once.
        """
        exec_id = f"exec_{secrets.token_hex(12)}"
        seq = 0
        deadline = time.monotonic() + self.patience
        while True:
            try:
                for event in self.events(task, exec_id, seq, {"command": command, **wanted}):
                    deadline = time.monotonic() + self.patience
                    seq = event.get("seq", seq)
                    if event["type"] in ("stdout", "stderr"):
                        on_output(event["type"], bytes_of(event))
                    elif event["type"] == "exit":
                        return event["exit"]
                    elif event["type"] == "error":
                        raise Refused(event["error"])
            except requests.exceptions.RequestException:
                if time.monotonic() > deadline:
                    raise
            if time.monotonic() > deadline:
                raise TimeoutError(f"the service did not come back; the record of {exec_id} has what the command did")
            time.sleep(0.2)

    def events(self, task, exec_id, seq, body):
        """From the start, or, once something has come, from the record of the command."""
        base = f"/v1/sandboxes/{task}/execs"
        if seq == 0:
            response = self.request("POST", base, json={**body, "execId": exec_id}, stream=True)
        else:
            response = self.request("GET", f"{base}/{exec_id}", params={"after": seq, "follow": "true"}, stream=True)
        with response:
            for line in response.iter_lines():
                if line:
                    yield json.loads(line)

    def write(self, task, path, data):
        headers = {"Content-Type": "application/octet-stream"}
        self.request("PUT", f"/v1/sandboxes/{task}/files", params={"path": path}, data=data, headers=headers)

    def read(self, task, path):
        return self.request("GET", f"/v1/sandboxes/{task}/files", params={"path": path}).content


def bytes_of(event):
    if event["encoding"] == "base64":
        return base64.b64decode(event["data"])
    return event["data"].encode()


def from_environment():
    return Service(os.environ["CAISSON_URL"], os.environ["CAISSON_TOKEN"])
