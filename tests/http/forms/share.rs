//! The page to share a form: who sees which part of it, whether the form is open, the buttons that close it, its code,
//! its password; and the script of sites that embed it.

use std::collections::BTreeSet;

use qrcode::{Color, QrCode};
use regex::Regex;
use serde_json::{Value, json};
use support::session::{Session, account, shown};
use support::steps::{add, set};
use support::{Caller, Form, Server, field};

const ALL: &str = "form:read form:write form:delete entry:read entry:write";
const ANN: &str = "ann@example.org";

struct Desk {
    server: Server,
    owner: Caller,
    form: Form,
    /// Signed in as the owner.
    browser: Session,
}

/// A form of one line, and its owner's browser.
fn desk() -> Desk {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    let owner = server.token(ANN, ALL);
    let fields = json!([field("short_text", json!({}))]);
    let form = owner.form_with(json!({"name": "Tea & “<b>cake</b>”", "timezone": "Europe/Berlin", "fields": fields}));
    let browser = Session::on(&server).signed_in(ANN);
    Desk { server, owner, form, browser }
}

impl Desk {
    fn page(&self) -> String {
        format!("/forms/{}/share", self.form.token)
    }

    fn publish(&self) -> String {
        format!("/forms/{}/share/publish", self.form.token)
    }

    fn close(&self) -> String {
        format!("/forms/{}/share/close", self.form.token)
    }

    fn open(&self) -> String {
        format!("/forms/{}/share/open", self.form.token)
    }

    fn schedule(&self) -> String {
        format!("/forms/{}/share/availability", self.form.token)
    }

    fn password(&self) -> String {
        format!("/forms/{}/share/password", self.form.token)
    }

    fn no_password(&self) -> String {
        format!("/forms/{}/share/password/remove", self.form.token)
    }

    fn files(&self) -> [String; 3] {
        let form = &self.form.token;
        [format!("/forms/{form}/qr.svg"), format!("/forms/{form}/qr.png"), format!("/forms/{form}/poster")]
    }

    fn address(&self) -> String {
        format!("{}{}", self.server.base, self.form.page())
    }

    fn setting(&self, group: &str) -> Value {
        self.owner.get(self.form.part("settings")).data()[group].clone()
    }

    /// A signed-in user with this role in the form, or none.
    fn colleague(&self, name: &str, role: &str) -> Session {
        let email = format!("{name}@example.org");
        account(&self.server, &email);
        if !role.is_empty() {
            self.browser.get(&format!("/forms/{}/people", self.form.token));
            let posted = [("email", email.as_str()), ("role", role)];
            self.browser.post(&format!("/forms/{}/people", self.form.token), &posted).is(303);
        }
        Session::on(&self.server).signed_in(&email)
    }
}

#[test]
fn each_role_sees_what_it_may_do() {
    let desk = desk();
    let link = format!("value=\"{}\"", desk.address());
    let everybody = [link.as_str(), "id=\"code\"", "id=\"embed-growing\"", "/qr.svg", "/qr.png", "/poster"];
    let managers = ["id=\"availability\"", "id=\"password\"", "id=\"people\"", "/share/close", "/people\""];
    set(&desk.owner, &desk.form, json!({"access_control": {"access_password": "open sesame"}}));
    let [viewer, editor, manager] = ["viewer", "editor", "manager"].map(|role| desk.colleague(role, role));
    for who in [&desk.browser, &manager] {
        let page = who.get(&desk.page()).is(200);
        page.has(everybody).has(managers).has(["aria-current=\"page\"", "open sesame"]);
        page.has(["viewer@example.org", "Editor"]);
    }
    let acts = [desk.publish(), desk.close(), desk.open(), desk.schedule(), desk.password(), desk.no_password()];
    for who in [&viewer, &editor] {
        let page = who.get(&desk.page()).is(200);
        page.has(everybody).lacks(managers).lacks(["open sesame", "<form method=\"post\" action=\"/forms/"]);
        for act in &acts {
            who.post(act, &[("access_control.access_password", "x")]).is_for(403, act);
        }
        for file in desk.files() {
            who.get(&file).is_for(200, &file);
        }
    }
    let stranger = desk.colleague("stranger", "");
    for address in desk.files().iter().chain([&desk.page()]) {
        stranger.get(address).is_for(404, address);
    }
    for act in &acts {
        stranger.post(act, &[("access_control.access_password", "x")]).is_for(404, act);
    }
    assert_eq!(desk.setting("access_control"), json!({"access_password": "open sesame"}));
    // Without a session, to sign in and back.
    let back = format!("/sign-in?next=%2Fforms%2F{}%2Fshare", desk.form.token);
    Session::on(&desk.server).get(&desk.page()).leads_to(&back);
}

#[test]
fn the_page_says_whether_the_form_is_open_and_why() {
    let desk = desk();
    let availability = |group: Value| set(&desk.owner, &desk.form, json!({"availability": group}));
    let says = |texts: &[&str]| {
        desk.browser.get(&desk.page()).is(200).has(texts);
    };
    let times = |start: &str, end: &str| {
        let time = |text: &str| if text.is_empty() { Value::Null } else { json!(text) };
        json!({"schedule": {"start_at": time(start), "end_at": time(end)}})
    };
    says(&["Open – 0 entries so far", "Close now"]);
    for _ in 0..2 {
        add(&desk.owner, &desk.form, json!({"field_1": "x"}));
    }
    availability(json!({"entries_limit": 1000}));
    says(&["Open – 2 of 1,000 entries received"]);
    availability(times("", "2090-05-03T16:00:00Z"));
    says(&["Open, closes on 3 May 2090 at 6:00", "(GMT+2) – 2 of 1,000 entries received", "2090-05-03T18:00"]);
    availability(json!({"entries_limit": 2}));
    says(&["Full – 2 of 2 entries received", "Close now"]);
    availability(json!({"entries_limit": null}));
    says(&["Open, closes on 3 May 2090", " – 2 entries so far"]);
    availability(times("2090-05-01T16:00:00Z", ""));
    says(&["Not open yet: opens on 1 May 2090"]);
    availability(times("", "2020-05-03T16:00:00Z"));
    says(&["Closed since 3 May 2020", "set a later closing time"]);
    desk.browser.get(&desk.page()).lacks(["/share/close", "/share/open"]);
    availability(json!({"manually_closed": true}));
    says(&["Closed by hand", "Open again"]);
    // It may still be closed afterwards.
    desk.browser.post_on(&desk.open(), &[]).has(["no longer closed by hand", "Closed since 3 May 2020"]);

    desk.owner.patch(desk.form.path(), json!({"published": false})).is(200);
    let page = desk.browser.get(&desk.page()).is(200);
    page.has(["Not published", "Publish the form first"]).lacks([&desk.address(), "id=\"code\"", "embed"]);
    desk.server.anon().get(desk.form.page()).is(404);
    let page = desk.browser.post_on(&desk.publish(), &[]);
    page.has(["Published. The link works now.", &desk.address()]);
    desk.server.anon().get(desk.form.page()).is(200);
}

#[test]
fn a_form_is_closed_and_opened_again_at_once() {
    let desk = desk();
    let send = || desk.server.anon().post(desk.form.submissions(), json!({"field_values": {"field_1": "x"}}));
    send().is(201);
    desk.browser.get(&desk.page());
    let page = desk.browser.post_on(&desk.close(), &[]);
    page.has(["The form is closed", "Closed by hand", &format!("action=\"{}\"", desk.open()), "Undo"]);
    send().refuses(403, "form_closed");
    desk.server.anon().get(desk.form.page()).is(200).has(["no longer accepting responses"]);
    let page = desk.browser.post_on(&desk.open(), &[]);
    page.has(["The form is open", "Undo", &format!("action=\"{}\"", desk.close())]);
    send().is(201);
    // An outdated notice is not shown.
    desk.browser.get(&format!("{}?done=closed", desk.page())).is(200).lacks(["The form is closed", "Undo"]);
    // Twice the same is no fault.
    desk.browser.post_on(&desk.open(), &[]).is(200);
}

#[test]
fn opening_closing_and_limit_are_saved_with_all_faults_at_once() {
    let desk = desk();
    let names = ["availability.schedule.start_at", "availability.schedule.end_at", "availability.entries_limit"];
    let post = |was: [&str; 3], typed: [&str; 3]| {
        desk.browser.get(&desk.page());
        let old = names.map(|name| format!("was.{name}"));
        let old = old.iter().map(String::as_str).zip(was);
        let pairs: Vec<_> = names.into_iter().zip(typed).chain(old).collect();
        desk.browser.post(&desk.schedule(), &pairs)
    };
    let none = ["", "", ""];
    post(none, ["2090-05-01T09:00", "2090-05-03 18:00", "100"]).leads_to(&format!("{}?done=saved", desk.page()));
    let group = desk.setting("availability");
    let schedule = json!({"start_at": "2090-05-01T07:00:00.000Z", "end_at": "2090-05-03T16:00:00.000Z"});
    assert_eq!((&group["schedule"], &group["entries_limit"]), (&schedule, &json!(100)));
    let saved = ["2090-05-01T09:00", "2090-05-03T18:00", "100"];
    desk.browser.get(&desk.page()).has(saved.map(|value| format!("value=\"{value}\"")));
    // Values that were not touched are not changed, to the millisecond.
    let exact = json!({"availability": {"schedule": {"end_at": "2090-05-03T16:00:00.123Z"}}});
    set(&desk.owner, &desk.form, exact);
    let exact = "2090-05-03T18:00:00.123";
    desk.browser.get(&desk.page()).has([format!("value=\"{exact}\"")]);
    let shown = [saved[0], exact, saved[2]];
    post(shown, ["", exact, saved[2]]).is(303);
    let schedule = json!({"start_at": null, "end_at": "2090-05-03T16:00:00.123Z"});
    assert_eq!(desk.setting("availability")["schedule"], schedule);
    post(["", exact, saved[2]], none).is(303);
    assert_eq!(desk.setting("availability")["schedule"], json!({"start_at": null, "end_at": null}));

    let page = post(none, ["soon", "2090-05-03", "1"]).is(422);
    page.has(["Error: Share", "Enter a whole number of at least 2"]);
    page.has(["soon", "2090-05-03", "1"].map(|typed| format!("value=\"{typed}\"")));
    page.has(names.map(|name| format!("href=\"#{name}\""))).has(names.map(|name| format!("id=\"{name}-fault\"")));
    assert_eq!(page.text.matches("Enter a day and a time").count(), 4, "above and beside: {page}");
    let page = post(none, ["2090-05-03T18:00", "2090-05-03T18:00", "1"]).is(422);
    page.has(["Choose a closing time after the opening time", "Enter a whole number of at least 2"]);
    page.has(["<details class=\"disclosure\" open"]);
    post(none, ["", "", "99999999999"]).is(422).has(["value=\"99999999999\"", "Enter a smaller number"]);
    post(none, ["", "", "many"]).is(422).has(["value=\"many\"", "Enter a whole number of at least 2"]);
    let schedule = json!({"start_at": "2090-05-03T18:00:00Z", "end_at": "2090-05-03T18:00:00Z"});
    let both = json!({"availability": {"entries_limit": 1, "schedule": schedule}});
    let faults = desk.owner.patch(desk.form.part("settings"), both).is(422).attributes();
    assert_eq!(faults, ["availability.entries_limit", "availability.schedule.end_at"]);
    assert_eq!(desk.setting("availability")["entries_limit"], json!(null));

    // Somebody else was faster: nothing of either is lost.
    set(&desk.owner, &desk.form, json!({"availability": {"entries_limit": 50}}));
    let page = post(none, ["2090-05-01T09:00", "", "80"]).is(409);
    page.has(["Someone else changed this", "value=\"80\"", "value=\"2090-05-01T09:00\"", "Saved by them: 50"]);
    page.has(["name=\"was.availability.entries_limit\" value=\"50\""]);
    post(["", "", "50"], ["2090-05-01T09:00", "", "80"]).is(303);
    assert_eq!(desk.setting("availability")["entries_limit"], json!(80));
    // On another field they do not meet.
    set(&desk.owner, &desk.form, json!({"availability": {"entries_limit": 60}}));
    post(["2090-05-01T09:00", "", "80"], ["", "", "80"]).is(303);
    let group = desk.setting("availability");
    assert_eq!((&group["schedule"]["start_at"], &group["entries_limit"]), (&json!(null), &json!(60)));
}

#[test]
fn a_password_is_set_changed_and_removed() {
    let desk = desk();
    let set_password = |text: &str| {
        desk.browser.get(&desk.page());
        desk.browser.post(&desk.password(), &[("access_control.access_password", text)])
    };
    let opens = |password: &str| desk.server.anon().header("x-form-password", password).get(desk.form.published());
    desk.browser.get(&desk.page()).has(["Set password", "Anyone who has the link"]).lacks(["Remove password"]);
    for password in ["a ‘quiet’ <place>", "another"] {
        let done = format!("{}?done=password", desk.page());
        set_password(password).leads_to(&done);
        opens(password).is(200);
        opens("x").refuses(403, "password_invalid");
        let page = desk.browser.get(&done);
        page.has(["The password is saved", "Change password", "Remove password", "programs send it"]);
        page.has([password.replace('<', "&lt;").replace('>', "&gt;")]);
    }
    let long = "x".repeat(257);
    for (typed, fault) in [("", "Enter a password"), ("  ", "Enter a password"), (long.as_str(), "256")] {
        let page = set_password(typed).is(422);
        page.has([fault, "access_control.access_password-fault", &format!("value=\"{typed}\"")]);
    }
    opens("another").is(200);
    desk.browser.post_on(&desk.no_password(), &[]).has(["The password is removed", "Set password"]);
    desk.server.anon().get(desk.form.published()).is(200);
}

/// A change of rights counts from the next click on.
#[test]
fn people_get_and_lose_their_rights_at_once() {
    let desk = desk();
    let bob = desk.colleague("bob", "");
    bob.get(&desk.page()).is(404);
    let people = format!("/forms/{}/people", desk.form.token);
    let give = |role: &str| {
        desk.browser.get(&people);
        desk.browser.post_on(&people, &[("email", "bob@example.org"), ("role", role)]).has(["bob@example.org"]);
    };
    give("viewer");
    bob.get(&desk.page()).is(200).lacks(["/share/close"]);
    bob.post(&desk.close(), &[]).is(403);
    give("manager");
    bob.get(&desk.page()).is(200).has(["/share/close"]);
    bob.post_on(&desk.close(), &[]).has(["The form is closed"]);
    // A page that was open meanwhile does nothing any more.
    give("editor");
    bob.post(&desk.open(), &[]).is(403);
    bob.get(&people).is(403);
    give("manager");
    let page = bob.get(&people).is(200);
    page.has([">Leave<"]);
    let (_, rest) = page.text.split_once(&format!("{people}/")).expect("a link");
    let leave = format!("{people}/{}", rest.split('"').next().expect("its end"));
    bob.get(&leave).is(200).has(["Leave “", "You lose access"]);
    bob.post(&leave, &[]).leads_to("/forms");
    bob.get(&desk.page()).is(404);
    give("viewer");
    bob.get(&desk.page()).is(200);
    desk.browser.get(&leave).is(200).has(["They lose access"]);
    desk.browser.post_on(&leave, &[]).has(["No longer shared"]);
    bob.get(&desk.page()).is(404);
    assert_eq!(desk.setting("availability")["manually_closed"], json!(true));
}

/// The dark modules of a code, with its quiet zone.
fn modules(text: &str) -> (usize, BTreeSet<(usize, usize)>) {
    const MARGIN: usize = 4;
    let code = QrCode::with_error_correction_level(text, qrcode::EcLevel::M).expect("it fits");
    let width = code.width();
    let dark = code.to_colors().into_iter().enumerate().filter(|(_, color)| *color == Color::Dark);
    (width + 2 * MARGIN, dark.map(|(at, _)| (at % width + MARGIN, at / width + MARGIN)).collect())
}

/// The codes are the QR codes of the public address.
#[test]
fn the_code_is_a_picture_and_a_sheet() {
    let desk = desk();
    let (side, dark) = modules(&desk.address());
    let module = Regex::new(r"M(\d+) (\d+)h1v1h-1z").expect("a pattern");
    let number = |text: &str| -> usize { text.parse().expect("a number") };
    let [svg, png, poster] = desk.files();
    let file = desk.browser.get(&svg).is(200);
    assert_eq!(file.header("content-type"), "image/svg+xml");
    assert!(file.header("content-disposition").starts_with("attachment; filename=\"Tea _ "), "{file}");
    assert!(file.header("content-security-policy").contains("sandbox"));
    file.has(["<?xml", "xmlns=\"http://www.w3.org/2000/svg\"", &format!("viewBox=\"0 0 {side} {side}\"")]);
    let page = desk.browser.get(&desk.page()).is(200);
    let sheet = desk.browser.get(&poster).is(200);
    for text in [&file.text, &page.text, &sheet.text] {
        let drawn = module.captures_iter(text).map(|found| (number(&found[1]), number(&found[2])));
        assert_eq!(drawn.collect::<BTreeSet<_>>(), dark);
    }
    let address = desk.address();
    sheet.has(["Tea &amp; “&lt;b&gt;cake&lt;/b&gt;”", &address, "Scan the code", "data-print"]);

    let file = desk.browser.get(&png).is(200);
    assert_eq!(file.header("content-type"), "image/png");
    let picture = image::load_from_memory(&file.bytes).expect("a picture").to_luma8();
    assert_eq!((picture.width(), picture.height()), (1024, 1024));
    let is_dark = |x: u32, y: u32| picture.get_pixel(x, y).0[0] < 128;
    let first = (0..1024).find(|at| is_dark(*at, *at)).expect("a corner");
    let scale = (1024 / side) as u32;
    assert!(first >= 4 * scale, "a quiet zone of four modules: {first} {scale}");
    for y in 0..side - 8 {
        for x in 0..side - 8 {
            let middle = |at: usize| first + at as u32 * scale + scale / 2;
            assert_eq!(is_dark(middle(x), middle(y)), dark.contains(&(x + 4, y + 4)), "{x} {y}");
        }
    }
    // Words of the sheet are the respondents'.
    desk.owner.patch(desk.form.path(), json!({"locale": "zh-CN"})).is(200);
    desk.browser.get(&poster).has(["用手机相机扫码", "Print"]);
}

#[test]
fn other_sites_get_a_snippet_and_a_script_that_stays() {
    let desk = desk();
    let page = desk.browser.get(&desk.page()).is(200);
    let frame = format!(
        "<iframe src=\"{}?embed=1\" title=\"Tea &amp; “&lt;b&gt;cake&lt;/b&gt;”\" width=\"100%\" height=\"640\" style=\"border:0\"></iframe>",
        desk.address()
    );
    let script = format!("<script src=\"{}/embed.js\" async></script>", desk.server.base);
    let unescaped = |id: &str| shown(&page.text, id);
    assert_eq!(unescaped("embed-fixed"), frame);
    assert_eq!(unescaped("embed-growing"), format!("{frame}\n{script}"));
    let answer = desk.server.anon().get("/embed.js").is(200);
    let headers = ["content-type", "cache-control", "x-content-type-options"].map(|name| answer.header(name));
    assert_eq!(headers, ["text/javascript; charset=utf-8", "public, max-age=86400", "nosniff"]);
    let known = desk.server.anon().header("if-none-match", answer.header("etag")).get("/embed.js");
    known.is(304);
    // A form that knows its respondents stands on its own page.
    set(&desk.owner, &desk.form, json!({"submission_options": {"one_per_respondent": "browser"}}));
    let page = desk.browser.get(&desk.page()).is(200);
    page.has(["This form can’t be embedded"]).lacks(["embed-fixed", "/embed.js"]);
}
