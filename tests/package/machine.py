"""A fresh Debian that runs, in a folder."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

from common import PATIENCE, check, run

SUITE = "bookworm"
MIRROR = "http://deb.debian.org/debian"
PLAIN = {"PATH": os.environ["PATH"], "HOME": "/root", "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}


def debian(tools):
    """The archive of a tree with systemd in it."""
    kept = tools / f"debian-{SUITE}.tar"
    if not kept.exists():
        made = kept.with_suffix(".new.tar")
        run("mmdebstrap", "--quiet", "--variant=essential", "--include=systemd-sysv,debconf", SUITE, made, MIRROR)
        made.rename(kept)
    return kept


class Booted:
    """The tree, booted by systemd-nspawn, with a network of its own."""

    is_booted = True

    def __init__(self, root, work):
        self.root = root
        self.console = (work / "console").open("w+")
        self.process = subprocess.Popen(
            ["systemd-nspawn", "--boot", "--register=no", "--keep-unit", "--private-network", "--link-journal=no",
             "--directory", root], stdin=subprocess.DEVNULL, stdout=self.console, stderr=subprocess.STDOUT)
        self.leader = None

    def starts(self):
        """Whether it comes up."""
        children = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            with contextlib.suppress(OSError):
                self.leader = next(iter(children.read_text().split()), None)
            if self.leader:
                told = self.tries("systemctl", "is-system-running")
                # Some unit that Debian enables may fail where there is no hardware.
                if told.stdout.strip() in ("running", "degraded"):
                    return True
            time.sleep(0.1)
        return False

    def enter(self, command):
        return ["nsenter", "--all", "--target", self.leader, "--", *map(str, command)]

    def tries(self, *command, **options):
        return subprocess.run(self.enter(command), capture_output=True, text=True, check=False, env=PLAIN, **options)

    def runs(self, *command, **options):
        return run(*self.enter(command), env=PLAIN, **options)

    def curl(self, *words):
        return run("nsenter", "--net", "--target", self.leader, "--", "curl", "-sS", "--fail", *words)

    def is_up(self):
        return self.tries("systemctl", "is-active", "formsvc").stdout.strip() == "active"

    def started(self):
        """When this run of the service began."""
        return self.runs("systemctl", "show", "--property=ExecMainStartTimestampMonotonic", "formsvc")

    def restart(self):
        self.runs("systemctl", "daemon-reload")
        self.runs("systemctl", "restart", "formsvc")

    installed = start_again = stop_again = lambda self: None

    def log(self):
        told = self.tries("journalctl", "--no-pager", "--output=cat", "--unit=formsvc")
        return told.stdout + told.stderr

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(PATIENCE)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Chroot:
    """The tree by chroot, without systemd: the service runs as its unit says while the package is installed."""

    is_booted = False

    def __init__(self, root, work):
        self.root, self.work, self.service = root, work, None

    def tries(self, *command, **options):
        return subprocess.run(["chroot", self.root, *map(str, command)], capture_output=True, text=True, check=False,
                              env=PLAIN, **options)

    def runs(self, *command, **options):
        return run("chroot", self.root, *command, env=PLAIN, **options)

    def curl(self, *words):
        return run("curl", "-sS", "--fail", *words)

    def installed(self):
        """Does what the package could not: there is no /proc in the tree."""
        run("systemd-tmpfiles", f"--root={self.root}", "--create", "formsvc.conf")

    def start_again(self):
        unit = (self.root / "usr/lib/systemd/system/formsvc.service").read_text()
        said = dict(re.findall(r"^(ExecStart|User|Group)=(.*)$", unit, re.M))
        with (self.work / "service").open("a") as log:
            self.service = subprocess.Popen(
                [shutil.which("chroot"), f"--userspec={said['User']}:{said['Group']}", self.root, *said["ExecStart"].split()],
                env={"PATH": "/usr/bin"}, stdout=log, stderr=subprocess.STDOUT)

    def stop_again(self):
        if self.service:
            self.service.terminate()
            check(self.service.wait(PATIENCE) == 0, f"the service did not end well:\n{self.log()}")
            self.service = None

    def restart(self):
        self.stop_again()
        self.start_again()

    def log(self):
        return (self.work / "service").read_text()

    def end(self):
        if self.service and self.service.poll() is None:
            self.service.kill()
            self.service.wait()


def boot(archive, work):
    """A fresh tree that runs."""
    root = work / "debian"
    root.mkdir()
    run("tar", "--extract", "--numeric-owner", "--directory", root, "--file", archive)
    if os.environ.get("TEST_PACKAGE_BY") != "chroot":
        machine = Booted(root, work)
        if machine.starts():
            return machine
        machine.end()
        machine.console.seek(0)
        print(f"package: systemd-nspawn does not boot here, so chroot is used:\n{machine.console.read()}")
    return Chroot(root, work)
