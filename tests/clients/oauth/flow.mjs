// Goes the whole way of OAuth with oauth4webapi, which also reads an access token as RFC 9068 has it.
// flow.mjs BASE CONFIDENTIAL PUBLIC: the address of a running service, and two apps as `app create --json`
// prints them.
import assert from "node:assert/strict";
import * as oauth from "oauth4webapi";

const [base, confidential, publicApp] = [process.argv[2], ...process.argv.slice(3).map((app) => JSON.parse(app))];
const callback = "http://127.0.0.1:43118/callback"; // A port that was free.
const insecure = { [oauth.allowInsecureRequests]: true }; // The service listens on this machine alone.
const cookies = new Map();

async function ask(address, init = {}) {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const headers = { ...init.headers, cookie, origin: base };
  const answer = await fetch(address, { ...init, headers, redirect: "manual" });
  for (const line of answer.headers.getSetCookie()) {
    const [, name, value] = line.match(/^([^=]+)=([^;]*)/);
    if (/max-age=0/i.test(line)) cookies.delete(name);
    else cookies.set(name, value);
  }
  return answer;
}

/** What somebody with a browser does: signs in where asked to, allows; where it is led in the end. */
async function browse(address) {
  let answer = await ask(address);
  for (let step = 0; step < 9; step++) {
    if (answer.status === 303) {
      const to = new URL(answer.headers.get("location"), base);
      if (to.href.startsWith(callback)) return to;
      answer = await ask(to);
      continue;
    }
    const page = await answer.text();
    assert.equal(answer.status, 200, page);
    const action = page.match(/<form[^>]* action="([^"]*)"/)[1];
    const body = new URLSearchParams();
    for (const [, name, value] of page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)) {
      body.append(name, value.replaceAll("&amp;", "&"));
    }
    if (action.endsWith("/sign-in")) {
      body.append("email", "ann@example.com");
      body.append("password", "a quiet harbour");
    } else {
      body.append("decision", "approve");
    }
    answer = await ask(new URL(action, base), { method: "POST", body });
  }
  throw new Error("led in circles");
}

const issuer = new URL(base);
const discovery = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure });
const as = await oauth.processDiscoveryResponse(issuer, discovery);

for (const [name, app, auth] of [
  ["client_secret_basic", confidential, oauth.ClientSecretBasic(confidential.client_secret)],
  ["client_secret_post", confidential, oauth.ClientSecretPost(confidential.client_secret)],
  ["none", publicApp, oauth.None()],
]) {
  const client = { client_id: app.client_id };
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const address = new URL(as.authorization_endpoint);
  address.search = new URLSearchParams({
    client_id: app.client_id,
    redirect_uri: callback,
    response_type: "code",
    scope: "form:read",
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  const params = oauth.validateAuthResponse(as, client, await browse(address), state);
  const granted = await oauth.authorizationCodeGrantRequest(as, client, auth, params, callback, verifier, insecure);
  const first = await oauth.processAuthorizationCodeResponse(as, client, granted);
  assert.equal(first.scope, "form:read");

  const asked = await oauth.protectedResourceRequest(
    first.access_token, "GET", new URL(`${base}/api/v1/me`), undefined, undefined, insecure);
  const me = (await asked.json()).data;
  assert.deepEqual(me.token, { kind: "oauth", scopes: ["form:read"] });
  const request = new Request(`${base}/x`, { headers: { authorization: `Bearer ${first.access_token}` } });
  const claims = await oauth.validateJwtAccessToken(as, request, base, insecure);
  assert.equal(claims.sub, me.id);
  assert.equal(claims.client_id, app.client_id);

  const renewed = await oauth.refreshTokenGrantRequest(as, client, auth, first.refresh_token, insecure);
  const second = await oauth.processRefreshTokenResponse(as, client, renewed);
  assert.notEqual(second.refresh_token, first.refresh_token);
  const again = await oauth.refreshTokenGrantRequest(as, client, auth, first.refresh_token, insecure);
  await assert.rejects(oauth.processRefreshTokenResponse(as, client, again), { error: "invalid_grant" });

  const revoked = await oauth.revocationRequest(as, client, auth, second.access_token, insecure);
  await oauth.processRevocationResponse(revoked);
  const dead = await oauth.refreshTokenGrantRequest(as, client, auth, second.refresh_token, insecure);
  await assert.rejects(oauth.processRefreshTokenResponse(as, client, dead), { error: "invalid_grant" });
  console.log(`oauth4webapi goes the whole way by ${name}`);
}
