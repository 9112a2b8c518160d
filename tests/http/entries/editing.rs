//! The pages on which collaborators change entries and add them: their contents, saves and refusals.

use serde_json::{Value, json};
use support::multipart::Body;
use support::session::{Session, account};
use support::steps::{add, set};
use support::uploads::png;
use support::{Caller, Form, Response, Server, at_once, field};

const ALL: &str = "form:read form:write form:delete entry:read entry:write entry:delete";
const ANN: &str = "ann@example.org";

struct Desk {
    server: Server,
    owner: Caller,
    form: Form,
    /// Signed in as the owner.
    browser: Session,
}

fn desk(fields: Value) -> Desk {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    let owner = server.token(ANN, ALL);
    let form = owner.form(fields);
    let browser = Session::on(&server).signed_in(ANN);
    Desk { server, owner, form, browser }
}

/// The value of a hidden input, as a browser reads it.
fn hidden(page: &Response, name: &str) -> String {
    let value = support::form_page::hidden(page, name);
    value.replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

impl Desk {
    fn edit(&self, serial: i64) -> String {
        format!("/forms/{}/entries/{serial}/edit", self.form.token)
    }

    fn add_page(&self) -> String {
        format!("/forms/{}/entries/new", self.form.token)
    }

    fn entry(&self, serial: i64) -> Value {
        self.owner.get(self.form.entry(serial)).data()
    }

    /// Fills in a page and saves it.
    fn save(&self, page: &Response, address: &str, typed: &[(&str, &str)]) -> Response {
        let kept: Vec<(&str, String)> = ["_once", "_tag", "_shown"]
            .into_iter()
            .filter(|name| page.text.contains(&format!("name=\"{name}\"")))
            .map(|name| (name, hidden(page, name)))
            .collect();
        let mut pairs = vec![("_page", "0"), ("_action", "submit")];
        pairs.extend(kept.iter().map(|(name, value)| (*name, value.as_str())));
        pairs.extend(typed);
        self.browser.post(address, &pairs)
    }

    /// The caller behind the browser, for posts that it makes itself.
    fn poster(&self) -> Caller {
        self.browser.caller().header("origin", &self.server.base)
    }
}

#[test]
fn an_entry_is_changed_on_its_page() {
    let desk = desk(json!([
        field("short_text", json!({"label": "Town <b>", "required": true})),
        field("number", json!({"label": "Guests", "max": 100})),
        field("short_text", json!({"label": "Inside", "hidden": true})),
        field("formula", json!({"label": "Doubled", "expression": "field_2 * 2", "result_type": "number"})),
        field("page_break", json!({})),
        field("date", json!({"label": "Day"})),
    ]));
    add(
        &desk.owner,
        &desk.form,
        json!({"field_1": "Oddham", "field_2": 7, "field_3": "kept", "field_6": "2026-12-24"}),
    );
    let before = desk.entry(1);
    let address = format!("{}?keyword=odd&sort=serial_number", desk.edit(1));
    let page = desk.browser.get(&address).is(200);
    page.has(["<h1>Edit entry 1</h1>", "Town &lt;b&gt;", "value=\"Oddham\"", "value=\"7\"", "Hidden from respondents"]);
    page.has(["value=\"kept\"", "value=\"2026-12-24\"", "(optional)", "keyword=odd&amp;sort=serial_number", ">14<"]);
    let same = [("field_1", "Oddham"), ("field_2", "7"), ("field_3", "kept"), ("field_6", "2026-12-24")];
    let led = desk.save(&page, &address, &same).leads();
    assert_eq!(led, format!("/forms/{}/entries/1?keyword=odd&sort=serial_number&saved=1", desk.form.token));
    assert_eq!(desk.entry(1), before, "nothing was changed");
    // It stays on the screen although the list has it no more, and keeps its place there.
    let typed = [("field_1", "Evenford"), ("field_2", "8"), ("field_3", ""), ("field_6", "2026-12-25")];
    let led = desk.save(&page, &address, &typed).leads();
    desk.browser.get(&led).is(200).has(["Entry 1 is saved", "Evenford", "25 December 2026", "keyword=odd"]);
    let entry = desk.entry(1);
    assert_eq!((&entry["field_1"], &entry["field_2"], &entry["field_4"]), (&json!("Evenford"), &json!(8), &json!(16)));
    assert_eq!(entry["field_3"], Value::Null);
    // All faults at once, with the typed values.
    let page = desk.browser.get(&desk.edit(1)).is(200);
    let typed = [("field_1", ""), ("field_2", "many"), ("field_6", "2026-12-25"), ("field_3", "typed")];
    let refused = desk.save(&page, &desk.edit(1), &typed).is(422);
    refused.has([
        "There’s a problem with 2 answers",
        "field_1-fault",
        "field_2-fault",
        "value=\"many\"",
        "value=\"typed\"",
    ]);
    assert_eq!(desk.entry(1), entry, "nothing of it was saved");
    for none in ["entries/2/edit", "entries/x/edit"] {
        desk.browser.get(&format!("/forms/{}/{none}", desk.form.token)).is(404);
    }
}

/// The API's conditions hold: another user's change is not overwritten unseen.
#[test]
fn answers_of_two_people_are_chosen_between() {
    let desk = desk(json!([
        field("short_text", json!({"label": "Town"})),
        field("short_text", json!({"label": "Street"})),
        field("short_text", json!({"label": "Name"})),
        field("short_text", json!({"label": "Table"})),
    ]));
    add(&desk.owner, &desk.form, json!({"field_1": "A", "field_2": "B", "field_3": "C", "field_4": "D"}));
    let address = desk.edit(1);
    let page = desk.browser.get(&address).is(200);
    let theirs = json!({"field_values": {"field_1": "A theirs", "field_2": "B theirs"}});
    desk.owner.patch(desk.form.entry(1), theirs).is(200);
    let typed = [("field_1", "A mine"), ("field_2", "B"), ("field_3", "C mine"), ("field_4", "D")];
    let conflict = desk.save(&page, &address, &typed).is(412);
    conflict
        .has(["Entry 1 was changed meanwhile", "A theirs", "A mine", "B theirs", "C mine"])
        .lacks(["_take.field_4"]);
    let is_chosen =
        |code: &str, side: &str| conflict.text.contains(&format!("name=\"_take.{code}\" value=\"{side}\" checked"));
    assert!(is_chosen("field_1", "mine") && is_chosen("field_2", "theirs") && is_chosen("field_3", "mine"));
    // Chosen, and saved again with the values that the page showed.
    let mut chosen = typed.to_vec();
    chosen.extend([("_take.field_1", "mine"), ("_take.field_2", "theirs"), ("_take.field_3", "mine")]);
    desk.save(&conflict, &address, &chosen).is(303);
    let entry = desk.entry(1);
    let values = ["field_1", "field_2", "field_3", "field_4"].map(|code| entry[code].clone());
    assert_eq!(values, [json!("A mine"), json!("B theirs"), json!("C mine"), json!("D")]);
    // Choosing the other's answers changes nothing; the same answer from both is no conflict.
    let again = desk.save(&page, &address, &typed).is(412);
    let all_theirs = [typed.as_slice(), &[("_take.field_1", "theirs"), ("_take.field_2", "theirs")]].concat();
    desk.save(&again, &address, &all_theirs).is(303);
    assert_eq!(desk.entry(1), entry);
    let same = [("field_1", "A mine"), ("field_2", "B theirs"), ("field_3", "C mine"), ("field_4", "D")];
    desk.save(&page, &address, &same).is(303);
    // A form that was changed since is no other answer.
    let other = desk.browser.get(&address).is(200);
    let mut fields = desk.form.body["fields"].as_array().expect("fields").clone();
    fields[3]["label"] = json!("Table number");
    desk.owner.patch(desk.form.path(), json!({"fields": fields})).is(200);
    desk.save(&other, &address, &[&same[..3], &[("field_4", "D2")]].concat()).is(303);
    assert_eq!(desk.entry(1)["field_4"], "D2");
    // A script is told to have the server draw the page.
    let script = desk.poster().header("accept", "application/json");
    let csrf = desk.browser.csrf();
    let (tag, shown) = (hidden(&page, "_tag"), hidden(&page, "_shown"));
    let pairs = [("csrf", csrf.as_str()), ("_page", "0"), ("_action", "submit"), ("_tag", &tag), ("_shown", &shown)];
    let told = script.post_form(&address, &[&pairs[..], &[("field_1", "x")]].concat()).is(412);
    assert_eq!(told.json()["says_more"], true);
}

#[test]
fn an_entry_is_added_once() {
    let desk = desk(json!([
        field("short_text", json!({"label": "Town", "required": true, "default_value": "Oddham"})),
        field("email", json!({"label": "Email", "unique": true})),
    ]));
    let address = format!("{}?keyword=x", desk.add_page());
    let page = desk.browser.get(&address).is(200);
    page.has(["<h1>Add an entry</h1>", "value=\"Oddham\"", "Add entry"]);
    let typed = [("field_1", "Evenford"), ("field_2", "ada@example.org")];
    let led = desk.save(&page, &address, &typed).leads();
    assert_eq!(led, format!("/forms/{}/entries/1?keyword=x&added=1", desk.form.token));
    desk.browser.get(&led).has(["Entry 1 was added", "Ann &lt;b&gt;Lee&lt;/b&gt;"]);
    assert_eq!(desk.entry(1)["creator_name"], "Ann <b>Lee</b>");
    // A second click adds none; other answers under the same name are asked about.
    assert_eq!(desk.save(&page, &address, &typed).leads(), led);
    let others = [("field_1", "Evenford"), ("field_2", "bob@example.org")];
    desk.save(&page, &address, &others).is(409).has(["This entry was added before", "bob@example.org"]);
    let page = desk.browser.get(&address).is(200);
    let faults = desk.save(&page, &address, &[("field_2", "ada@example.org")]).is(422);
    faults.has(["field_1-fault", "This email is registered already"]);
    assert_eq!(desk.entry(1)["field_1"], "Evenford");
    desk.owner.get(desk.form.entry(2)).is(404);
    desk.browser.get(&format!("/forms/{}/entries", desk.form.token)).has([desk.add_page()]);
}

#[test]
fn files_come_with_the_post_and_stay() {
    let desk = desk(json!([
        field("attachment", json!({"label": "Pictures", "max_count": 2, "media_type": "image"})),
        field("signature", json!({"label": "Signature"})),
        field("attachment", json!({"label": "Inside", "hidden": true})),
    ]));
    set(&desk.owner, &desk.form, json!({"availability": {"manually_closed": true}}));
    let page = desk.browser.get(&desk.add_page()).is(200);
    page.has(["enctype=\"multipart/form-data\""]).lacks(["data-uploads"]);
    let csrf = desk.browser.csrf();
    let body = |first: &str| Body::default().text("csrf", first).text("_page", "0").text("_action", "submit");
    let picture = png(20, 10);
    let sent = body(&csrf)
        .text("_once", "one")
        .file("field_1", "a.png", "image/png", &picture)
        .text("field_2.typed", "Ann Lee")
        .file("field_3", "b.txt", "text/plain", b"b");
    let led = sent.send(&desk.poster(), &desk.add_page()).leads();
    desk.browser.get(&led).has(["a.png", "loading=\"lazy\"", "alt=\"Signed\"", "b.txt"]);
    let entry = desk.entry(1);
    let id = entry["field_1"][0]["id"].as_str().expect("an id").to_owned();
    assert!(entry["field_2"].is_string() && entry["field_3"][0]["name"] == "b.txt", "{entry}");
    // One stays, one comes; the signature stays, unticked files go.
    let page = desk.browser.get(&desk.edit(1)).is(200);
    let kept = support::multipart::kept(&page);
    assert_eq!(kept.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["a.png", "signature.png", "b.txt"]);
    let sent = body(&csrf)
        .text("_tag", &hidden(&page, "_tag"))
        .text("_shown", &hidden(&page, "_shown"))
        .text("field_1", &kept[0].1)
        .file("field_1", "c.png", "image/png", &picture)
        .text("field_2", &kept[1].1);
    sent.send(&desk.poster(), &desk.edit(1)).is(303);
    let after = desk.entry(1);
    let names: Vec<&str> =
        after["field_1"].as_array().expect("files").iter().filter_map(|it| it["name"].as_str()).collect();
    assert_eq!(
        (names, &after["field_1"][0]["id"], &after["field_3"]),
        (vec!["a.png", "c.png"], &json!(id), &json!([]))
    );
    assert!(after["field_2"].is_string());
    // A file that is none of those asked for is a fault at its question.
    let page = desk.browser.get(&desk.edit(1)).is(200);
    let sent = body(&csrf).text("_tag", &hidden(&page, "_tag")).file("field_1", "d.txt", "text/plain", b"d");
    sent.send(&desk.poster(), &desk.edit(1)).is(422).has(["field_1-fault", "d.txt"]);
    // Another site's post keeps nothing, and neither does one of nobody.
    let blobs = || support::uploads::files_in(&desk.server.dir, "blobs").len();
    let before = blobs();
    for poster in [desk.poster(), desk.server.anon()] {
        let sent = body("forged").file("field_1", "e.png", "image/png", &png(21, 10));
        sent.send(&poster, &desk.add_page()).is(403);
    }
    assert_eq!(blobs(), before);
}

/// Schedule, limits, password and quotas of choices don't bind collaborators; places and stock do.
#[test]
fn collaborators_are_bound_as_by_the_api() {
    let weekly = json!({"kind": "weekly", "weekly_quotas": (1..=7).map(|day| json!({"weekday": day, "quota": 1})).collect::<Value>()});
    let desk = desk(json!([
        field(
            "radio",
            json!({"label": "Food", "choices": [{"api_code": "soup", "label": "Soup", "quota": 1}, {"api_code": "pie", "label": "Pie"}]})
        ),
        field(
            "booking",
            json!({"label": "Room", "reservation_items": [{"api_code": "hall", "name": "Hall", "quota_setting": weekly}]})
        ),
        field(
            "product",
            json!({"label": "Goods", "goods_items": [{"api_code": "bag", "name": "Bag", "price": 12.5, "stock": 3}]})
        ),
    ]));
    add(
        &desk.owner,
        &desk.form,
        json!({"field_1": "soup", "field_2": [{"api_code": "hall", "scheduled_at": "2090-06-06"}], "field_3": [{"api_code": "bag", "number": 2}]}),
    );
    let closed = json!({"availability": {"manually_closed": true}, "access_control": {"access_password": "secret"}});
    set(&desk.owner, &desk.form, closed);
    let page = desk.browser.get(&desk.add_page()).is(200);
    assert!(!page.text.contains("value=\"soup\" disabled"), "its quota binds respondents alone");
    let booked =
        |day: &'static str| [("field_1", "soup"), ("field_2[0].api_code", "hall"), ("field_2[0].scheduled_at", day)];
    let full = desk.save(&page, &desk.add_page(), &booked("2090-06-06"));
    full.is(409).has(["field_2-fault"]);
    desk.save(&page, &desk.add_page(), &booked("2090-06-07")).is(303);
    assert_eq!(desk.entry(2)["field_1"]["value"], "soup");
    // Prices have their currency; the booking's state is changed in one step.
    let entry = format!("/forms/{}/entries/1", desk.form.token);
    let page = desk.browser.get(&entry).is(200);
    page.has(["25.00", "Status of the booking of entry 1", "Reserved"]);
    // The table writes the day as the entry's page does.
    let day = "Hall · 6 June 2090";
    page.has([day]);
    desk.browser.get(&format!("/forms/{}/entries", desk.form.token)).has([day]);
    let booking = format!("/forms/{}/entries/{}/booking", desk.form.token, 1);
    let led = desk.browser.post(&format!("{booking}?keyword=x"), &[("status", "cancelled")]).leads();
    assert_eq!(led, format!("{entry}?keyword=x&saved=1"));
    assert_eq!(desk.entry(1)["reservation_status_fsf_field"], "cancelled");
    add(&desk.owner, &desk.form, json!({"field_2": [{"api_code": "hall", "scheduled_at": "2090-06-06"}]}));
    // A respondent waits; the entry says at which place.
    set(
        &desk.owner,
        &desk.form,
        json!({"availability": {"manually_closed": false}, "access_control": {"access_password": null}, "capacity": {"waiting_list": true}}),
    );
    let waits = json!({"field_values": {"field_2": [{"api_code": "hall", "scheduled_at": "2090-06-06"}]}, "waiting_list": true});
    desk.server.anon().post(desk.form.submissions(), waits).is(201);
    let waiting = desk.browser.get(&format!("/forms/{}/entries/4", desk.form.token)).is(200);
    waiting.has(["Place in the waiting list"]).lacks(["Change status", "Entered by"]);
    desk.browser.get(&entry).is(200);
    desk.browser.post(&booking, &[("status", "reserved")]).is(409).has(["The booking was not changed"]);
    desk.browser.post(&booking, &[("status", "odd")]).is(422).has(["The booking was not changed"]);
}

#[test]
fn rules_and_searches_work_on_the_page() {
    let desk = desk(json!([
        field(
            "radio",
            json!({"label": "Food", "choices": [{"api_code": "soup", "label": "Soup"}, {"api_code": "pie", "label": "Pie"}]})
        ),
        field("short_text", json!({"label": "Which pie?", "required": true, "hidden": true})),
    ]));
    let clubs = desk.owner.form(json!([field("short_text", json!({"label": "Club"}))]));
    add(&desk.owner, &clubs, json!({"field_1": "Amazon"}));
    let linked = field(
        "linked_form",
        json!({"label": "Club", "form_token": clubs.token, "search_fields": ["field_1"], "display_fields": []}),
    );
    let mut fields = desk.form.body["fields"].as_array().expect("fields").clone();
    fields.push(linked);
    desk.owner.patch(desk.form.path(), json!({"fields": fields})).is(200);
    let rule = json!({
        "condition": {"operand": "and", "items": [{"field": "field_1", "operator": "eq", "value": "pie"}]},
        "action": "show", "fields": ["field_2"],
    });
    desk.owner.put(format!("{}/field_rules", desk.form.path()), json!({"rules": [rule]})).is(200);
    let page = desk.browser.get(&desk.add_page()).is(200);
    page.has([
        "data-field=\"field_2\" data-type=\"short_text\" hidden",
        "data-rules",
        "name=\"_hidden\" value=\"field_2\"",
    ]);
    let script = desk.poster().header("accept", "application/json");
    let csrf = desk.browser.csrf();
    let ask = |pairs: &[(&str, &str)]| {
        let own = [("csrf", csrf.as_str()), ("_page", "0")];
        script.post_form(desk.add_page(), &[&own[..], pairs].concat())
    };
    let told = ask(&[("_action", "check"), ("field_1", "soup")]).is(200).json();
    assert_eq!((&told["hidden"], &told["faults"]), (&json!(["field_2"]), &json!([])));
    let told = ask(&[("_action", "check"), ("field_1", "pie")]).is(200).json();
    assert_eq!((&told["hidden"], &told["faults"][0]["field"]), (&json!([]), &json!("field_2")));
    // A hidden question is asked of collaborators; the linked entries are theirs to search without limits.
    let found = ask(&[("_action", "find"), ("_find.field_3", "")]).is(200).json();
    assert_eq!(found["options"][0]["label"], "Amazon");
    let token = found["options"][0]["token"].as_str().expect("a token").to_owned();
    let saved = ask(&[("_action", "submit"), ("_once", "one"), ("field_1", "soup"), ("field_3", &token)]).is(200);
    assert_eq!(saved.json()["receipt"], format!("/forms/{}/entries/1?added=1", desk.form.token));
    let linked = format!("href=\"/forms/{}/entries/1\"", clubs.token);
    desk.browser.get(&format!("/forms/{}/entries/1", desk.form.token)).has([linked.as_str(), "Amazon"]);
    // An editor without a role in the other form gets its label alone.
    account(&desk.server, "editor@example.org");
    let put = format!("/api/v1/forms/{}/collaborators/editor@example.org", desk.form.token);
    desk.owner.put(put, json!({"role": "editor"})).is(200);
    let editor = Session::on(&desk.server).signed_in("editor@example.org");
    editor.get(&format!("/forms/{}/entries/1", desk.form.token)).has(["Amazon"]).lacks([linked.as_str()]);
    // A question that an answer made appear is seen before anything is saved; without a script that takes a page.
    let sent = [("_page", "0"), ("_action", "submit"), ("_hidden", "field_2"), ("field_1", "pie"), ("field_2", "")];
    let seen = desk.browser.post(&desk.add_page(), &sent).is(422);
    seen.has(["There are more questions", "field_2-fault"]);
    // Without a script the search is a button.
    let found = desk.browser.post(&desk.add_page(), &[("_page", "0"), ("_action", "find"), ("_find.field_3", "ama")]);
    found.is(200).has([token.as_str()]);
}

#[test]
fn roles_decide_who_edits() {
    let desk = desk(json!([field("short_text", json!({"label": "Town"}))]));
    add(&desk.owner, &desk.form, json!({"field_1": "Oddham"}));
    add(&desk.owner, &desk.form, json!({"field_1": "Evenford"}));
    desk.owner.delete(desk.form.entry(2)).is(200);
    for role in ["viewer", "editor"] {
        let email = format!("{role}@example.org");
        account(&desk.server, &email);
        let put = format!("/api/v1/forms/{}/collaborators/{email}", desk.form.token);
        desk.owner.put(put, json!({"role": role})).is(200);
    }
    account(&desk.server, "stranger@example.org");
    let page = |rest: &str| format!("/forms/{}/{rest}", desk.form.token);
    let pages = ["entries/1/edit", "entries/new", "trash/2/delete"];
    let posts = ["entries/1/edit", "entries/new", "entries/1/booking"];
    for (who, status) in [("viewer", 403), ("stranger", 404)] {
        let browser = Session::on(&desk.server).signed_in(&format!("{who}@example.org"));
        for rest in pages {
            browser.get(&page(rest)).is_for(status, (who, rest));
        }
        browser.get("/profile").is(200);
        for rest in posts {
            browser.post(&page(rest), &[("_page", "0"), ("field_1", "x")]).is_for(status, (who, rest));
            let sent = Body::default().text("csrf", &browser.csrf()).text("field_1", "x");
            let poster = browser.caller().header("origin", &desk.server.base);
            if rest != "entries/1/booking" {
                sent.send(&poster, &page(rest)).is_for(status, (who, rest));
            }
        }
    }
    let viewer = Session::on(&desk.server).signed_in("viewer@example.org");
    viewer.get(&page("entries/1")).is(200).has(["Copy link", "Print"]).lacks(["/edit", "Move to trash"]);
    viewer.get(&page("entries")).lacks(["entries/new"]);
    viewer.get(&page("entries/print?serials=1")).is(200).has(["Oddham"]);
    let editor = Session::on(&desk.server).signed_in("editor@example.org");
    for rest in pages {
        editor.get(&page(rest)).is_for(200, rest);
    }
    // An entry that is not in the trash can't be deleted for good.
    editor.get(&page("trash/1/delete")).is(404);
    editor.get(&page("trash/x/delete")).is(404);
    let nobody = Session::on(&desk.server);
    assert!(nobody.get(&page("entries/1/edit")).leads().starts_with("/sign-in"));
    assert_eq!(desk.entry(1)["field_1"], "Oddham");
}

#[test]
fn chosen_entries_are_printed() {
    let desk =
        desk(json!([field("short_text", json!({"label": "Town"})), field("short_text", json!({"label": "Street"}))]));
    for town in ["Oddham", "Evenford", "Northam"] {
        add(&desk.owner, &desk.form, json!({"field_1": town}));
    }
    desk.owner.delete(desk.form.entry(2)).is(200);
    let print =
        |serials: &str| desk.browser.get(&format!("/forms/{}/entries/print?serials={serials}", desk.form.token));
    let page = print("3,2,1").is(200);
    page.has(["Print 2 entries", "1 entry isn’t here any more", "Oddham", "Northam"]).lacks(["Evenford", "Street"]);
    assert!(page.text.find("Northam") < page.text.find("Oddham"), "in the order in which they are named");
    assert_eq!(page.text.matches("<article").count(), 2);
    let many = (1..=201).map(|n| n.to_string()).collect::<Vec<_>>().join(",");
    for wrong in ["", "x", "1,,2", &many] {
        print(wrong).is(400);
    }
    print("2").is(404);
    // An entry says why it has no neighbours.
    let entry = desk.browser.get(&format!("/forms/{}/entries/1?filters=%5B", desk.form.token)).is(200);
    entry.has(["The list around this entry can’t be shown", "filters is not valid JSON", "Show all entries"]);
    entry.has(["Show 1 question without an answer", "Entry 1\n\nTown\nOddham"]);
}

#[test]
fn two_saves_at_once_lose_nothing_unseen() {
    let desk =
        desk(json!([field("short_text", json!({"label": "Town"})), field("short_text", json!({"label": "Street"}))]));
    add(&desk.owner, &desk.form, json!({"field_1": "A", "field_2": "B"}));
    let page = desk.browser.get(&desk.edit(1)).is(200);
    let typed = [[("field_1", "A1"), ("field_2", "B")], [("field_1", "A"), ("field_2", "B2")]];
    let mut statuses = at_once(2, |n| desk.save(&page, &desk.edit(1), &typed[n]).status);
    statuses.sort_unstable();
    assert_eq!(statuses, [303, 412]);
}
