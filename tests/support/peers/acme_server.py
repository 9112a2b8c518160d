"""A certificate authority that tests start: ACME (RFC 8555) with TLS-ALPN-01 (RFC 8737) alone, strict about signatures,
nonces and addresses. It writes its root certificate to the file that its argument names, prints its directory's address,
then a line of JSON for each thing that happens. Lines of JSON on stdin change how it behaves:

port: where the names that it validates are served; validations wait until it is told.
fault: what goes wrong from now on (see `fault`); null for nothing.
before, after: how many seconds before and after now an issued certificate is valid."""

import base64
import datetime
import hashlib
import http.server
import ipaddress
import json
import os
import socket
import ssl
import sys
import tempfile
import threading

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from cryptography.x509.oid import NameOID

P256 = ec.SECP256R1
ACME_IDENTIFIER = x509.ObjectIdentifier("1.3.6.1.5.5.7.1.31")
ERROR = "urn:ietf:params:acme:error:"

state = {"port": None, "fault": None, "before": 3600, "after": 90 * 24 * 3600}
changed = threading.Condition(threading.RLock())
nonces, accounts, orders, authorizations, certificates = set(), {}, {}, {}, {}


def tell(event, **what):
    with changed:
        print(json.dumps({"event": event, **what}), flush=True)


def token():
    return base64url(os.urandom(16))


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unbase64url(text):
    if "=" in text:
        raise Refused("malformed", "base64url is padded")
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Refused(Exception):
    def __init__(self, kind, detail, status=400, wait=None, breach=True):
        super().__init__(detail)
        self.kind, self.status, self.wait = kind, status, wait
        if breach:
            tell("breach", what=detail)


def name_of(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)] if text else [])


def signed(subject, key, names, before, after, is_root=False):
    now = datetime.datetime.now(datetime.timezone.utc)
    made = x509.CertificateBuilder().subject_name(name_of(subject)).issuer_name(name_of("Test root"))
    made = made.public_key(key).serial_number(x509.random_serial_number())
    made = made.not_valid_before(now - datetime.timedelta(seconds=before))
    made = made.not_valid_after(now + datetime.timedelta(seconds=after))
    made = made.add_extension(x509.BasicConstraints(ca=is_root, path_length=None), critical=True)
    if names:
        made = made.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return made.sign(root_key, hashes.SHA256())


def pem(certificate):
    return certificate.public_bytes(serialization.Encoding.PEM).decode()


root_key = ec.generate_private_key(P256())
root = signed("Test root", root_key.public_key(), [], 3600, 10 * 365 * 86400, is_root=True)


def validate(authorization, challenge):
    name = authorization["identifier"]["value"]
    key_authorization = f"{challenge['token']}.{authorization['thumbprint']}"
    with changed:
        changed.wait_for(lambda: state["port"])
    try:
        look_at(name, hashlib.sha256(key_authorization.encode()).digest())
        outcome, error = "valid", None
    except (AssertionError, OSError) as fault:
        outcome, error = "invalid", {"type": ERROR + "unauthorized", "detail": f"{name} is not here: {fault}"}
    with changed:
        challenge["status"] = authorization["status"] = outcome
        if error:
            challenge["error"] = error
        order = authorization["order"]
        mine = [authorizations[it]["status"] for it in order["mine"]]
        if "invalid" in mine:
            order["status"] = "invalid"
        elif set(mine) == {"valid"}:
            order["status"] = "ready"
    tell("validated", name=name, outcome=outcome)


def look_at(name, digest):
    """RFC 8737, section 3."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["acme-tls/1"])
    with socket.create_connection(("127.0.0.1", state["port"]), timeout=10) as tcp:
        with context.wrap_socket(tcp, server_hostname=name) as tls:
            assert tls.selected_alpn_protocol() == "acme-tls/1", "another protocol"
            certificate = x509.load_der_x509_certificate(tls.getpeercert(True))
            try:
                tls.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert tls.recv(1) == b"", "it speaks HTTP there"
            except OSError:
                pass  # It is closed already.
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert list(names) == [x509.DNSName(name)], "other names"
    extension = certificate.extensions.get_extension_for_oid(ACME_IDENTIFIER)
    assert extension.critical, "the extension is not critical"
    assert extension.value.value == b"\x04\x20" + digest, "another key authorization"


def issue(order, request):
    request = x509.load_der_x509_csr(unbase64url(request))
    names = request.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    if not request.is_signature_valid or list(request.subject):
        raise Refused("badCSR", "the request is signed badly, or has a subject")
    if sorted(names.get_values_for_type(x509.DNSName)) != sorted(order["names"]) or len(names) != len(order["names"]):
        raise Refused("badCSR", "the request is for other names")
    if request.public_key() == accounts[order["account"]]["key"]:
        raise Refused("badCSR", "the account's key is used twice")
    names = [x509.DNSName("other.example")] if state["fault"] == "wrong name" else list(names)
    before, after = (7200, -3600) if state["fault"] == "over" else (state["before"], state["after"])
    leaf = signed("", request.public_key(), names, before, after)
    name = token()
    certificates[name] = (order["account"], pem(leaf) + pem(root))
    order["status"], order["certificate"] = "processing", base + "/certificate/" + name
    tell("issued", fingerprint=leaf.fingerprint(hashes.SHA256()).hex(), names=order["names"])


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", kind="application/json", **headers):
        body = json.dumps(body).encode() if isinstance(body, dict) else body
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        nonce = token()
        with changed:
            nonces.add(nonce)
        self.send_header("Replay-Nonce", nonce)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def problem(self, refused):
        wait = {"Retry_After": str(refused.wait)} if refused.wait else {}
        body = {"type": ERROR + refused.kind, "detail": str(refused), "status": refused.status}
        self.answer(refused.status, body, "application/problem+json", **wait)

    def fault(self):
        """Whether this request is answered with a fault."""
        fault = state["fault"]
        if fault == "500":
            self.answer(500, b"<h1>Oops</h1>", "text/html")
        elif fault == "malformed" and self.path == "/directory":
            self.answer(200, b'{"newNonce": 7')
        elif fault == "large" and self.path == "/directory":
            self.answer(200, b" " * (2 << 20) + b"{}")
        elif fault == "429" and self.path == "/order":
            detail = "too many certificates already issued\nfor this name"
            self.problem(Refused("rateLimited", detail, 429, wait=36000, breach=False))
        else:
            return False
        return True

    def do_HEAD(self):
        tell("request", path=self.path)
        if not self.fault():
            self.answer(200 if self.path == "/nonce" else 404, Cache_Control="no-store")

    def do_GET(self):
        tell("request", path=self.path)
        if self.fault():
            return
        if self.path != "/directory":
            return self.answer(405)
        names = {"newNonce": "nonce", "newAccount": "account", "newOrder": "order", "revokeCert": "revoke", "keyChange": "key"}
        urls = {name: f"{base}/{path}" for name, path in names.items()}
        self.answer(200, {**urls, "meta": {"termsOfService": base + "/terms"}})

    def do_POST(self):
        tell("request", path=self.path)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.fault():
            return
        try:
            with changed:
                self.post(*self.opened(body))
        except Refused as refused:
            self.problem(refused)

    def opened(self, body):
        """The account (or the key of a new one) and the payload of a signed request (RFC 8555, section 6)."""
        if self.headers["Content-Type"] != "application/jose+json" or not self.headers["User-Agent"]:
            raise Refused("malformed", "a header is wrong")
        body = json.loads(body)
        if set(body) != {"protected", "payload", "signature"}:
            raise Refused("malformed", "no flattened JWS")
        head = json.loads(unbase64url(body["protected"]))
        if head.get("alg") != "ES256":
            raise Refused("badSignatureAlgorithm", "another algorithm")
        if head.get("url") != base + self.path:
            raise Refused("unauthorized", "another address was signed")
        if ("jwk" in head) == ("kid" in head) or ("jwk" in head) != (self.path == "/account"):
            raise Refused("malformed", "jwk and kid are mixed up")
        if head.get("nonce") not in nonces:
            raise Refused("badNonce", "the nonce is unknown or used")
        nonces.remove(head["nonce"])
        if state["fault"] == "bad nonce":
            state["fault"] = None
            raise Refused("badNonce", "the nonce is too old", breach=False)
        if "kid" in head:
            account = accounts.get(head["kid"])
            if not account:
                raise Refused("accountDoesNotExist", "no such account", breach=False)
            key = account["key"]
        else:
            jwk = head["jwk"]
            if (jwk["kty"], jwk["crv"]) != ("EC", "P-256"):
                raise Refused("badPublicKey", "another kind of key")
            x, y = (int.from_bytes(unbase64url(jwk[at]), "big") for at in "xy")
            key = ec.EllipticCurvePublicNumbers(x, y, P256()).public_key()
        signature = unbase64url(body["signature"])
        if len(signature) != 64:
            raise Refused("malformed", "the signature has another length")
        r, s = (int.from_bytes(half, "big") for half in (signature[:32], signature[32:]))
        try:
            text = f"{body['protected']}.{body['payload']}".encode()
            key.verify(encode_dss_signature(r, s), text, ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            raise Refused("malformed", "the signature is wrong") from None
        payload = unbase64url(body["payload"])
        return head.get("kid"), head.get("jwk"), key, json.loads(payload) if payload else None

    def post(self, account, jwk, key, payload):
        kind, _, name = self.path[1:].partition("/")
        if kind == "account" and not name:
            return self.new_account(jwk, key, payload)
        if kind == "account":
            if base + self.path != account:
                raise Refused("unauthorized", "another's account")
            accounts[account]["contact"] = payload["contact"]
            tell("contact", contact=payload["contact"])
            return self.answer(200, {"status": "valid", "contact": payload["contact"]})
        if kind == "order" and not name:
            return self.new_order(account, payload)
        found = {"order": orders, "finalize": orders, "authorization": authorizations, "challenge": authorizations}
        if kind == "certificate":
            owner, chain = certificates[name]
            if payload is not None or owner != account:
                raise Refused("unauthorized", "another's certificate")
            return self.answer(200, chain.encode(), "application/pem-certificate-chain")
        found = found[kind][name]
        if found["account"] != account or (payload is None) == (kind in ("finalize", "challenge")):
            raise Refused("unauthorized", "another's, or no POST-as-GET")
        if kind == "finalize":
            if found["status"] != "ready":
                raise Refused("orderNotReady", "the order is not ready", 403)
            issue(found, payload["csr"])
            return self.show_order(name)
        if kind == "order":
            self.show_order(name)
            if found["status"] == "processing":
                found["status"] = "valid"
            return None
        challenge = found["challenges"][-1]
        if kind == "challenge":
            if payload != {} or challenge["status"] != "pending":
                raise Refused("malformed", "a challenge is accepted once, with {}")
            challenge["status"] = "processing"
            threading.Thread(target=validate, args=(found, challenge), daemon=True).start()
            return self.answer(200, challenge)
        return self.answer(200, {key: found[key] for key in ("identifier", "status", "challenges")})

    def new_account(self, jwk, key, payload):
        if payload.get("termsOfServiceAgreed") is not True:
            raise Refused("malformed", "the terms are not agreed to")
        url = base + "/account/" + token()
        members = json.dumps({name: jwk[name] for name in ("crv", "kty", "x", "y")}, separators=(",", ":"))
        thumbprint = base64url(hashlib.sha256(members.encode()).digest())
        accounts[url] = {"key": key, "contact": payload.get("contact"), "thumbprint": thumbprint}
        tell("account", contact=payload.get("contact"))
        self.answer(201, {"status": "valid"}, Location=url)

    def new_order(self, account, payload):
        if state["fault"] == "forgotten":
            state["fault"] = None
            accounts.clear()
            raise Refused("accountDoesNotExist", "no such account", breach=False)
        names = [it["value"] for it in payload["identifiers"] if it["type"] == "dns"]
        tell("order", names=names)
        order = {"account": account, "names": names, "status": "pending", "mine": []}
        for name in names:
            mine = token()
            order["mine"].append(mine)
            challenges = [{"type": "http-01", "url": base + "/none", "token": token(), "status": "pending"}]
            if state["fault"] != "another challenge":
                url = base + "/challenge/" + mine
                challenges.append({"type": "tls-alpn-01", "url": url, "token": token(), "status": "pending"})
            authorizations[mine] = {
                "account": account, "order": order, "identifier": {"type": "dns", "value": name}, "status": "pending",
                "thumbprint": accounts[account]["thumbprint"], "challenges": challenges,
            }
        name = token()
        orders[name] = order
        self.show_order(name, 201)

    def show_order(self, name, status=200):
        order = orders[name]
        shown = {
            "status": order["status"],
            "identifiers": [{"type": "dns", "value": it} for it in order["names"]],
            "authorizations": [base + "/authorization/" + it for it in order["mine"]],
            "finalize": base + "/finalize/" + name,
        }
        if order["status"] == "valid":
            shown["certificate"] = order["certificate"]
        self.answer(status, shown, Location=base + "/order/" + name)


def main():
    global base
    key = ec.generate_private_key(P256())
    own = signed("Test authority", key.public_key(), [x509.IPAddress(ipaddress.ip_address("127.0.0.1"))], 3600, 9 * 365 * 86400)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile() as file:
        file.write(pem(own).encode() + private)
        file.flush()
        context.load_cert_chain(file.name)
    with open(sys.argv[1], "w") as file:
        file.write(pem(root))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.daemon_threads = True
    base = f"https://127.0.0.1:{server.server_port}"
    print(json.dumps(base + "/directory"), flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for line in sys.stdin:
        with changed:
            state.update(json.loads(line))
            changed.notify_all()
        tell("told")


main()
