"""Goes the whole way of OAuth with Authlib, and reads an access token with PyJWT.

flow.py BASE CONFIDENTIAL PUBLIC: the address of a running service, and two apps as `app create --json`
prints them."""

import json
import os
import sys
from html.parser import HTMLParser
from urllib.parse import parse_qs, urljoin, urlsplit

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # The service listens on this machine alone.

import jwt
import requests
from authlib.common.security import generate_token
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata

base, confidential, public = sys.argv[1], json.loads(sys.argv[2]), json.loads(sys.argv[3])
CALLBACK = "http://127.0.0.1:43117/callback"  # A port that was free.


class Form(HTMLParser):
    """The first form of a page: where it goes, and what it holds."""

    def __init__(self, page):
        super().__init__()
        self.action, self.values = None, {}
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if tag == "form" and self.action is None:
            self.action = attrs["action"]
        elif tag == "input" and attrs.get("type") == "hidden":
            self.values[attrs["name"]] = attrs["value"]


def browse(browser, address):
    """What somebody with a browser does: signs in where asked to, allows; where it is led in the end."""
    answer = browser.get(address, allow_redirects=False)
    for _ in range(9):
        if answer.status_code == 303:
            to = urljoin(answer.url, answer.headers["location"])
            if to.startswith(CALLBACK):
                return to
            answer = browser.get(to, allow_redirects=False)
            continue
        assert answer.status_code == 200, (answer.status_code, answer.text)
        form = Form(answer.text)
        typed = {"email": "ann@example.com", "password": "a quiet harbour"}
        own = typed if form.action.endswith("/sign-in") else {"decision": "approve"}
        answer = browser.post(
            urljoin(answer.url, form.action),
            data=form.values | own,
            headers={"Origin": base},
            allow_redirects=False,
        )
    raise AssertionError(f"led in circles: {answer.url}")


def refused(name, call):
    try:
        answer = call()
    except OAuthError as fault:
        assert fault.error == name, fault
    else:
        raise AssertionError(answer)


metadata = requests.get(f"{base}/.well-known/oauth-authorization-server").json()
AuthorizationServerMetadata(metadata).validate()
assert metadata["issuer"] == base
keys = jwt.PyJWKClient(metadata["jwks_uri"])
browser = requests.Session()

for app, method in [
    (confidential, "client_secret_basic"),
    (confidential, "client_secret_post"),
    (public, "none"),
]:
    client = OAuth2Session(
        app["client_id"],
        app["client_secret"],
        scope="form:read",
        redirect_uri=CALLBACK,
        token_endpoint_auth_method=method,
        revocation_endpoint_auth_method=method,
        code_challenge_method="S256",
    )
    verifier = generate_token(48)
    address, state = client.create_authorization_url(
        metadata["authorization_endpoint"], code_verifier=verifier
    )
    back = browse(browser, address)
    query = parse_qs(urlsplit(back).query)
    assert query["state"] == [state] and query["iss"] == [base], query
    token = client.fetch_token(
        metadata["token_endpoint"], authorization_response=back, state=state, code_verifier=verifier
    )
    assert token["token_type"] == "Bearer" and token["scope"] == "form:read", token
    me = client.get(f"{base}/api/v1/me").json()["data"]
    assert me["email"] == "ann@example.com", me
    assert me["token"] == {"kind": "oauth", "scopes": ["form:read"]}, me

    key = keys.get_signing_key_from_jwt(token["access_token"])
    claims = jwt.decode(
        token["access_token"],
        key.key,
        algorithms=["EdDSA"],
        audience=base,
        issuer=base,
        options={"require": ["iss", "exp", "aud", "sub", "client_id", "iat", "jti"]},
    )
    assert claims["client_id"] == app["client_id"] and claims["sub"] == me["id"], claims
    assert jwt.get_unverified_header(token["access_token"])["typ"] == "at+jwt"

    old = token["refresh_token"]
    token = client.refresh_token(metadata["token_endpoint"], refresh_token=old)
    assert token["refresh_token"] != old
    assert client.get(f"{base}/api/v1/forms").status_code == 200
    refused("invalid_grant", lambda: client.refresh_token(metadata["token_endpoint"], refresh_token=old))
    client.token = token
    answer = client.revoke_token(metadata["revocation_endpoint"], token=token["refresh_token"])
    assert answer.status_code == 200 and answer.json() == {}, answer.text
    bearer = {"Authorization": f"Bearer {token['access_token']}"}
    assert requests.get(f"{base}/api/v1/me", headers=bearer).status_code == 401
    print(f"Authlib goes the whole way by {method}")
