"""A mail server that tests start. What it is given as JSON on the command line says how it speaks; it prints its port,
then a line of JSON for each message and each sign-in. The name before the @ of a recipient decides what becomes of a
message: refused, deferred, once (deferred the first time), hangs, broken (closes in the middle); any other arrives."""

import asyncio
import email
import email.policy
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult

options = json.loads(sys.argv[1])
deferred = set()


def tell(what):
    print(json.dumps(what), flush=True)


class Handler:
    async def handle_RCPT(self, server, session, envelope, address, rcpt_options):
        name = address.split("@")[0]
        if name == "refused":
            return "550 5.1.1 no such\tmailbox <script>"
        if name == "deferred" or (name == "once" and address not in deferred):
            deferred.add(address)
            return "451 4.3.0 later"
        if name == "hangs":
            await asyncio.sleep(3600)
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        await asyncio.sleep(options.get("delay", 0))
        if any(to.startswith("broken@") for to in envelope.rcpt_tos):
            server.transport.abort()
            return "451 gone"
        raw = envelope.content
        message = email.message_from_bytes(raw, policy=email.policy.default)
        part = lambda kind: message.get_body((kind,)).get_content().replace("\r\n", "\n")
        tell({
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "headers": [[name, str(value)] for name, value in message.items()],
            "raw": raw.decode("utf-8", "replace"),
            "text": part("plain"),
            "html": part("html"),
            "files": [{
                "name": file.get_filename(),
                "type": file.get_content_type(),
                "method": file.get_param("method"),
                "text": file.get_payload(decode=True).decode(),
            } for file in message.iter_attachments()],
            "tls": server.transport.get_extra_info("sslcontext") is not None,
            "user": session.auth_data.decode() if session.authenticated else None,
            "hello": session.host_name,
        })
        return "250 OK"


def authenticate(server, session, envelope, mechanism, data):
    ok = data.login.decode() == options.get("user") and data.password.decode() == options.get("password")
    tell({"sign_in": data.login.decode(), "ok": ok})
    return AuthResult(success=ok, handled=False, auth_data=data.login)


async def main():
    tls = None
    if "cert" in options:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(options["cert"], options["key"])
    implicit = tls if options.get("implicit") else None
    arguments = {"hostname": "mail.test", "enable_SMTPUTF8": True}
    if tls and not implicit:
        arguments["tls_context"] = tls
    if "user" in options:
        arguments.update(authenticator=authenticate, auth_require_tls=options.get("auth_require_tls", False))
    arguments["auth_required"] = options.get("auth_required", False)
    make = lambda: SMTP(Handler(), **arguments)
    server = await asyncio.get_running_loop().create_server(make, "127.0.0.1", options.get("port", 0), ssl=implicit)
    tell(server.sockets[0].getsockname()[1])
    await server.serve_forever()


asyncio.run(main())
