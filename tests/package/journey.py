"""What happens to the package on a machine, and to its data."""

import json
import shutil

from common import check, free_port, handbook, until

CONFIG = "etc/formsvc/formsvc.toml"
DATA = "/var/lib/formsvc"


class Journey:
    """The package on that machine."""

    def __init__(self, machine):
        self.machine = machine
        self.address = None

    def dpkg(self, *words):
        self.machine.runs("dpkg", *words)

    def install(self, package):
        shutil.copy(package, self.machine.root / "root/formsvc.deb")
        self.dpkg("--install", "/root/formsvc.deb")
        self.machine.installed()

    def version(self):
        return self.machine.runs("dpkg-query", "--show", "--showformat=${Version}", "formsvc")

    def healthy(self):
        """Waits until the service answers."""
        check_health = lambda: self.machine.tries("formsvc", "healthcheck").returncode == 0
        until(check_health, lambda: f"the service does not answer:\n{self.machine.log()}")
        check(self.machine.curl(f"http://{self.address}/healthz"), "/healthz says nothing")

    def exists(self, path):
        return self.machine.tries("test", "-e", path).returncode == 0

    def mode(self, path):
        return self.machine.runs("stat", "--format=%a %U %G", path).strip()

    def settle(self, text):
        """Replaces a line of the settings that is commented out."""
        config = self.machine.root / CONFIG
        config.write_text(config.read_text().replace('#listen = ["127.0.0.1:8080"]', text))

    def call(self, path, body=None, token=None):
        words = ["--header", "Content-Type: application/json"]
        if token:
            words += ["--header", f"Authorization: Bearer {token}"]
        if body is not None:
            words += ["--data", json.dumps(body)]
        return json.loads(self.machine.curl(*words, f"http://{self.address}/api/v1{path}"))["data"]

    def entries(self):
        return [entry["field_1"] for entry in self.call(f"/forms/{self.form}/entries", token=self.token)]

    def first_steps(self, package):
        """Installed and started: the modes, the user, a form and an entry."""
        machine = self.machine
        self.install(package)
        if machine.is_booted:
            # As it comes, it runs.
            self.address = "127.0.0.1:8080"
            self.healthy()
            until(machine.is_up, "the service is not up after the installation")
            enabled = machine.runs("systemctl", "is-enabled", "formsvc").strip()
            check(enabled == "enabled", f"the service is {enabled}")
            # As the handbook says, but for apt, which this tree lacks.
            [_, link] = handbook("apt-get install").splitlines()
            check("/setup/" in machine.runs("sh", "-c", link), f"the log has no link for the first account:\n{machine.log()}")
        self.address = f"127.0.0.1:{free_port()}"
        self.settle(f'listen = ["{self.address}"]')
        machine.restart()
        self.healthy()
        for path, mode in ((DATA, "700 formsvc formsvc"), (f"{DATA}/formsvc.db", "600 formsvc formsvc"),
                           ("/etc/formsvc", "750 root formsvc"), (f"/{CONFIG}", "640 root formsvc")):
            check(self.mode(path) == mode, f"{path} is {self.mode(path)}")
        # As root, in no folder of its own: the data dir is found by the settings.
        machine.runs("formsvc", "user", "create", "ada@example.com", "--name", "Ada", "--no-input")
        self.token = machine.runs(
            "formsvc", "token", "create", "--user", "ada@example.com", "--name", "test",
            "--scope", "form:read", "form:write", "entry:read").strip()
        self.form = self.call("/forms", {"name": "Workshop", "fields": [{"type": "name", "label": "Name"}]},
                              self.token)["token"]
        self.call(f"/f/{self.form}/entries", {"field_values": {"field_1": "Ada"}})
        check(self.entries() == ["Ada"], f"the entries are {self.entries()}")

    def low_ports(self):
        """What the handbook says lets the service listen on port 443."""
        machine = self.machine
        config = machine.root / CONFIG
        before = config.read_text()
        config.write_text(before.replace(self.address, "127.0.0.1:443"))
        usual, self.address = self.address, "127.0.0.1:443"
        machine.runs("sh", "-ec", handbook("install -D -m 644 /usr/share/doc/formsvc/examples/low-ports.conf"))
        self.healthy()
        self.address = usual
        config.write_text(before)
        machine.runs("rm", "-r", "/etc/systemd/system/formsvc.service.d")
        machine.restart()
        self.healthy()

    def sockets(self):
        """What the handbook says makes the service take the sockets that systemd opens, instead of its own."""
        machine = self.machine
        unit = "/etc/systemd/system/formsvc.socket"
        machine.runs("tee", unit, input=handbook("[Socket]", "ini"))
        machine.runs("sh", "-ec", handbook("systemctl daemon-reload\nsystemctl stop formsvc"))
        # The start has waited until the service answers.
        told = machine.runs("systemctl", "show", "--property=Type,StatusText,WatchdogUSec,ActiveState", "formsvc")
        for line in ("Type=notify", "WatchdogUSec=2min", "ActiveState=active"):
            check(line in told.splitlines(), f"systemd says of the service\n{told}")
        check(":80" in told and "/run/formsvc.sock" in told and self.address not in told, f"it serves other sockets:\n{told}")
        usual, self.address = self.address, "127.0.0.1:80"
        check(self.entries() == ["Ada"], "port 80 has other entries")
        # A request that comes while it is stopped waits until it is started for it.
        machine.runs("systemctl", "stop", "formsvc.service")
        check(self.entries() == ["Ada"], "port 80 has other entries after a stop")
        machine.runs("systemctl", "disable", "--now", "formsvc.socket")
        machine.runs("rm", unit)
        self.address = usual
        machine.restart()
        self.healthy()

    def change(self, package, version):
        """Another version in its place: the service is restarted, settings and data stay."""
        machine = self.machine
        before = machine.started() if machine.is_booted else None
        machine.stop_again()
        self.install(package)
        machine.start_again()
        check(self.version() == version, f"version {self.version()} is installed")
        self.healthy()
        if machine.is_booted:
            check(machine.started() != before, "the service was not restarted")
        name = f"With {version}"
        check("Ada" in self.entries(), "the data is gone")
        self.call(f"/f/{self.form}/entries", {"field_values": {"field_1": name}})
        check(name in self.entries(), "nothing can be entered")

    def leave(self, package):
        """Removed, installed again, purged with the data kept, purged with the data deleted."""
        machine, count = self.machine, len(self.entries())
        machine.stop_again()
        self.dpkg("--remove", "formsvc")
        if machine.is_booted:
            check(not machine.is_up(), "the service still runs")
        check(not self.exists("/usr/bin/formsvc"), "the program is still there")
        check(self.exists(f"{DATA}/formsvc.db") and self.exists(f"/{CONFIG}"), "removing took data or settings")
        self.install(package)
        machine.start_again()
        self.healthy()
        check(len(self.entries()) == count, "the data is gone")

        machine.stop_again()
        self.dpkg("--purge", "formsvc")
        check(not self.exists("/etc/formsvc"), "the settings are still there")
        check(self.exists(f"{DATA}/formsvc.db"), "purging took the data, unasked")
        if machine.is_booted:
            known = machine.tries("systemctl", "cat", "formsvc")
            check(known.returncode != 0, "systemd still knows the service")
        self.install(package)
        self.settle(f'listen = ["{self.address}"]')
        machine.restart()
        self.healthy()
        check(len(self.entries()) == count, "the data is gone")

        machine.stop_again()
        machine.runs("debconf-set-selections", input="formsvc formsvc/purge-data boolean true\n")
        self.dpkg("--purge", "formsvc")
        check(not self.exists(DATA), "purging left the data, although it was asked not to")

    def by_hand(self, archive):
        """The archive installed as the handbook says, where no package is."""
        machine = self.machine
        shutil.copy(archive, machine.root / "root")
        machine.runs("sh", "-ec", f"cd; {handbook('tar -xzf formsvc-')}")
        self.address = "127.0.0.1:8080"
        self.healthy()
        check(self.mode(DATA) == "700 formsvc formsvc", f"the data dir is {self.mode(DATA)}")
        machine.runs("formsvc", "user", "create", "eve@example.com", "--name", "Eve", "--no-input")
