"""Writes a file into the sandbox of a task, runs a program over it, and reads what came of it."""

import sys

from caisson_service import Refused, from_environment

TASK = "python-example"
WORDS, COUNT = "/tmp/python-example.words", "/tmp/python-example.count"


def show(stream, data):
    target = sys.stdout if stream == "stdout" else sys.stderr
    target.buffer.write(data)
    target.buffer.flush()


def main():
    service = from_environment()
    try:
        service.create(TASK)
        service.write(TASK, WORDS, b"one two three\n")
        end = service.run(TASK, ["sh", "-c", f"wc -w < {WORDS} > {COUNT}; rm {WORDS}; echo counted"], on_output=show)
        if end["exitCode"] != 0:
            return f"the command ended with {end['reason']} {end['exitCode']}"
        print("words:", int(service.read(TASK, COUNT)))
        service.remove(TASK)
        return None
    except Refused as refused:
        remedy = refused.problem.get("remediation")
        return f"{refused}" + (f"\n  try: {remedy}" if remedy else "")


if __name__ == "__main__":
    sys.exit(main())
