//! One answer from each respondent (`one_per_respondent`): by browser and by account.

use support::session::{Session, account, with_account};

use super::*;

const ANSWERED: &str = "You’ve already responded";

fn one_per(who: &str) -> Value {
    json!({"submission_options": {"one_per_respondent": who}})
}

fn world(who: &str) -> World {
    simple().settings(one_per(who))
}

fn answer(caller: &Caller, form: &Form) -> Response {
    submit(caller, form, json!({"field_1": "One"}))
}

/// The `Set-Cookie` lines of an answer.
fn cookies(answer: &Response) -> Vec<&str> {
    answer.headers.get_all("set-cookie").iter().map(|line| line.to_str().expect("text")).collect()
}

/// The cookie of an answer as a browser sends it back.
fn mark(answer: &Response) -> &str {
    let line = cookies(answer)[0];
    line.split(';').next().unwrap_or_default()
}

/// Asserts the status of an answer that sets no cookie.
#[track_caller]
fn without_cookies(answer: Response, status: u16) -> Response {
    assert_eq!((answer.status, cookies(&answer)), (status, vec![]), "{answer}");
    answer
}

#[test]
fn browser_that_answered_keeps_a_mark_that_pages_alone_read() {
    let w = world("browser");
    without_cookies(w.page(), 200);
    let first = [("field_1", "Ada"), ("_once", "first")];
    let done = w.post(&first).is(303);
    let [line] = cookies(&done)[..] else { panic!("{:?}", done.headers) };
    let (name, rest) = line.split_once("; ").expect("attributes");
    assert!(name.starts_with("formsvc_answered="), "{line}");
    assert_eq!(rest, format!("HttpOnly; SameSite=Lax; Path={}; Max-Age=31536000", w.form.page()));
    let known = w.anon.header("cookie", mark(&done));

    // The page says so in place of the form, and a post is refused with such a page.
    known.get(w.form.page()).is(200).has([ANSWERED]).lacks(["field_1"]);
    known.post_form(w.form.page(), &[("field_1", "Bob")]).is(409).has([ANSWERED]);
    // The same sending once more gets the first answer.
    assert_eq!(known.post_form(w.form.page(), &first).leads(), done.leads());
    assert_eq!(w.count(), 1);

    // A program is no browser: each of its submissions is taken, and the browser is known on the page still.
    for _ in 0..2 {
        without_cookies(answer(&known, &w.form), 201);
    }
    without_cookies(known.get(w.form.published()), 200);
    assert_eq!(w.count(), 3);
    known.get(w.form.page()).has([ANSWERED]);

    // Others are not touched by it, and nor is another form.
    w.post(&[("field_1", "Cy")]).is(303);
    let other = world("browser").form;
    assert_eq!(known.get(other.page()).text.matches("name=\"field_1\"").count(), 1);
    known.post_form(other.page(), &[("field_1", "Ada")]).is(303);
}

#[test]
fn mark_that_is_not_ours_or_whose_answer_is_gone_counts_for_nothing() {
    let w = world("browser");
    let done = w.post(&[("field_1", "Ada")]);
    let own = mark(&done);
    let (entry, signature) = own.split_once('.').expect("two parts");
    let forged = format!("{}.{signature}", entry.replace("answered=", "answered=1"));
    let post = |mark: &str| w.anon.header("cookie", mark).post_form(w.form.page(), &[("field_1", "x")]);
    for odd in ["formsvc_answered=1", "formsvc_answered=1.x", &forged] {
        assert_eq!(post(odd).status, 303, "{odd}");
    }
    post(own).is(409);
    w.owner.delete(w.form.entry(1)).is(200);
    let page = w.anon.header("cookie", own).get(w.form.page());
    assert_eq!(page.text.matches("name=\"field_1\"").count(), 1, "{page}");
    post(own).is(303);
    // Where the setting is off again, nobody is known.
    w.owner.post(format!("{}/restore", w.form.trashed(1)), json!({})).is(200);
    post(own).is(409);
    set(&w.owner, &w.form, json!({"submission_options": {"one_per_respondent": null}}));
    without_cookies(post(own), 303);
}

#[test]
fn form_in_another_sites_frame_asks_to_stand_alone() {
    for who in ["browser", "account"] {
        let w = world(who);
        let framed = format!("{}?embed=1", w.form.page());
        let alone = format!("href=\"{}\" target=\"_blank\"", w.form.page());
        without_cookies(w.anon.get(&framed), 200).has([alone]).lacks(["field_1"]);
        without_cookies(w.anon.post_form(&framed, &[("field_1", "Ada")]), 403);
        assert_eq!(w.count(), 0, "{who}");
    }
}

#[test]
fn account_has_one_live_entry() {
    let w = world("account");
    let (owner, form, one) = (&w.owner, &w.form, w.server.user());
    assert_eq!(answer(&w.anon, form).to_string(), r#"401 {"error":"Missing access token"}"#);
    // A visitor who may not submit is told no faults, and a password is asked for before an account.
    w.anon.post(form.submissions(), json!({})).is(401);
    w.anon.get(form.published()).is(200);
    set(owner, form, password("open"));
    answer(&w.anon, form).refuses(403, "password_required");
    set(owner, form, json!({"access_control": {"access_password": null}}));

    let keyed = one.header("idempotency-key", "k");
    let first = answer(&keyed, form).is(201);
    answer(&one, form).refuses(409, "already_submitted");
    one.post(form.submissions(), json!({"field_values": 1})).refuses(409, "already_submitted");
    // The same request once more is no second submission.
    assert_eq!(answer(&keyed, form).is(201).json(), first.json());
    answer(&w.server.user(), form).is(201);
    // An entry added by the owner is nobody's answer.
    owner.post(form.entries(), json!({"field_values": {"field_1": "Own"}})).is(201);
    answer(owner, form).is(201);
    answer(owner, form).refuses(409, "already_submitted");
}

#[test]
fn entry_in_the_trash_does_not_count_and_comes_back_only_alone() {
    let w = world("account");
    let (owner, form, one) = (&w.owner, &w.form, w.server.user());
    answer(&one, form).is(201);
    owner.delete(form.entry(1)).is(200);
    answer(&one, form).is(201);
    let restore = || owner.post(format!("{}/restore", form.trashed(1)), json!({}));
    restore().refuses(409, "already_submitted");
    owner.delete(form.entry(2)).is(200);
    restore().is(200);
    answer(&one, form).refuses(409, "already_submitted");
    // Gone for good, it is forgotten.
    owner.delete(form.entry(1)).is(200);
    owner.delete(form.trashed(1)).is(200);
    answer(&one, form).is(201);
}

#[test]
fn of_many_submissions_at_once_one_is_stored() {
    let w = world("account");
    let one = w.server.user();
    let mut statuses = at_once(8, |_| answer(&one, &w.form).status);
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409, 409, 409, 409, 409, 409, 409]);
    assert_eq!(w.count(), 1);
}

#[test]
fn page_for_accounts_leads_to_the_door_and_knows_who_answered() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let owner = server.user();
    let form = owner.form(one_line(json!({})));
    set(&owner, &form, one_per("account"));
    let browser = Session::on(&server);
    let asked = browser.get(&format!("{}?field_1=Ann", form.page()));
    assert_eq!(asked.leads(), format!("/sign-in?next=%2Ff%2F{}%3Ffield_1%3DAnn", form.token));

    let browser = browser.signed_in(email);
    let csrf = hidden(&browser.get(&form.page()).is(200), "_csrf");
    // Nothing is stored without the page's own token, nor from another site; the typed values stay.
    let post = |caller: Caller, origin: &str, inputs: &[(&str, &str)]| {
        caller.header("origin", origin).post_form(form.page(), inputs)
    };
    for (csrf, origin) in [("", &*server.base), ("x", &server.base), (&csrf, "http://evil.example")] {
        let refused = post(browser.caller(), origin, &[("field_1", "Typed"), ("_csrf", csrf)]);
        refused.is(403).has([r#"value="Typed""#]);
    }
    // A respondent who is signed out by now is told so, and keeps the typed values.
    let refused = post(server.anon(), &server.base, &[("field_1", "Typed"), ("_csrf", &csrf)]);
    refused.is(403).has([r#"value="Typed""#, "/sign-in?next="]);
    assert_eq!(count(&owner, &form), 0);

    let send = |name: &str, once: &str| {
        post(browser.caller(), &server.base, &[("field_1", name), ("_csrf", &csrf), ("_once", once)])
    };
    let done = without_cookies(send("Ann", "a"), 303);
    assert_eq!(send("Ann", "a").leads(), done.leads());
    send("Bob", "b").is(409).has([ANSWERED]);
    browser.get(&form.page()).has([ANSWERED]).lacks(["edit_token"]);
    let entry = owner.get(form.entry(1)).data();
    assert_eq!((&entry["field_1"], &entry["creator_name"]), (&json!("Ann"), &json!("Ann <b>Lee</b>")));

    // The account may change its answer where the settings allow that.
    set(&owner, &form, editable(true));
    let change = link(&browser.get(&form.page()), "edit_token").expect("a link");
    server.anon().get(change).is(200).has([r#"value="Ann""#]);

    // Somebody else is somebody else.
    account(&server, "bea@example.org");
    let other = Session::on(&server).signed_in("bea@example.org");
    assert_eq!(hidden(&other.get(&form.page()), "field_1\" type=\"text"), "");
}
