"""What all parts of the test share."""

import pathlib
import re
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PATIENCE = 60


def fail(text):
    sys.exit(f"tests/package: {text}")


def check(holds, text):
    if not holds:
        fail(text)


def run(*command, **options):
    done = subprocess.run([str(it) for it in command], capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        fail(f"{' '.join(map(str, command))} failed with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return done.stdout


def until(holds, text):
    """Waits for something that has no other way to be told of."""
    end = time.monotonic() + PATIENCE
    while not holds():
        check(time.monotonic() < end, text() if callable(text) else text)
        time.sleep(0.1)


def handbook(start, language="sh"):
    """The block in the chapter on installing that begins so: commands, or a file."""
    text = (ROOT / "packaging/handbook/install.md").read_text()
    blocks = re.findall(rf"^```{language}\n(.*?)\n```$", text, re.M | re.S)
    found = [block for block in blocks if block.startswith(start)]
    check(len(found) == 1, f"the handbook has {len(found)} blocks that begin with {start}")
    return found[0]


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]
