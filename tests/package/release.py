"""The files that packaging/release.sh makes."""

import hashlib
import json
import os
import re
import subprocess
import tarfile

from common import ROOT, check, run

URL = "https://downloads.example.org/formsvc"
MAINTAINER = "Ada Lovelace <ada@downloads.example.org>"
HANDBOOK = ROOT / "packaging/handbook"
TARGET = "x86_64-unknown-linux-musl"
# What `systemd-analyze security` may say of the unit at most, and of the unit with low-ports.conf; tenths.
EXPOSURE, EXPOSURE_WITH_PORTS = 12, 15


def release(program, out, *flags):
    env = {**os.environ, "PACK_LEVEL": "1"}
    run(ROOT / "packaging/release.sh", "--url", URL, "--maintainer", MAINTAINER, "--program", program,
        "--out", out, *flags, env=env)


def check_release(pool, work, program, python):
    """The files of a release: the same bytes twice, and each of them says what it should."""
    first, second, key = work / "first", work / "second", work / "key"
    run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key)
    list(pool.map(lambda out: release(program, out, "--sign", key), (first, second)))
    names = sorted(path.name for path in first.iterdir())
    for name in names:
        check((first / name).read_bytes() == (second / name).read_bytes(), f"{name} is packed in other bytes twice")
    version = run(program, "--version").split()[1]
    base = f"formsvc-{version}"
    expected = {f"{base}-x86_64-linux.tar.gz", f"{base}-x86_64-docker.tar.gz", f"{base}-source.tar.gz",
                f"formsvc_{version}_amd64.deb", "formsvc.rb", f"{base}.cdx.json", "SHA256SUMS", "SHA256SUMS.sig"}
    check(set(names) == expected, f"a release consists of {names}")

    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=first)
    summed = {line.split()[1] for line in (first / "SHA256SUMS").read_text().splitlines()}
    check(summed == expected - {"SHA256SUMS", "SHA256SUMS.sig"}, f"SHA256SUMS is of {summed}")
    signers = work / "signers"
    signers.write_text(f"release {key.with_suffix('.pub').read_text()}")
    with (first / "SHA256SUMS").open() as sums:
        run("ssh-keygen", "-Y", "verify", "-n", "file", "-f", signers, "-I", "release", "-s", first / "SHA256SUMS.sig",
            stdin=sums)

    run("tar", "--extract", "--file", first / f"{base}-x86_64-linux.tar.gz", "--directory", work)
    tree = work / f"{base}-x86_64-linux"
    check((tree / "formsvc").read_bytes() == program.read_bytes(), "the archive has another program")
    for name in ("LICENSE", "README.md", "SECURITY.md", "CHANGELOG.md", "man/formsvc.1", "man/formsvc-serve.1",
                 "completions/formsvc.bash", "completions/_formsvc", "completions/formsvc.fish"):
        check((tree / name).stat().st_size > 0, f"the archive lacks {name}")
    chapters = sorted(path.name for path in HANDBOOK.iterdir())
    check(sorted(path.name for path in (tree / "handbook").iterdir()) == chapters, "the archive lacks a chapter")
    for path in (tree / "README.md", *(tree / "handbook").iterdir()):
        for link in re.findall(r'(?:\]\(|src=")([^():#"\s]+)[#")]', path.read_text()):
            check((path.parent / link).exists(), f"{path.name} of the archive has the link {link}, which leads nowhere")
    with tarfile.open(first / f"{base}-source.tar.gz") as source:
        check(f"{base}/Cargo.lock" in source.getnames(), "the source lacks Cargo.lock")
    check_formula(first, version)
    check_bill(first / f"{base}.cdx.json", python)
    return first, tree, version


def check_formula(files, version):
    formula = files / "formsvc.rb"
    run("ruby", "-c", formula)
    text = formula.read_text()
    check(f'version "{version}"' in text and "@" not in re.sub(r"\w@", "", text), "the formula has gaps")
    links = re.findall(r'url "(.*)"\n\s*sha256 "(.*)"', text)
    check(len(links) == 2, f"the formula downloads {links}")
    for link, checksum in links:
        at, name = link.rsplit("/", 1)
        check(at == URL, f"the formula downloads {link}")
        check(hashlib.sha256((files / name).read_bytes()).hexdigest() == checksum, f"the formula has another {name}")


def check_bill(bill, python):
    """The bill of materials holds to the schema, and has each crate that cargo links, as Cargo.lock has it."""
    run(python, "-c", "import sys; from cyclonedx.schema import SchemaVersion as V; "
        "from cyclonedx.validation.json import JsonStrictValidator as J; "
        "sys.exit(str(J(V.V1_6).validate_str(open(sys.argv[1]).read()) or '') or 0)", bill)
    components = json.loads(bill.read_text())["components"]
    listed = {(it["name"], it["version"]) for it in components}
    # What cargo would compile; the option is no stable one.
    units = run("cargo", "build", "--locked", "--bin", "formsvc", "--target", TARGET, "--unit-graph", "-Zunstable-options",
                cwd=ROOT, env={**os.environ, "RUSTC_BOOTSTRAP": "1"})
    linked = set()
    for unit in json.loads(units)["units"]:
        if "registry" in unit["pkg_id"]:
            linked.add(tuple(re.search(r"#(.+)@(.+)$", unit["pkg_id"]).groups()))
    check(listed == linked, f"the bill of materials differs from what is compiled: {listed ^ linked}")
    lock = (ROOT / "Cargo.lock").read_text()
    for it in components:
        check(it["hashes"][0]["content"] in lock and it["purl"] == f"pkg:cargo/{it['name']}@{it['version']}"
              and it["licenses"][0]["expression"], f"the bill of materials says of a crate {it}")
    scopes = {it["name"]: it["scope"] for it in components}
    check(scopes["hyper"] == "required" and scopes["serde_derive"] == scopes["cc"] == "excluded",
          "the bill of materials mixes up what is in the program and what builds it")


def check_package(package, tree):
    """What can be told of the Debian package before it is installed."""
    told = subprocess.run(["lintian", "--fail-on", "error,warning", package], capture_output=True, text=True, check=False)
    check(told.returncode == 0, f"lintian says\n{told.stdout}{told.stderr}")
    packed = run("dpkg-deb", "--contents", package)
    for name in ("litestream.yml", *(f"handbook/{path.name}" for path in HANDBOOK.iterdir())):
        check(f" ./usr/share/doc/formsvc/{name}\n" in packed, f"the package lacks {name}")
    unit = tree / "systemd/formsvc.service"
    looked_at = tree / "formsvc.service"
    for addition, most in (("", EXPOSURE), ((tree / "systemd/low-ports.conf").read_text(), EXPOSURE_WITH_PORTS)):
        looked_at.write_text(f"{unit.read_text()}\n{addition}")
        run("systemd-analyze", "security", "--offline=true", f"--threshold={most}", looked_at)
