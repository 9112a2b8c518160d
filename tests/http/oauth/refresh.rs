//! Refresh tokens are used once (S32).

use support::{Server, at_once};

use crate::oauth::{Pair, TOKEN, age, app, count, error, somebody};

#[test]
fn each_use_gives_the_next_pair() {
    let server = Server::shared();
    let (browser, _) = somebody(server);
    for flags in [&[][..], &["--public"]] {
        let ours = app(server, flags);
        let mut pair = ours.tokens(&browser);
        for _ in 0..3 {
            let next = Pair::of(&ours.refresh(&pair.refresh));
            assert_ne!(next.refresh, pair.refresh);
            assert_ne!(next.access, pair.access);
            assert_eq!(next.scope, pair.scope);
            // The access token of the pair before works on until it ends.
            for pair in [&pair, &next] {
                assert_eq!(ours.call(pair).get("/api/v1/me").status, 200);
            }
            pair = next;
        }
    }
}

#[test]
fn a_lost_race_is_refused_and_punishes_nothing() {
    let server = Server::alone("its database is changed");
    let ours = app(&server, &[]);
    let (browser, _) = somebody(&server);
    let first = ours.tokens(&browser);
    let second = Pair::of(&ours.refresh(&first.refresh));
    for _ in 0..3 {
        assert_eq!(error(&ours.refresh(&first.refresh)), "invalid_grant");
    }
    age(&server, "UPDATE oauth_refresh_tokens SET rotated_at = rotated_at - 8000 WHERE rotated_at > 0");
    assert_eq!(error(&ours.refresh(&first.refresh)), "invalid_grant");
    assert_eq!(ours.call(&second).get("/api/v1/me").status, 200);
    assert_eq!(ours.refresh(&second.refresh).status, 200);
}

#[test]
fn a_used_one_that_comes_later_ends_the_grant() {
    let server = Server::alone("its database is changed");
    let ours = app(&server, &[]);
    let (browser, _) = somebody(&server);
    let other = ours.tokens(&browser);
    let first = ours.tokens(&browser);
    let second = Pair::of(&ours.refresh(&first.refresh));
    age(&server, "UPDATE oauth_refresh_tokens SET rotated_at = rotated_at - 10001 WHERE rotated_at > 0");
    assert_eq!(error(&ours.refresh(&first.refresh)), "invalid_grant");
    assert_eq!(error(&ours.refresh(&second.refresh)), "invalid_grant");
    assert_eq!(ours.call(&second).get("/api/v1/me").status, 401);
    assert_eq!(ours.call(&other).get("/api/v1/me").status, 200);
}

#[test]
fn a_used_one_that_comes_after_its_successor_ends_the_grant_at_once() {
    let server = Server::shared();
    let ours = app(server, &[]);
    let (browser, _) = somebody(server);
    let first = ours.tokens(&browser);
    let second = Pair::of(&ours.refresh(&first.refresh));
    let third = Pair::of(&ours.refresh(&second.refresh));
    assert_eq!(error(&ours.refresh(&first.refresh)), "invalid_grant");
    assert_eq!(error(&ours.refresh(&third.refresh)), "invalid_grant");
    assert_eq!(ours.call(&third).get("/api/v1/me").status, 401);
}

#[test]
fn of_many_uses_at_once_one_succeeds_at_most_and_one_token_is_live() {
    let server = Server::alone("its database is changed");
    let ours = app(&server, &[]);
    let (browser, _) = somebody(&server);
    let first = ours.tokens(&browser);
    let answers = at_once(20, |_| ours.refresh(&first.refresh));
    let good: Vec<_> = answers.iter().filter(|answer| answer.status == 200).collect();
    assert_eq!(good.len(), 1);
    assert_eq!(count(&server, "oauth_refresh_tokens WHERE rotated_at IS NULL"), 1);
    assert_eq!(ours.refresh(&Pair::of(good[0]).refresh).status, 200);
}

#[test]
fn another_client_can_do_nothing_with_it() {
    let server = Server::shared();
    let (ours, other) = (app(server, &[]), app(server, &["--public"]));
    let (browser, _) = somebody(server);
    let pair = ours.tokens(&browser);
    for _ in 0..2 {
        assert_eq!(error(&other.refresh(&pair.refresh)), "invalid_grant");
    }
    assert_eq!(ours.refresh(&pair.refresh).status, 200);
}

#[test]
fn scopes_may_only_shrink() {
    let server = Server::shared();
    let ours = app(server, &["--scope", "form:read", "entry:read"]);
    let (browser, _) = somebody(server);
    let pair = ours.tokens(&browser);
    let refresh = |token: &str, scope: &str| {
        let pairs = [("grant_type", "refresh_token"), ("refresh_token", token), ("scope", scope)];
        ours.post(TOKEN, &pairs)
    };
    for more in ["form:read form:write", "form:write", "everything", " ", "form:read\u{a0}entry:read", "entry:read\n"] {
        assert_eq!(error(&refresh(&pair.refresh, more)), "invalid_scope", "{more}");
    }
    // That did not spend it.
    let fewer = Pair::of(&refresh(&pair.refresh, "entry:read"));
    assert_eq!(fewer.scope, "entry:read");
    let me = ours.call(&fewer).get("/api/v1/me").data();
    assert_eq!(me["token"]["scopes"], serde_json::json!(["entry:read"]));
    assert_eq!(ours.call(&fewer).get("/api/v1/forms").status, 403);
    // A granted scope stays granted (RFC 6749 section 6).
    let all = Pair::of(&refresh(&fewer.refresh, ""));
    assert_eq!(all.scope, "form:read entry:read");
}

#[test]
fn it_ends_after_thirty_days() {
    let server = Server::alone("its database is changed");
    let ours = app(&server, &[]);
    let (browser, _) = somebody(&server);
    let month = 30 * 86_400_000_i64;
    let earlier = |by: i64| {
        for table in ["oauth_refresh_tokens", "oauth_grants"] {
            age(&server, &format!("UPDATE {table} SET expires_at = expires_at - {by}"));
        }
    };
    let pair = ours.tokens(&browser);
    earlier(month - 60_000);
    let pair = Pair::of(&ours.refresh(&pair.refresh));
    earlier(month);
    assert_eq!(error(&ours.refresh(&pair.refresh)), "invalid_grant");
    // Then it is swept, and the user is asked anew.
    assert_eq!(count(&server, "oauth_grants"), 1);
    assert!(server.run(&["jobs", "run-once", "oauth"]).status.success());
    for table in ["oauth_grants", "oauth_refresh_tokens", "oauth_codes"] {
        assert_eq!(count(&server, table), 0, "{table}");
    }
    assert_eq!(browser.get(&ours.address()).status, 200);
}
