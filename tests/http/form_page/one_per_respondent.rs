//! One answer from each respondent: by browser and by account (contract section 5).

use serde_json::{Value, json};
use support::form_page::hidden;
use support::session::{Session, account, with_account};
use support::steps::{count, set};
use support::{Caller, Form, Response, Server, at_once, field};

fn form_of(owner: &Caller, one_per: &str) -> Form {
    let form = owner.form(json!([field("short_text", json!({"label": "Name"}))]));
    set(owner, &form, json!({"submission_options": {"one_per_respondent": one_per}}));
    form
}

fn values(name: &str) -> Value {
    json!({"field_values": {"field_1": name}})
}

fn assert_refused(answer: &Response) {
    assert_eq!(answer.status, 409, "{answer}");
    assert_eq!(answer.json()["code"], "already_submitted", "{answer}");
}

/// The `Set-Cookie` lines of an answer.
fn cookies(answer: &Response) -> Vec<String> {
    let lines = answer.headers.get_all("set-cookie").iter();
    lines.map(|line| line.to_str().expect("text").to_owned()).collect()
}

/// The cookie of an answer as a browser sends it back.
fn mark(answer: &Response) -> String {
    let lines = cookies(answer);
    let line = lines.first().expect("a cookie");
    line.split(';').next().unwrap_or_default().to_owned()
}

#[test]
fn a_browser_that_answered_keeps_a_mark_of_it() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = form_of(&owner, "browser");
    let fresh = anon.get(form.page());
    assert_eq!((fresh.status, cookies(&fresh)), (200, vec![]), "{fresh}");
    let done = anon.post_form(form.page(), &[("field_1", "Ada"), ("_once", "first")]);
    assert_eq!(done.status, 303, "{done}");
    let kept = cookies(&done);
    let [line] = kept.as_slice() else {
        panic!("{kept:?}");
    };
    assert!(line.starts_with("formsvc_answered="), "{line}");
    let rest = line.split_once("; ").expect("attributes").1;
    let path = form.page();
    assert_eq!(rest, format!("HttpOnly; SameSite=Lax; Path={path}; Max-Age=31536000"));
    let known = anon.header("cookie", &mark(&done));

    // The page says so in place of the form.
    let again = known.get(form.page());
    assert_eq!(again.status, 200, "{again}");
    assert!(again.text.contains("You’ve already responded"), "{again}");
    assert!(!again.text.contains("field_1"), "{again}");
    // A post is refused with such a page.
    let refused = known.post_form(form.page(), &[("field_1", "Bob")]);
    assert_eq!(refused.status, 409, "{refused}");
    assert!(refused.text.contains("You’ve already responded"), "{refused}");
    // The same sending once more gets the first answer.
    let resent = known.post_form(form.page(), &[("field_1", "Ada"), ("_once", "first")]);
    assert_eq!((resent.status, resent.header("location")), (303, done.header("location")));
    assert_eq!(count(&owner, &form), 1);

    // Others are not touched by it, and nor is another form.
    assert_eq!(anon.post_form(form.page(), &[("field_1", "Cy")]).status, 303);
    let other = form_of(&owner, "browser");
    assert_eq!(known.get(other.page()).text.matches("name=\"field_1\"").count(), 1);
    let done = known.post_form(other.page(), &[("field_1", "Ada")]);
    assert_eq!(done.status, 303, "{done}");
}

#[test]
fn the_api_neither_reads_nor_sets_a_cookie() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = form_of(&owner, "browser");
    let done = anon.post_form(form.page(), &[("field_1", "Ada")]);
    let known = anon.header("cookie", &mark(&done));
    // A program is no browser: each of its submissions is taken.
    for n in 0..2 {
        let taken = known.post(form.submissions(), values(&n.to_string()));
        assert_eq!((taken.status, cookies(&taken)), (201, vec![]), "{taken}");
    }
    assert_eq!(count(&owner, &form), 3);
    let shown = known.get(form.published());
    assert_eq!((shown.status, cookies(&shown)), (200, vec![]), "{shown}");
    // The browser is known on the page still.
    let page = known.get(form.page());
    assert!(page.text.contains("You’ve already responded"), "{page}");
}

#[test]
fn a_mark_that_is_not_ours_or_whose_answer_is_gone_counts_for_nothing() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = form_of(&owner, "browser");
    let done = anon.post_form(form.page(), &[("field_1", "Ada")]);
    let own = mark(&done);
    let (entry, signature) = own.split_once('.').expect("two parts");
    let forged = format!("{}.{signature}", entry.replace("answered=", "answered=1"));
    let post = |caller: &Caller| caller.post_form(form.page(), &[("field_1", "x")]);
    for odd in ["formsvc_answered=1", "formsvc_answered=1.x", &forged] {
        let odd = anon.header("cookie", odd);
        assert_eq!(post(&odd).status, 303);
    }
    let known = anon.header("cookie", &own);
    assert_eq!(post(&known).status, 409);
    assert_eq!(owner.delete(form.entry(1)).status, 200);
    assert_eq!(known.get(form.page()).text.matches("name=\"field_1\"").count(), 1);
    assert_eq!(post(&known).status, 303);
    // Where the setting is off again, nobody is known.
    let restored = owner.post(format!("{}/restore", form.trashed(1)), json!({}));
    assert_eq!(restored.status, 200, "{restored}");
    assert_eq!(post(&known).status, 409);
    set(&owner, &form, json!({"submission_options": {"one_per_respondent": null}}));
    let done = post(&known);
    assert_eq!((done.status, cookies(&done)), (303, vec![]));
}

#[test]
fn in_another_sites_frame_the_form_asks_to_stand_alone() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    for one_per in ["browser", "account"] {
        let form = form_of(&owner, one_per);
        let framed = format!("{}?embed=1", form.page());
        let page = anon.get(&framed);
        assert_eq!((page.status, cookies(&page)), (200, vec![]), "{page}");
        assert!(page.text.contains(&format!("href=\"{}\" target=\"_blank\"", form.page())), "{page}");
        assert!(!page.text.contains("field_1"), "{page}");
        let posted = anon.post_form(&framed, &[("field_1", "Ada")]);
        assert_eq!((posted.status, cookies(&posted)), (403, vec![]), "{posted}");
        assert_eq!(count(&owner, &form), 0);
    }
}

#[test]
fn an_account_has_one_live_entry() {
    let server = Server::shared();
    let (owner, one, two) = (server.user(), server.user(), server.user());
    let form = form_of(&owner, "account");
    let anonymous = server.anon().post(form.submissions(), values("x"));
    assert_eq!(anonymous.status, 401, "{anonymous}");
    assert_eq!(anonymous.json(), json!({"error": "Missing access token"}));
    // What is wrong with the rest is not told to who may not submit.
    let anonymous = server.anon().post(form.submissions(), json!({}));
    assert_eq!(anonymous.status, 401, "{anonymous}");
    assert_eq!(server.anon().get(form.published()).status, 200);

    let first = one.header("idempotency-key", "k").post(form.submissions(), values("One"));
    assert_eq!(first.status, 201, "{first}");
    assert_refused(&one.post(form.submissions(), values("One")));
    assert_refused(&one.post(form.submissions(), json!({"field_values": 1})));
    // The same request once more is no second submission.
    let resent = one.header("idempotency-key", "k").post(form.submissions(), values("One"));
    assert_eq!((resent.status, resent.json()), (201, first.json()));
    assert_eq!(two.post(form.submissions(), values("Two")).status, 201);
    // What the owner adds is nobody's answer.
    assert_eq!(owner.post(form.entries(), values("Own")).status, 201);
    assert_eq!(owner.post(form.submissions(), values("Owner")).status, 201);
    assert_refused(&owner.post(form.submissions(), values("Owner")));
}

#[test]
fn an_entry_in_the_trash_does_not_count_and_comes_back_only_alone() {
    let server = Server::shared();
    let (owner, one) = (server.user(), server.user());
    let form = form_of(&owner, "account");
    assert_eq!(one.post(form.submissions(), values("One")).status, 201);
    assert_eq!(owner.delete(form.entry(1)).status, 200);
    assert_eq!(one.post(form.submissions(), values("Again")).status, 201);
    let restore = || owner.post(format!("{}/restore", form.trashed(1)), json!({}));
    assert_refused(&restore());
    assert_eq!(owner.delete(form.entry(2)).status, 200);
    assert_eq!(restore().status, 200);
    assert_refused(&one.post(form.submissions(), values("Third")));
    // Gone for good, it is forgotten.
    assert_eq!(owner.delete(form.entry(1)).status, 200);
    assert_eq!(owner.delete(form.trashed(1)).status, 200);
    assert_eq!(one.post(form.submissions(), values("Third")).status, 201);
}

#[test]
fn what_came_before_the_setting_counts_too() {
    let server = Server::shared();
    let (owner, one) = (server.user(), server.user());
    let form = form_of(&owner, "none");
    for _ in 0..2 {
        assert_eq!(one.post(form.submissions(), values("One")).status, 201);
    }
    set(&owner, &form, json!({"submission_options": {"one_per_respondent": "account"}}));
    assert_refused(&one.post(form.submissions(), values("One")));
}

#[test]
fn of_many_submissions_at_once_one_is_stored() {
    let server = Server::shared();
    let (owner, one) = (server.user(), server.user());
    let form = form_of(&owner, "account");
    let mut statuses = at_once(8, |n| one.post(form.submissions(), values(&n.to_string())).status);
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409, 409, 409, 409, 409, 409, 409]);
    assert_eq!(count(&owner, &form), 1);
}

#[test]
fn closed_and_locked_forms_say_that_first() {
    let server = Server::shared();
    let owner = server.user();
    let form = form_of(&owner, "account");
    set(&owner, &form, json!({"access_control": {"access_password": "open"}}));
    let anon = server.anon();
    let refused = anon.post(form.submissions(), values("x"));
    assert_eq!(refused.json()["code"], "password_required", "{refused}");
    set(&owner, &form, json!({"access_control": {"access_password": null}, "availability": {"manually_closed": true}}));
    let refused = anon.post(form.submissions(), values("x"));
    assert_eq!(refused.json()["code"], "form_closed", "{refused}");
    let page = anon.get(form.page());
    assert!(page.text.contains("This form is closed"), "{page}");
}

#[test]
fn a_page_for_accounts_leads_to_the_door_and_knows_who_answered() {
    let (server, email) = with_account(&["--rate-limits", "off"]);
    let owner = server.user();
    let form = form_of(&owner, "account");
    let browser = Session::on(&server);
    let asked = browser.get(&format!("{}?field_1=Ann", form.page()));
    let next = format!("/sign-in?next=%2Ff%2F{}%3Ffield_1%3DAnn", form.token);
    assert_eq!((asked.status, asked.header("location")), (303, next.as_str()));

    let browser = browser.signed_in(email);
    let page = browser.get(&form.page());
    assert_eq!(page.status, 200, "{page}");
    let csrf = hidden(&page, "_csrf");
    // Nothing is stored without the page's own token, nor from another site; what was typed stays.
    let origin = server.base.clone();
    for (csrf, origin) in [("", &*origin), ("x", &origin), (&csrf, "http://evil.example")] {
        let caller = browser.caller().header("origin", origin);
        let refused = caller.post_form(form.page(), &[("field_1", "Typed"), ("_csrf", csrf)]);
        assert_eq!(refused.status, 403, "{refused}");
        assert!(refused.text.contains("value=\"Typed\""), "{refused}");
    }
    // Whoever is signed out by now is told so, and keeps what was typed.
    let refused =
        server.anon().header("origin", &origin).post_form(form.page(), &[("field_1", "Typed"), ("_csrf", &csrf)]);
    assert_eq!(refused.status, 403, "{refused}");
    assert!(refused.text.contains("value=\"Typed\""), "{refused}");
    assert!(refused.text.contains("/sign-in?next="), "{refused}");
    assert_eq!(count(&owner, &form), 0);

    let post = |name: &str, once: &str| {
        let caller = browser.caller().header("origin", &origin);
        let pairs = [("field_1", name), ("_csrf", &csrf), ("_once", once)];
        caller.post_form(form.page(), &pairs)
    };
    let done = post("Ann", "a");
    assert_eq!(done.status, 303, "{done}");
    assert_eq!(cookies(&done), Vec::<String>::new());
    assert_eq!(post("Ann", "a").header("location"), done.header("location"));
    let refused = post("Bob", "b");
    assert_eq!(refused.status, 409, "{refused}");
    assert!(refused.text.contains("You’ve already responded"), "{refused}");
    let page = browser.get(&form.page());
    assert!(page.text.contains("You’ve already responded"), "{page}");
    assert!(!page.text.contains("edit_token"), "{page}");
    let entry = owner.get(form.entry(1)).data();
    assert_eq!((&entry["field_1"], &entry["creator_name"]), (&json!("Ann"), &json!("Ann <b>Lee</b>")));

    // The account may change its answer where the settings allow that.
    set(&owner, &form, json!({"submission_options": {"allow_edit_after_submission": true}}));
    let page = browser.get(&form.page());
    let link = page.text.split("href=\"").find(|part| part.contains("edit_token"));
    let link = link.expect("a link").split('"').next().unwrap_or_default();
    let change = server.anon().get(link.replace("&amp;", "&"));
    assert_eq!(change.status, 200, "{change}");
    assert!(change.text.contains("value=\"Ann\""), "{change}");

    // Somebody else is somebody else.
    account(&server, "bea@example.org");
    let other = Session::on(&server).signed_in("bea@example.org");
    assert_eq!(hidden(&other.get(&form.page()), "field_1\" type=\"text"), "");
}
