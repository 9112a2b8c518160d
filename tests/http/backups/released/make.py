#!/usr/bin/env python3
"""Makes a data dir of a release with data in every table, as a backup of it, and what the service answers over it.

    tests/http/backups/released/make.py target/release/formsvc V1

writes tests/http/backups/released/V1.tar.zst and V1.json. Run it once for each release with new migrations; what was released is
never made again.
"""

import atexit
import json
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
import zlib
from pathlib import Path

PROGRAM, NAME = Path(sys.argv[1]).resolve(), sys.argv[2]
HERE = Path(__file__).parent
API = "/api/v1"
SCOPES = (
    "form:read form:write form:delete entry:read entry:write entry:delete form:respond integration:read "
    "integration:write"
).split()
def png(width, height):
    def part(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    rows = b"".join(b"\0" + bytes(nth % 251 for nth in range(3 * width)) for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")


class Service:
    def __init__(self, data_dir):
        self.dir = data_dir

    def run(self, *args, stdin=""):
        command = [PROGRAM, *args, "--data-dir", self.dir, "--no-input"]
        done = subprocess.run(command, input=stdin, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{args}: {done.stderr}")
        return done.stdout.strip()

    def start(self, is_new=False):
        command = [PROGRAM, "serve", "--listen", "127.0.0.1:0", "--rate-limits", "off", "--data-dir", self.dir]
        self.child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        for line in self.child.stdout:
            if "listening on" in line:
                self.base = line.split()[-1].rstrip("/")
            if "/setup/" in line or "listening on" in line and not is_new:
                break
        # It ends in order from its first answer on.
        self.call("GET", "/healthz")

    def make(self):
        self.start(is_new=True)
        self.stop()

    def end(self):
        self.child.kill()

    def stop(self):
        self.child.terminate()
        if self.child.wait():
            sys.exit(f"the service ended with {self.child.returncode}")

    def call(self, method, path, body=None, token=None, kind="application/json", **headers):
        url = path if path.startswith("http") else self.base + path
        data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data, method=method)
        if data is not None:
            request.add_header("Content-Type", kind)
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        for name, value in headers.items():
            request.add_header(name.replace("_", "-"), value)
        try:
            with urllib.request.urlopen(request) as answer:
                text = answer.read().decode(errors="replace")
        except urllib.error.HTTPError as e:
            sys.exit(f"{method} {path}: {e.code} {e.read().decode()}")
        return json.loads(text) if text.startswith(("{", "[")) else text


def fill(service):
    """What the API and the command line can make. Returns the owner's token and the addresses to ask."""
    for name in ["ada", "ben"]:
        more = ["--name", name.title(), "--password-stdin"]
        service.run("user", "create", f"{name}@example.com", *more, stdin="a quiet harbour")
    more = ["--name", "kept", "--expires", "never", "--scope", *SCOPES]
    token = service.run("token", "create", "--user", "ada@example.com", *more)
    service.run("app", "create", "--name", "Viewer", "--redirect-uri", "https://example.com/back")
    service.start()

    def call(method, path, body=None, **more):
        return service.call(method, API + path, body, token, **more)

    def form_of(name, fields, **more):
        return call("POST", "/forms", {"name": name, "fields": fields, **more})["data"]["token"]

    def uploaded(path, body, content):
        body = {**body, "file_size": len(content)}
        upload = call("POST", path, body)["data"]
        service.call("PUT", upload["upload_url"], content, kind=body["content_type"])
        return upload["upload_id"]

    folder = call("POST", "/folders", {"name": "Events"})["data"]["token"]
    days = [{"api_code": "mon", "label": "Monday", "quota": 9}, {"api_code": "tue", "label": "Tuesday"}]
    picture = {"purpose": "choice_image", "file_name": "sea.png", "content_type": "image/png"}
    image = uploaded("/attachments", picture, png(700, 300))
    views = [{"api_code": "sea", "label": "Sea", "image": {"upload_id": image}}]
    fields = [
        {"type": "short_text", "label": "Name", "required": True},
        {"type": "email", "label": "Address", "unique": True},
        {"type": "radio", "label": "Day", "choices": days},
        {"type": "attachment", "label": "Papers"},
        {"type": "number", "label": "Age"},
        {"type": "image_radio", "label": "View", "choices": views},
    ]
    form = form_of("Register", fields, folder_token=folder)
    of_form, public = f"/forms/{form}", f"/f/{form}/entries"
    settings = {"submission_options": {"allow_edit_after_submission": True}, "capacity": {"hold_minutes": 30}}
    call("PATCH", f"{of_form}/settings", settings)
    users = json.loads(service.run("user", "list", "--json"))
    ben = next(user for user in users if user["email"] == "ben@example.com")
    call("PUT", f"{of_form}/collaborators/{ben['id']}", {"role": "viewer"})
    hook = {"url": "https://hook.invalid/", "trigger_events": ["entry_created", "entry_updated"]}
    call("POST", f"{of_form}/integrations/webhooks", hook)
    paper = {"field_api_code": "field_4", "content_type": "text/plain"}
    papers = f"/f/{form}/entry_attachments"
    for nth in range(6):
        values = {"field_1": f"Person {nth}", "field_2": f"p{nth}@example.com", "field_3": "mon", "field_5": 20 + nth}
        if nth < 2:
            content = f"paper {nth}".encode()
            values["field_4"] = [uploaded(papers, {**paper, "file_name": f"{nth}.txt"}, content)]
        service.call("POST", API + public, {"field_values": values}, Idempotency_Key=f"key-{nth}")
    call("PATCH", f"{of_form}/entries/2", {"field_values": {"field_5": 99}})
    call("DELETE", f"{of_form}/entries/6")
    uploaded(papers, {**paper, "file_name": "unused.txt"}, b"unused")
    service.call("POST", f"{API}/f/{form}/holds", {"field_values": {"field_3": "mon"}})
    service.call("GET", f"/images/{image}?w=320")
    service.call("GET", f"{API}/oauth/jwks")
    query = {
        "form_token": form,
        "name": "Look up",
        "search_field_rules": [{"operand": "and", "fields": [{"field": "field_1", "fuzzy": False}]}],
        "display_field_rules": [{"field": "field_1"}, {"field": "field_5"}],
    }
    query = call("POST", "/opensearch/queries", query)["data"]["token"]
    many = form_of("Many", [{"type": "number", "label": "N"}])
    rows = "\n".join(["field_1", *[str(nth % 7) for nth in range(4200)]])
    call("POST", f"/forms/{many}/entries/import", rows.encode(), kind="text/csv")
    service.run("jobs", "run-once", "--quiet")
    call("PATCH", f"/forms/{many}/entries/7", {"field_values": {"field_1": 8}})
    asked = [
        "/me",
        "/folders",
        "/forms",
        of_form,
        f"{of_form}/settings",
        f"{of_form}/collaborators",
        f"{of_form}/entries",
        f"{of_form}/trash/entries",
        f"{of_form}/integrations/webhooks",
        f"/forms/{many}/entries?page_size=100",
        "/opensearch/queries",
        f"/opensearch/queries/{query}",
        f"/f/{form}",
    ]
    return token, form, query, asked


# What ends by itself ends in 2096, so that the answers stay as they are.
LASTING = """
UPDATE holds SET expires_at = 4000000000000;
UPDATE hold_takes SET expires_at = 4000000000000;
UPDATE entries_trash SET deleted_at = 4000000000000;
"""


# What comes and goes by itself, as it may be when a service stops.
REST = {
    "external_checkpoints": "INSERT INTO external_checkpoints VALUES (1)",
    "sessions": "INSERT INTO sessions VALUES (x'01', 1, 1800000000000, 1800000000000)",
    "second_factors": "INSERT INTO second_factors VALUES (2, x'0102', 1, 1800000000000)",
    "recovery_codes": "INSERT INTO recovery_codes VALUES (2, x'03')",
    "setup_links": "INSERT INTO setup_links VALUES (x'04', 1800000000000)",
    "password_resets": "INSERT INTO password_resets VALUES (2, x'05', 1800000000000)",
    "invitations": "INSERT INTO invitations VALUES (1, x'06', 1, 1, 'member', 1800000000000, 1800000000000)",
    "oauth_grants": "INSERT INTO oauth_grants VALUES (1, 'AbCdEfGhIj', 1, 1, 'form:read', 1, 1800000000000, NULL, 1900000000000)",
    "oauth_refresh_tokens": "INSERT INTO oauth_refresh_tokens VALUES (x'07', 1, 1, NULL, 1900000000000)",
    "oauth_codes": "INSERT INTO oauth_codes VALUES (x'08', 1, 1, 'https://example.com/back', 'c', 'form:read', 1800000000000, NULL)",
    "signing_keys": "INSERT INTO signing_keys VALUES ('k', zeroblob(32), 1800000000000, 1800000000000)",
    "imports": "INSERT INTO imports VALUES (900, 1, 'Ada', 1800000000000, 1, NULL, NULL, NULL)",
    "import_pieces": "INSERT INTO import_pieces VALUES (900, 0, '[]')",
    "rewrites": "INSERT INTO rewrites SELECT form_no, version, 'live', 0, 0, 1, 0 FROM forms WHERE form_no = 1",
    "image_variants": "INSERT INTO image_variants SELECT token, 320, NULL, NULL, NULL FROM images LIMIT 1",
    "segment_changes": "INSERT INTO segment_changes VALUES (2 << 32 | 7, 1)",
}


def complete(database):
    tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    for (table,) in database.execute(tables).fetchall():
        if database.execute(f"SELECT NOT EXISTS (SELECT 1 FROM {table})").fetchone()[0]:
            if table not in REST:
                sys.exit(f"{table} is empty: have it filled")
            database.execute(REST[table])
            print(f"by hand: {table}", file=sys.stderr)
    database.commit()


def main():
    with tempfile.TemporaryDirectory() as home:
        service = Service(f"{home}/data")
        atexit.register(service.end)
        subprocess.run(["mkdir", service.dir], check=True)
        service.make()
        token, form, query, asked = fill(service)
        service.stop()
        database = sqlite3.connect(f"{service.dir}/formsvc.db")
        database.executescript(LASTING)
        database.close()
        service.start()
        answers = {path: service.call("GET", API + path, token=token) for path in asked}
        service.stop()
        database = sqlite3.connect(f"{service.dir}/formsvc.db")
        complete(database)
        database.close()
        made = json.loads(service.run("backup", "create", "--json"))["file"]
        shutil.move(made, HERE / f"{NAME}.tar.zst")
    # Addresses of the service, and signatures that are made for each reader.
    text = json.dumps({"token": token, "form": form, "query": query, "answers": answers}, indent=1, ensure_ascii=False)
    text = re.sub(r"\?expires=[^\"]*", "", text.replace(service.base, ""))
    (HERE / f"{NAME}.json").write_text(text + "\n")


main()
