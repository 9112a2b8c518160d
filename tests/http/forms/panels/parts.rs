//! Questions that have parts of their own, in the builder over plain posts: columns, products, bookings, trees of choices,
//! other forms.

use serde_json::{Value, json};
use support::session::{Session, account};
use support::uploads::png;
use support::{Caller, Form, Server, field, multipart};

use crate::forms::choices;
use crate::forms::controls::panel;

const ANN: &str = "ann@example.org";

/// A new question in the builder.
pub(super) struct Bench {
    owner: Caller,
    pub(super) ann: Session,
    form: Form,
    pub(super) code: String,
}

impl Bench {
    pub(super) fn with(server: &Server, kind: &str) -> Self {
        account(server, ANN);
        let owner = server.token(ANN, "form:read form:write");
        let form = owner.form_with(json!({"name": "All", "fields": [field("url", json!({"label": "Site"}))]}));
        let ann = Session::on(server).signed_in(ANN);
        let mut bench = Self { owner, ann, form, code: String::new() };
        bench.ann.get(&bench.build("")).is(200);
        let led = bench.ann.post(&bench.build("/fields"), &[("type", kind), ("after", "")]).leads();
        led.split_once("?field=").expect("the new one is chosen").1.clone_into(&mut bench.code);
        bench
    }

    pub(super) fn build(&self, rest: &str) -> String {
        format!("/forms/{}/build{rest}", self.form.token)
    }

    fn pictures(&self) -> String {
        format!("/forms/{}/build/fields/{}/pictures", self.form.token, self.code)
    }

    pub(super) fn page(&self) -> String {
        self.ann.get(&self.build(&format!("?field={}", self.code))).is(200).text
    }

    /// Posts the panel with these changes, as a browser without scripts does.
    pub(super) fn press(&self, changes: &[(&str, &str)]) {
        let pairs = panel(&self.page(), &self.code, changes);
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (&**name, &**value)).collect();
        self.ann.post(&self.build(&format!("/fields/{}", self.code)), &pairs).leads();
    }

    pub(super) fn drafted(&self) -> Value {
        let draft = self.ann.caller().header("accept", "application/json").get(self.build("")).is(200).data();
        draft["fields"][0].clone()
    }

    /// Publishes and reads the question over the API.
    pub(super) fn published(&self) -> Value {
        let address = format!("/forms/{}/publish", self.form.token);
        let page = self.ann.get(&address).is(200).text;
        let version = page.split("name=\"draft_version\" value=\"").nth(1).and_then(|rest| rest.split('"').next());
        let version = version.unwrap_or_else(|| panic!("it can't be published: {page}"));
        self.ann.post(&address, &[("draft_version", version)]).leads();
        self.owner.get(self.form.path()).is(200).data()["fields"][0].clone()
    }
}

/// A browser that is signed in on a page of the server.
fn from_page(bench: &Bench) -> Caller {
    let caller = bench.ann.caller();
    caller.header("origin", &caller.base)
}

fn labels(parts: &Value, key: &str) -> String {
    let parts = parts.as_array().expect("a list").iter();
    parts.map(|part| part[key].as_str().expect("a label")).collect::<Vec<_>>().join(" ")
}

#[test]
fn columns_of_all_kinds_are_added_edited_and_ordered() {
    const KINDS: [&str; 14] = [
        "short_text",
        "long_text",
        "name",
        "phone",
        "email",
        "number",
        "date",
        "time",
        "url",
        "radio",
        "checkbox",
        "dropdown",
        "rating",
        "attachment",
    ];
    for kind in ["table", "matrix"] {
        let server = Server::alone("its accounts sign in with a password");
        let bench = Bench::with(&server, kind);
        bench.press(&[("label", "Guests"), ("_action", "dimensions[1].remove")]);
        for (at, column) in KINDS.iter().enumerate() {
            bench.press(&[("_action", &format!("dimensions.add-{column}"))]);
            let mut changes = vec![(format!("dimensions[{}].label", at + 1), (*column).to_owned())];
            if ["radio", "checkbox", "dropdown"].contains(column) {
                changes.push((format!("dimensions[{}].choices[0].label", at + 1), "Tea".to_owned()));
                changes.push((format!("dimensions[{}].choices[1].label", at + 1), "Gin".to_owned()));
            }
            let changes: Vec<(&str, &str)> = changes.iter().map(|(name, value)| (&**name, &**value)).collect();
            bench.press(&changes);
        }
        assert_eq!(
            labels(&bench.drafted()["dimensions"], "type"),
            format!("{} {}", first_kind(&bench), KINDS.join(" "))
        );
        bench.press(&[("_action", "dimensions[0].remove")]);
        bench.press(&[("_action", "dimensions[13].up")]);
        bench.press(&[("_action", "dimensions[0].down")]);
        bench.press(&[
            ("dimensions[6].label", "Day"),
            ("dimensions[6].precision", "month"),
            ("dimensions[0].required", "true"),
        ]);
        let field = bench.published();
        let codes = labels(&field["dimensions"], "api_code");
        assert_eq!(labels(&field["dimensions"], "type").split(' ').filter(|kind| KINDS.contains(kind)).count(), 14);
        assert_eq!(
            labels(&field["dimensions"], "label"),
            "long_text short_text name phone email number Day time url radio checkbox dropdown attachment rating"
        );
        assert_eq!(
            (&field["dimensions"][6]["precision"], &field["dimensions"][0]["required"]),
            (&json!("month"), &json!(true))
        );
        assert_eq!(labels(&field["dimensions"][9]["choices"], "label"), "Tea Gin");
        // Published columns and their choices keep their codes wherever they stand.
        bench.press(&[("_action", "dimensions[9].up"), ("dimensions[9].choices[1].label", "Rum")]);
        let field = bench.published();
        assert_eq!(labels(&field["dimensions"], "api_code").split(' ').nth(8), codes.split(' ').nth(9));
        assert_eq!(labels(&field["dimensions"][8]["choices"], "label"), "Tea Rum");
    }
}

fn first_kind(bench: &Bench) -> String {
    bench.drafted()["dimensions"][0]["type"].as_str().expect("a kind").to_owned()
}

#[test]
fn two_options_by_three_make_six_variants() {
    let server = Server::alone("its accounts sign in with a password");
    let bench = Bench::with(&server, "product");
    bench.press(&[("label", "Shirts"), ("goods_items[0].name", "Shirt"), ("goods_items[0].price", "20")]);
    for action in ["goods_items[0].dimensions.add", "goods_items[0].dimensions[0].options.add"] {
        bench.press(&[("_action", action)]);
    }
    bench.press(&[
        ("goods_items[0].dimensions[0].name", "Size"),
        ("goods_items[0].dimensions[0].options[0].name", "S"),
        ("goods_items[0].dimensions[0].options[1].name", "L"),
    ]);
    bench.press(&[
        ("goods_items[0].dimensions[1].name", "Colour"),
        ("goods_items[0].dimensions[1].options[0].name", "Red"),
        ("goods_items[0].dimensions[1].options[1].name", "Green"),
        ("goods_items[0].dimensions[1].options[2].name", "Blue"),
    ]);
    let page = bench.page();
    for row in 0..6 {
        assert!(page.contains(&format!("name=\"goods_items[0].skus[{row}].price\"")), "{row}");
    }
    assert!(!page.contains("name=\"goods_items[0].skus[6].price\""));
    assert!(page.contains("L · Green"));
    bench.press(&[("goods_items[0].skus[4].price", "22.5"), ("goods_items[0].skus[4].stock", "3")]);
    bench.press(&[("goods_items[0].skus[0].stock", "many")]);
    assert!(bench.page().contains("id=\"goods_items[0].skus[0].stock-fault\""), "the fault stands in its row");
    assert_eq!(bench.drafted()["goods_items"][0]["skus"][0]["stock"], json!("many"));
    bench.press(&[("goods_items[0].skus[0].stock", "")]);
    let good = bench.published()["goods_items"][0].clone();
    let dimensions = &good["dimensions"];
    let code = |at: usize, option: usize| dimensions[at]["options"][option]["api_code"].as_str().expect("a code");
    let name = |at: usize| dimensions[at]["api_code"].as_str().expect("a code");
    assert_eq!(
        good["skus"],
        json!([{"specification": {name(0): code(0, 1), name(1): code(1, 1)}, "price": 22.5, "stock": 3}])
    );
    // Without an option its variants go; the others keep their codes.
    bench.press(&[("_action", "goods_items[0].dimensions[1].options[1].remove")]);
    let changed = bench.drafted()["goods_items"][0].clone();
    assert_eq!(changed["skus"], Value::Null);
    assert_eq!(changed["dimensions"][1]["options"][1]["api_code"], dimensions[1]["options"][2]["api_code"]);
}

#[test]
fn times_are_copied_from_monday_to_the_week() {
    const SLOTS: &str = "reservation_items[0].quota_setting.daily_time_range_quotas";
    let server = Server::alone("its accounts sign in with a password");
    let bench = Bench::with(&server, "booking");
    bench.press(&[("label", "When?"), ("reservation_items[0].name", "Sauna")]);
    // Each day that is none is named by its line, beside the days.
    let closed = "reservation_items[0].quota_setting.closed_dates";
    bench.press(&[(closed, "2026-12-24\nChristmas\n31.12.2026")]);
    let page = bench.page();
    let fault = page.split(&format!("id=\"{closed}-fault\"")).nth(1).unwrap_or_else(|| panic!("no fault: {page}"));
    let fault = fault.split("</p>").next().expect("its end");
    assert!(
        fault.contains("Line 2: Enter a date as YYYY-MM-DD") && fault.contains("Line 3: ") && !fault.contains("Line 1"),
        "{fault}"
    );
    bench.press(&[(closed, "2026-12-24")]);
    let weekly = bench.drafted()["reservation_items"][0]["quota_setting"].clone();
    assert_eq!(weekly["kind"], "weekly");
    assert_eq!(weekly["weekly_quotas"].as_array().map(Vec::len), Some(5), "Monday to Friday");
    bench.press(&[
        ("reservation_items[0].quota_setting.kind", "time_range"),
        (&format!("{SLOTS}[0].weekday"), "1"),
        (&format!("{SLOTS}[0].start_time"), "09:00"),
        (&format!("{SLOTS}[0].end_time"), "10:30"),
        (&format!("{SLOTS}[0].quota"), "4"),
    ]);
    bench.press(&[("_action", &format!("{SLOTS}.add"))]);
    bench.press(&[(&format!("{SLOTS}[1].start_time"), "23:00"), (&format!("{SLOTS}[1].end_time"), "22:00")]);
    assert!(bench.page().contains(&format!("id=\"{SLOTS}[1].end_time-fault\"")), "the fault stands beside its time");
    bench.press(&[(&format!("{SLOTS}[1].end_time"), "00:00")]);
    bench.press(&[("_action", &format!("{SLOTS}.week"))]);
    let plan = bench.published()["reservation_items"][0]["quota_setting"].clone();
    let slots = plan["daily_time_range_quotas"].as_array().expect("slots");
    let told = slots.iter().map(|slot| {
        let text = |key: &str| slot[key].as_str().expect("a time").to_owned();
        format!("{} {}-{} {}", slot["weekday"], text("start_time"), text("end_time"), slot["quota"])
    });
    let week = (1..=7).flat_map(|day| [format!("{day} 09:00-10:30 4"), format!("{day} 23:00-24:00 null")]);
    assert_eq!(told.collect::<Vec<_>>(), week.collect::<Vec<_>>());
    assert!(slots.iter().all(|slot| slot["code"].is_string()));
    bench.press(&[("_action", &format!("{SLOTS}[13].remove"))]);
    let kept = bench.published()["reservation_items"][0]["quota_setting"]["daily_time_range_quotas"].clone();
    assert_eq!(kept.as_array().map(Vec::as_slice), Some(&slots[..13]), "codes stay");
}

#[test]
fn a_tree_of_choices_is_typed_as_an_outline() {
    let server = Server::alone("its accounts sign in with a password");
    let bench = Bench::with(&server, "cascade");
    // Five levels of as many choices as there may be.
    let mut lines = Vec::new();
    for a in 0..5 {
        lines.push(format!("Part {a}"));
        for b in 0..10 {
            lines.push(format!("  Land {a}.{b}"));
            for c in 0..10 {
                lines.push(format!("    Town {a}.{b}.{c}"));
                lines.push(format!("      Street {a}.{b}.{c}"));
                lines.extend((0..8).map(|d| format!("        House {a}.{b}.{c}.{d}")));
            }
        }
    }
    lines.truncate(5_000);
    assert_eq!(lines.len(), 5_000);
    let text = lines.join("\n");
    bench.press(&[("label", "Where?"), ("levels", "5"), ("choices", &text)]);
    let count = |field: &Value| field.to_string().matches("\"api_code\"").count() - 1;
    let drafted = bench.drafted();
    assert_eq!(count(&drafted), lines.len());
    let house = drafted.pointer("/choices/0/children/1/children/2/children/0/children/3/label");
    assert_eq!(house, Some(&json!("House 0.1.2.3")));
    // A renamed line keeps its code, and so do those below it.
    bench.press(&[("choices", &text.replace("  Land 0.1\n", "  County\n"))]);
    let renamed = bench.drafted();
    let code = |field: &Value, path: &str| field.pointer(path).map(|node| node["api_code"].clone()).expect("a node");
    for path in ["/choices/0/children/1", "/choices/0/children/1/children/9", "/choices/4"] {
        assert_eq!(code(&drafted, path), code(&renamed, path), "{path}");
    }
    assert_eq!(renamed["choices"][0]["children"][1]["label"], "County");
    // Text that can't be read stays as it was typed, and the fault names its line.
    bench.press(&[("choices", "Europe\n  Italy\n      Rome")]);
    let page = bench.page();
    assert!(page.contains("Line 3 is indented too far"), "{page}");
    assert!(page.contains("      Rome"));
    bench.press(&[("choices", "A\n  B\n    C\n      D\n        E\n          F")]);
    assert!(bench.page().contains("Line 6 is too deep"));
    bench.press(&[("levels", "2"), ("choices", "A\nB\n  C\n    D")]);
    assert!(bench.page().contains("Line 3: "), "deeper than its levels");
    bench.press(&[("choices", "A\nB\n  C")]);
    assert_eq!(bench.published()["choices"][1]["children"][0]["label"], "C");
}

#[test]
fn another_form_is_chosen_with_what_is_searched_and_shown() {
    let server = Server::alone("its accounts sign in with a password");
    let bench = Bench::with(&server, "linked_form");
    let members = bench.owner.form_with(json!({"name": "Members", "fields": [
        field("name", json!({"label": "Full name"})), field("email", json!({"label": "Mail"})),
        field("short_text", json!({"label": "Town"})),
    ]}));
    account(&server, "eve@example.org");
    let stranger = server.token("eve@example.org", "form:read form:write");
    stranger.form_with(json!({"name": "Nobody’s", "fields": [field("url", json!({"label": "Site"}))]}));
    let page = bench.page();
    assert!(page.contains(">Members</option>") && !page.contains("Nobody"), "those that one manages");
    bench.press(&[("label", "Who are you?"), ("form_token", &members.token)]);
    let page = bench.page();
    assert!(page.contains("Full name") && page.contains("Respondents see nothing"));
    bench.press(&[
        ("search_fields", "field_1"),
        ("search_fields", "field_2"),
        ("display_fields[0].api_code", "field_1"),
        ("display_fields[0].public", "true"),
        ("display_fields[1].api_code", "field_2"),
        ("display_fields[1].public", "true"),
        ("display_fields[1].protected", "true"),
        ("display_fields[2].api_code", "field_3"),
    ]);
    let page = bench.page();
    for told in [
        "Respondents find an entry by: Full name.",
        "Respondents see: Full name.",
        "Respondents see masked: Mail.",
        "Your team alone sees: Town.",
        "don’t find entries by it: Mail.",
    ] {
        assert!(page.contains(told), "{told}");
    }
    let field = bench.published();
    assert_eq!(field["form_token"], *members.token);
    assert_eq!(field["search_fields"], json!(["field_1", "field_2"]));
    assert_eq!(
        field["display_fields"],
        json!([{"api_code": "field_1", "public": true}, {"api_code": "field_2", "public": true, "protected": true},
               {"api_code": "field_3", "public": false}])
    );
}

#[test]
fn pictures_are_added_and_removed_on_a_page_of_their_own() {
    let server = Server::alone("its accounts sign in with a password");
    let bench = Bench::with(&server, "image_radio");
    bench.press(&[("label", "Which one?"), ("choices[0].label", "Cat"), ("choices[1].label", "Dog")]);
    let address = bench.pictures();
    assert!(bench.page().contains(&format!("href=\"{address}\"")));
    let page = bench.ann.get(&address).is(200).text;
    assert!(page.contains(">Cat</option>") && page.contains(">Dog</option>"));
    let upload = |at: &str, bytes: &[u8]| {
        let body = multipart::body().text("csrf", &bench.ann.csrf()).text("at", at);
        body.file("image", "cat.png", "image/png", bytes).send(&from_page(&bench), &address)
    };
    upload("choices[1].image", &png(30, 20)).leads();
    upload("choices[1].image", b"no picture").is(422);
    upload("label", &png(30, 20)).is(422);
    let image = bench.drafted()["choices"][1]["image"].clone();
    assert!(image["id"].is_string() && bench.page().contains(image["image_url"].as_str().expect("an address")));
    // It moves with its choice, and its panel keeps it.
    bench.press(&[("_action", "choices[1].up")]);
    let field = bench.published();
    assert_eq!((&field["choices"][0]["label"], &field["choices"][0]["image"]), (&json!("Dog"), &image));
    bench.ann.get(&address).is(200);
    bench.ann.post(&address, &[("remove", "choices[0].image")]).leads();
    assert_eq!(bench.drafted()["choices"][0]["image"], Value::Null);
    let server = Server::alone("its accounts sign in with a password");
    let goods = Bench::with(&server, "product");
    let address = goods.pictures();
    for _ in 0..2 {
        let body = multipart::body().text("csrf", &goods.ann.csrf()).text("at", "goods_items[0].images");
        body.file("image", "tea.png", "image/png", &png(30, 20)).send(&from_page(&goods), &address).leads();
    }
    let two = goods.drafted()["goods_items"][0]["images"].clone();
    goods.ann.get(&address).is(200);
    goods.ann.post(&address, &[("remove", "goods_items[0].images[0]")]).leads();
    assert_eq!(goods.drafted()["goods_items"][0]["images"], json!([two[1]]));
}

/// A removed choice is shown with the number of its answers, and is restored as hidden; one without answers is just
/// removed.
#[test]
fn a_removed_choice_tells_how_many_answers_have_it() {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, ANN);
    let owner = server.token(ANN, "form:read form:write entry:write");
    let track = json!({"label": "Track", "choices": choices(["print", "bread", "wood"])});
    let form = owner.form_with(json!({"name": "Course", "fields": [field("radio", track)]}));
    for choice in ["print", "bread", "bread"] {
        owner.post(form.entries(), json!({"field_values": {"field_1": choice}})).is(201);
    }
    let bench = Bench { ann: Session::on(&server).signed_in(ANN), owner, form, code: "field_1".to_owned() };
    assert!(!bench.page().contains("was removed"));
    for _ in 0..2 {
        bench.press(&[("_action", "choices[1].remove")]);
    }
    let page = bench.page();
    assert!(page.contains("2 entries have it as their answer"), "{page}");
    assert!(!page.contains("WOOD"), "{page}");
    bench.press(&[("_action", "bring_back.bread")]);
    assert!(!bench.page().contains("was removed"));
    let choices = bench.published()["choices"].clone();
    assert_eq!((&choices[1]["api_code"], &choices[1]["hidden"]), (&json!("bread"), &json!(true)));
    assert_eq!(choices.as_array().map(Vec::len), Some(2));
}
