"""The tree of the Dockerfile."""

import json
import shutil
import subprocess

from common import PATIENCE, check, free_port, run, until


def dockerfile(context):
    """The instructions of the Dockerfile; a command is a list of words."""
    found = []
    for line in (context / "Dockerfile").read_text().splitlines():
        name, _, rest = line.partition(" ")
        if line and not line.startswith("#"):
            found.append((name, json.loads(rest[rest.index("["):]) if "[" in rest else rest.split()))
    return found


def check_docker(archive, work):
    """Lays out what the Dockerfile copies, and nothing else, and runs it there as its user: with no shell, no /tmp and
    no /proc."""
    context, root = work / "context", work / "image"
    context.mkdir()
    root.mkdir()
    run("tar", "--extract", "--file", archive, "--directory", context)
    steps = dockerfile(context)
    one = {name: rest for name, rest in steps if name != "COPY"}
    check(one["FROM"] == ["scratch"], f"the image is made from {one['FROM']}")
    for name, rest in steps:
        if name != "COPY":
            continue
        *flags, source, to = rest
        flags = dict(flag[2:].split("=") for flag in flags)
        target = root / to.lstrip("/")
        if (context / source).is_dir():
            shutil.copytree(context / source, target)
        else:
            shutil.copy(context / source, target)
        if "chown" in flags:
            run("chown", "-R", flags["chown"], target)
        if "chmod" in flags:
            target.chmod(int(flags["chmod"], 8))
    laid_out = sorted(str(path.relative_to(root)) for path in root.rglob("*"))
    check(laid_out == ["data", "formsvc"], f"the image has {laid_out}")
    [user] = one["USER"]
    check(not user.startswith("0"), f"the image's user is {user}")
    check(one["VOLUME"] == ["/data"], f"the volume is {one['VOLUME']}")
    env = dict(word.split("=") for word in one["ENV"])
    check(env["FORMSVC_LISTEN"].endswith(f":{one['EXPOSE'][0]}"), "the port that is exposed is another one")
    # The port may be taken on this machine.
    env["FORMSVC_LISTEN"] = f"127.0.0.1:{free_port()}"
    enter = [shutil.which("chroot"), f"--userspec={user}", root]
    with (work / "image.log").open("w+") as log:
        server = subprocess.Popen([*enter, *one["ENTRYPOINT"], *one["CMD"]], env=env, stdout=log, stderr=log)
        try:
            healthy = lambda: subprocess.run(
                [*enter, *one["HEALTHCHECK"]], env=env, capture_output=True, check=False).returncode == 0
            until(lambda: healthy() or server.poll() is not None,
                  lambda: f"the image does not answer: {(work / 'image.log').read_text()}")
            check(run("curl", "-sS", "--fail", f"http://{env['FORMSVC_LISTEN']}/healthz"), "/healthz says nothing")
            check((root / "data/formsvc.db").stat().st_uid == int(user.split(":")[0]), "the data is another user's")
        finally:
            server.terminate()
            server.wait(PATIENCE)
        log.seek(0)
        check(server.returncode == 0, f"the image did not end well: {log.read()}")
