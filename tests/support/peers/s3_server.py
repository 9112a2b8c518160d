"""A small S3 server for tests: it checks signatures (version 4), keeps objects as files, and fails as it is told.

Objects lie in DIR/objects/BUCKET/KEY, uploads in parts in DIR/uploads/ID. The file DIR/faults.json says how to fail:
{"every": N} answers each Nth request with 503, {"down": true} all of them, {"slow": S} waits S seconds before each
answer, {"hold_part": N} never answers the Nth part of an upload, {"list": "same page"} says of each list that there is
more, {"list": "endless"} sends one page without end. Each request is a line of DIR/log.
"""

import hashlib
import hmac
import json
import os
import re
import shutil
import sys
import threading
import time
import urllib.parse
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(sys.argv[1])
KEY, SECRET, REGION = "tester", "secret-of-the-tests", "us-east-1"
LOCK = threading.Lock()
COUNT = [0]


class Refused(Exception):
    def __init__(self, status, code):
        self.status, self.code = status, code


def sign(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def quoted(text, safe=""):
    return urllib.parse.quote(text, safe="-_.~" + safe)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def check_signature(self, body):
        """https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html"""
        given = re.fullmatch(
            r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, ?"
            r"SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})",
            self.headers.get("Authorization", ""),
        )
        if not given:
            raise Refused(403, "AccessDenied")
        key, day, region, signed, signature = given.groups()
        if key != KEY:
            raise Refused(403, "InvalidAccessKeyId")
        if region != REGION:
            raise Refused(400, "AuthorizationHeaderMalformed")
        at = self.headers["x-amz-date"]
        age = time.time() - time.mktime(time.strptime(at, "%Y%m%dT%H%M%SZ")) + time.timezone
        if abs(age) > 900 or not at.startswith(day):
            raise Refused(403, "RequestTimeTooSkewed")
        digest = self.headers["x-amz-content-sha256"]
        if digest != hashlib.sha256(body).hexdigest():
            raise Refused(400, "XAmzContentSHA256Mismatch")
        names = signed.split(";")
        if not {"host", "x-amz-date", "x-amz-content-sha256"} <= set(names) or names != sorted(names):
            raise Refused(403, "AccessDenied")
        path, _, query = self.path.partition("?")
        pairs = sorted(
            (quoted(urllib.parse.unquote(name)), quoted(urllib.parse.unquote(value)))
            for name, _, value in (pair.partition("=") for pair in query.split("&") if pair)
        )
        headers = "".join(f"{name}:{' '.join(self.headers[name].split())}\n" for name in names)
        canonical = "\n".join([
            self.command,
            quoted(urllib.parse.unquote(path), "/"),
            "&".join(f"{name}={value}" for name, value in pairs),
            headers,
            signed,
            digest,
        ])
        scope = f"{day}/{REGION}/s3/aws4_request"
        text = "\n".join(
            ["AWS4-HMAC-SHA256", at, scope, hashlib.sha256(canonical.encode()).hexdigest()]
        )
        secret = f"AWS4{SECRET}".encode()
        for part in [day, REGION, "s3", "aws4_request"]:
            secret = sign(secret, part)
        if not hmac.compare_digest(sign(secret, text).hex(), signature):
            raise Refused(403, "SignatureDoesNotMatch")

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if "Content_Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def handle_one(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if len(body) != length:
            self.close_connection = True
            return
        path, _, query = self.path.partition("?")
        query = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        with LOCK:
            COUNT[0] += 1
            count = COUNT[0]
            with open(ROOT / "log", "a", encoding="utf-8") as log:
                log.write(f"{self.command} {self.path}\n")
        try:
            faults = json.loads((ROOT / "faults.json").read_text())
        except FileNotFoundError:
            faults = {}
        time.sleep(faults.get("slow", 0))
        try:
            self.check_signature(body)
            if faults.get("down") or count % faults.get("every", 1 << 60) == 0:
                raise Refused(503, "SlowDown")
            if self.command == "PUT" and str(faults.get("hold_part")) == query.get("partNumber"):
                (ROOT / "held").touch()
                time.sleep(600)
            bucket, _, key = urllib.parse.unquote(path).lstrip("/").partition("/")
            if not (ROOT / "objects" / bucket).is_dir():
                raise Refused(404, "NoSuchBucket")
            if faults.get("list") and self.command == "GET" and not key:
                return self.bad_list(faults["list"])
            self.act(ROOT / "objects" / bucket, key, query, body)
        except Refused as e:
            text = f"<Error><Code>{e.code}</Code><Message>It is {e.code}</Message></Error>"
            self.answer(e.status, text.encode(), Content_Type="application/xml")

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = handle_one

    def act(self, bucket, key, query, body):
        name = bucket / key
        upload = ROOT / "uploads" / query.get("uploadId", "none")
        tag = {"ETag": f'"{hashlib.md5(body).hexdigest()}"'}
        if self.command == "GET" and not key:
            return self.list(bucket, query)
        if "uploadId" in query and not upload.is_dir():
            raise Refused(404, "NoSuchUpload")
        match (self.command, "uploadId" in query):
            case ("POST", False) if "uploads" in query:
                upload = uuid.uuid4().hex
                (ROOT / "uploads" / upload).mkdir(parents=True)
                self.xml(f"<InitiateMultipartUploadResult><Bucket>{bucket.name}</Bucket><Key>{escape(key)}</Key>"
                         f"<UploadId>{upload}</UploadId></InitiateMultipartUploadResult>")
            case ("PUT", True):
                (upload / query["partNumber"]).write_bytes(body)
                self.answer(200, **tag)
            case ("POST", True):
                given = re.findall(r"<ETag>(.*?)</ETag>\s*<PartNumber>(\d+)</PartNumber>"
                                   r"|<PartNumber>(\d+)</PartNumber>\s*<ETag>(.*?)</ETag>", body.decode())
                parts = [upload / (before or after) for _, before, after, _ in given]
                if not parts or not all(part.is_file() for part in parts):
                    raise Refused(400, "InvalidPart")
                if any(part.stat().st_size < 5 << 20 for part in parts[:-1]):
                    raise Refused(400, "EntityTooSmall")
                self.write(name, b"".join(part.read_bytes() for part in parts))
                shutil.rmtree(upload)
                self.xml(f"<CompleteMultipartUploadResult><ETag>\"{uuid.uuid4().hex}\"</ETag>"
                         "</CompleteMultipartUploadResult>")
            case ("DELETE", True):
                shutil.rmtree(upload)
                self.answer(204)
            case ("PUT", False):
                self.write(name, body)
                self.answer(200, **tag)
            case ("DELETE", False):
                name.unlink(missing_ok=True)
                self.answer(204)
            case ("GET" | "HEAD", False):
                self.read(name)
            case _:
                raise Refused(501, "NotImplemented")

    def write(self, name, content):
        name.parent.mkdir(parents=True, exist_ok=True)
        new = ROOT / uuid.uuid4().hex
        new.write_bytes(content)
        os.replace(new, name)

    def read(self, name):
        if not name.is_file():
            raise Refused(404, "NoSuchKey")
        content = name.read_bytes()
        facts = {"ETag": f'"{hashlib.md5(content).hexdigest()}"', "Last_Modified": "Thu, 01 Jan 2026 00:00:00 GMT"}
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if not asked:
            return self.answer(200, content, Content_Length=str(len(content)), **facts)
        start = int(asked[1])
        end = min(int(asked[2] or len(content) - 1), len(content) - 1)
        if start > end:
            raise Refused(416, "InvalidRange")
        part = content[start:end + 1]
        self.answer(206, part, Content_Range=f"bytes {start}-{end}/{len(content)}", **facts)

    def list(self, bucket, query):
        """Two keys a page, so that pages are followed."""
        prefix, after = query.get("prefix", ""), query.get("continuation-token", "")
        keys = sorted(str(file.relative_to(bucket)) for file in bucket.rglob("*") if file.is_file())
        found = {}
        for key in keys:
            if not key.startswith(prefix):
                continue
            rest = key[len(prefix):]
            if query.get("delimiter") and "/" in rest:
                found.setdefault(prefix + rest.split("/")[0] + "/", None)
            else:
                found[key] = (bucket / key).stat().st_size
        page = [(key, size) for key, size in sorted(found.items()) if key > after]
        more, page = len(page) > 2, page[:2]
        lines = [
            f"<CommonPrefixes><Prefix>{escape(key)}</Prefix></CommonPrefixes>" if size is None else
            f"<Contents><Key>{escape(key)}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified>"
            f"<ETag>\"x\"</ETag><Size>{size}</Size></Contents>"
            for key, size in page
        ]
        token = f"<NextContinuationToken>{escape(page[-1][0])}</NextContinuationToken>" if more else ""
        self.xml(f"<ListBucketResult><IsTruncated>{str(more).lower()}</IsTruncated>{token}"
                 f"{''.join(lines)}</ListBucketResult>")

    def bad_list(self, how):
        item = "<Contents><Key>a/b</Key><LastModified>2026-01-01T00:00:00Z</LastModified><Size>1</Size></Contents>"
        start = "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken>"
        if how == "same page":
            return self.xml(f"{start}{item}</ListBucketResult>")
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            self.wfile.write(start.encode())
            for _ in range(1 << 16):
                self.wfile.write(item.encode() * 1000)
        except OSError:
            pass
        self.close_connection = True

    def xml(self, text):
        self.answer(200, f'<?xml version="1.0" encoding="UTF-8"?>{text}'.encode(), Content_Type="application/xml")


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_port, flush=True)
server.serve_forever()
