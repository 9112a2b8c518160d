//! Where visitors come from is kept nowhere: a day is played from two addresses, and then the data dir, its log of
//! writes included, and the service's own log are searched for them.

use std::fs;
use std::net::Ipv6Addr;

use serde_json::json;
use support::session::{PASSWORD, Session, account};
use support::uploads::{files_in, uploaded};
use support::{Server, field};

const V4: [u8; 4] = [198, 51, 100, 77];
const V6: &str = "2001:db8:77:1::9";

#[test]
fn a_visitors_address_is_kept_nowhere() {
    let flags = ["--trusted-proxies", "127.0.0.0/8", "--access-log", "on", "--log-level", "debug"];
    let server = Server::with(&flags);
    account(&server, "ann@example.org");
    let owner = server.user();
    let form = owner.form(json!([field("attachment", json!({})), field("short_text", json!({}))]));
    let locked = owner.form(json!([field("short_text", json!({}))]));
    let settings = format!("{}/settings", locked.path());
    let password = json!({"access_control": {"access_password": "sesame"}});
    assert_eq!(owner.patch(settings, password).status, 200);
    let v4 = V4.map(|byte| byte.to_string()).join(".");
    for address in [v4.as_str(), V6] {
        let visitor = server.anon().header("x-forwarded-for", address);
        assert_eq!(visitor.get(form.page()).status, 200);
        let posted = visitor.post_form(form.page(), &[("field_2", "a")]);
        assert_eq!(posted.status, 303, "{posted}");
        let file = uploaded(&visitor, &form, "a.txt", "text/plain", b"abc");
        uploaded(&visitor, &form, "unused.txt", "text/plain", b"abc");
        let once = visitor.header("Idempotency-Key", "once");
        let values = json!({"field_values": {"field_1": [file], "field_2": "b"}});
        assert_eq!(once.post(form.submissions(), values).status, 201);
        let wrong = visitor.header("X-Form-Password", "wrong");
        assert_eq!(wrong.get(locked.published()).status, 403);
        assert_eq!(visitor.get("/nothing").status, 404);
        let browser = Session::from(&server, address);
        assert_eq!(browser.sign_in("ann@example.org", "wrong").status, 422);
        assert_eq!(browser.sign_in("ann@example.org", PASSWORD).status, 303);
        let own = owner.header("x-forwarded-for", address);
        assert_eq!(own.get(form.entries()).status, 200);
        assert_eq!(own.get(format!("{}/export?format=csv", form.entries())).status, 200);
    }
    let v6: Ipv6Addr = V6.parse().expect("an address");
    let sought: [&[u8]; 6] = [b"198.51.100", &V4, b"c6336", b"2001:db8:77", &v6.octets()[..8], b"20010db80077"];
    let mut files = files_in(&server.dir, "");
    files.retain(|file| file.is_file());
    assert!(files.iter().any(|file| file.ends_with("formsvc.db-wal")), "{files:?}");
    let log = server.stderr();
    assert!(log.contains("/f/{form_token}"), "{log}");
    let kept = files.iter().map(|file| (file.display().to_string(), fs::read(file).unwrap_or_default()));
    for (place, bytes) in kept.chain([("the log".to_owned(), log.into_bytes())]) {
        for text in sought {
            let at = memchr::memmem::find(&bytes, text);
            assert!(at.is_none(), "{place} holds {:?} at {at:?}", String::from_utf8_lossy(text));
        }
    }
}
