//! Images of forms: the accepted uploads, where each is used, once, and when it is deleted (contract sections 3 and 6).

use rusqlite::Connection;
use serde_json::{Value, json};
use support::images::{picture, prepared, uploaded};
use support::uploads::{files_in, png, send};
use support::{Caller, Form, Response, Server, field, text};

const DAY_MS: i64 = 24 * 3600 * 1000;

fn id_of(prepared: &Value) -> String {
    prepared["upload_id"].as_str().expect("an id").to_owned()
}

fn small(caller: &Caller, purpose: &str) -> String {
    uploaded(caller, purpose, "image/png", &png(30, 20))
}

/// A user of another organisation.
fn stranger(server: &Server) -> Caller {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let email = format!("pictures{number}@example.org");
    let place = format!("Pictures {number}");
    let made = server.run(&["user", "create", &email, "--name", "Eve", "--organization", &place]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    server.token(&email, "form:read form:write form:delete")
}

fn choices(image: Value) -> Value {
    json!([field("image_radio", json!({"choices": [{"api_code": "sea", "label": "Sea", "image": image}]}))])
}

fn good(images: Value) -> Value {
    json!([field("product", json!({"goods_items": [{"name": "Tea", "price": 3, "images": images}]}))])
}

fn room(images: Value) -> Value {
    let quota = json!({"kind": "weekly", "weekly_quotas": [{"weekday": 1, "quota": 1}]});
    let items = json!([{"name": "Room", "images": images, "quota_setting": quota}]);
    json!([field("booking", json!({"reservation_items": items}))])
}

fn create(caller: &Caller, fields: Value) -> Response {
    caller.post("/api/v1/forms", json!({"name": "Pictures", "fields": fields}))
}

fn theme(form: &Form) -> String {
    format!("{}/theme", form.path())
}

fn faults_of(refused: &Response) -> Vec<String> {
    assert_eq!(refused.status, 422, "{refused}");
    refused.faults()
}

fn database(server: &Server) -> Connection {
    Connection::open(server.dir.join("formsvc.db")).expect("opens")
}

fn sweep(server: &Server) {
    let swept = server.run(&["jobs", "run-once", "files"]);
    assert!(swept.status.success(), "{}", text(&swept.stderr));
}

/// As if a day had gone by for everything that nothing names.
fn a_day_later(server: &Server) {
    let change = "UPDATE images SET idle_since = idle_since - ?1";
    database(server).execute(change, [DAY_MS]).expect("changed");
    let change = "UPDATE uploads SET created_at = created_at - ?1";
    database(server).execute(change, [DAY_MS]).expect("changed");
}

#[test]
fn an_image_has_so_many_pixels_and_frames() {
    let owner = Server::shared().user();
    let gif = |frames: usize| {
        let frame = b",\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0".repeat(frames);
        [&b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff"[..], &frame, b";"].concat()
    };
    let mut bomb = png(50_000, 50_000);
    bomb.resize(1000, 0);
    let page = b"<!DOCTYPE html><title>x</title><script>alert(1)</script>".to_vec();
    let drawing = b"<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>".to_vec();
    let not_that = "content_type: does not match the file";
    for (kind, bytes, fault) in [
        ("image/gif", gif(500), None),
        ("image/gif", gif(501), Some("file: has more than 500 frames")),
        ("image/png", bomb, Some("file: has more than 16384 pixels a side")),
        ("image/png", png(16_384, 2_441), None),
        ("image/png", png(16_384, 2_442), Some("file: has more than 40000000 pixels")),
        ("image/png", page, Some(not_that)),
        ("image/png", drawing, Some(not_that)),
        ("image/jpeg", png(3, 2), Some(not_that)),
    ] {
        let prepared = prepared(&owner, "choice_image", kind, &bytes);
        let sent = send(&owner, &prepared, kind, &bytes);
        match fault {
            None => assert_eq!(sent.status, 200, "{kind}: {sent}"),
            Some(fault) => assert_eq!(faults_of(&sent), [fault]),
        }
    }
}

#[test]
fn a_theme_has_images() {
    let server = Server::shared();
    let owner = server.user();
    let form = owner.form(json!([field("short_text", json!({}))]));
    let (one, two) = (small(&owner, "header_image"), small(&owner, "header_image"));
    let paper = small(&owner, "wallpaper_image");
    let change = json!({
        "header": {"type": "image", "images": [{"upload_id": one}, {"upload_id": two}]},
        "wallpaper": {"color": "#FFFFFF", "image": {"upload_id": paper}},
    });
    let changed = owner.patch(theme(&form), change.clone());
    assert_eq!(changed.status, 200, "{changed}");
    for shown in
        [changed.data(), owner.get(theme(&form)).data(), server.anon().get(form.published()).data()["theme"].clone()]
    {
        let header = json!([picture(&owner, &one), picture(&owner, &two)]);
        assert_eq!(shown["header"]["images"], header);
        assert_eq!(shown["wallpaper"]["image"], picture(&owner, &paper));
    }
    // Each upload once.
    assert_eq!(
        faults_of(&owner.patch(theme(&form), change)),
        [
            "header.images[0].upload_id: has already been used",
            "header.images[1].upload_id: has already been used",
            "wallpaper.image.upload_id: has already been used",
        ]
    );
    // Images are named again as they were read, moved, and left out.
    let kept = json!({"header": {"images": [picture(&owner, &two), {"id": paper}]}, "wallpaper": {"image": null}});
    let changed = owner.patch(theme(&form), kept).data();
    let header = json!([picture(&owner, &two), picture(&owner, &paper)]);
    assert_eq!(changed["header"]["images"], header);
    assert_eq!(changed["wallpaper"]["image"], Value::Null);
    let cleared = owner.patch(theme(&form), json!({"header": {"images": null}})).data();
    assert_eq!(cleared["header"]["images"], json!([]));
    // It is there for a while after that.
    let again = json!({"wallpaper": {"image": {"id": one}}});
    assert_eq!(owner.patch(theme(&form), again).status, 200);
}

#[test]
fn choices_goods_and_places_have_images() {
    let server = Server::shared();
    let owner = server.user();
    type Make = fn(Value) -> Value;
    for (purpose, fields, at) in [
        ("choice_image", choices as Make, "/fields/0/choices/0/image"),
        ("product_image", |image| good(json!([image])), "/fields/0/goods_items/0/images/0"),
        ("booking_image", |image| room(json!([image])), "/fields/0/reservation_items/0/images/0"),
    ] {
        let id = small(&owner, purpose);
        let made = create(&owner, fields(json!({"upload_id": id})));
        assert_eq!(made.status, 201, "{made}");
        let made = made.data();
        assert_eq!(made.pointer(at), Some(&picture(&owner, &id)), "{made}");
        let token = made["token"].as_str().expect("a token");
        let seen = server.anon().get(format!("/api/v1/f/{token}")).data();
        assert_eq!(seen.pointer(at), Some(&picture(&owner, &id)), "{seen}");
        // An update names it as it was read, or brings another.
        let path = format!("/api/v1/forms/{token}");
        let kept = owner.patch(&path, json!({"fields": made["fields"]}));
        assert_eq!(kept.status, 200, "{kept}");
        assert_eq!(kept.data().pointer(at), Some(&picture(&owner, &id)));
        let mut changed = made["fields"].clone();
        let other = small(&owner, purpose);
        let place = at.strip_prefix("/fields").expect("a field");
        *changed.pointer_mut(place).expect("an image") = json!({"upload_id": other});
        let changed = owner.patch(&path, json!({"fields": changed}));
        assert_eq!(changed.data().pointer(at), Some(&picture(&owner, &other)), "{changed}");
        // A copy shows the same.
        let copy = owner.post(format!("{path}/copy"), json!({}));
        assert_eq!(copy.data().pointer(at), Some(&picture(&owner, &other)), "{copy}");
    }
}

#[test]
fn choices_of_other_kinds_and_of_cells_have_images_too() {
    let owner = Server::shared().user();
    for kind in ["radio", "checkbox", "dropdown", "image_checkbox", "ranking"] {
        let id = small(&owner, "choice_image");
        let own = json!({"choices": [{"label": "Sea", "image": {"upload_id": id}}, {"label": "Hills"}]});
        let made = create(&owner, json!([field(kind, own)])).data();
        let choices = &made["fields"][0]["choices"];
        assert_eq!(choices[0]["image"], picture(&owner, &id), "{kind}");
        assert_eq!(choices[1].get("image"), None);
    }
    let id = small(&owner, "choice_image");
    let cell = field("radio", json!({"choices": [{"label": "Sea", "image": {"upload_id": id}}]}));
    let made = create(&owner, json!([field("table", json!({"dimensions": [cell]}))])).data();
    let cell = &made["fields"][0]["dimensions"][0];
    assert_eq!(cell["choices"][0]["image"], picture(&owner, &id));
}

#[test]
fn rich_text_shows_images_that_were_committed() {
    let server = Server::shared();
    let owner = server.user();
    let reader = server.token(&owner.email, "entry:read");
    let (one, two) = (small(&owner, "rich_text_image"), small(&owner, "rich_text_image"));
    let committed = reader.post("/api/v1/attachment_commitments", json!({"upload_ids": [one, two]}));
    assert_eq!(committed.status, 200, "{committed}");
    let shown = |id: &str| {
        let mut shown = picture(&owner, id);
        shown["upload_id"] = json!(id);
        shown
    };
    assert_eq!(committed.data(), json!([shown(&one), shown(&two)]));
    let url = |id: &str| format!("{}/images/{id}", owner.base);
    let html = format!(
        "<p>Look <img src=\"{}\" alt=\"A &quot;sea&quot; > b\" onerror=alert(1) loading=eager><img \
         width=15 height=10 src={}?w=320></p>",
        url(&one),
        url(&two)
    );
    let clean = format!(
        "<p>Look <img src=\"{}\" alt=\"A &quot;sea&quot; &gt; b\" width=\"30\" height=\"20\"><img \
         src=\"{}\" alt=\"\" width=\"15\" height=\"10\"></p>",
        url(&one),
        url(&two)
    );
    let fields = json!([field("short_text", json!({"notes": html})), field("description", json!({"content": html})),]);
    let form = owner.form(fields);
    let made = owner.get(form.path()).data();
    assert_eq!(made["fields"][0]["notes"], clean);
    assert_eq!(made["fields"][1]["content"], clean);
    let settings = format!("{}/settings", form.path());
    let message = json!({"after_submission": {"show_message": {"style": "rich_text", "rich_text": html}}});
    let changed = owner.patch(&settings, message).data();
    assert_eq!(changed["after_submission"]["show_message"]["rich_text"], clean);
    // Nothing else is an image here, and another organisation's is none.
    let eve = stranger(server);
    let strange = small(&eve, "rich_text_image");
    let asked = json!({"upload_ids": [strange]});
    assert_eq!(eve.post("/api/v1/attachment_commitments", asked).status, 200);
    let uncommitted = small(&owner, "rich_text_image");
    for src in [
        url(&strange),
        url(&uncommitted),
        url("none"),
        url(&format!("{one}/more")),
        format!("/images/{one}"),
        format!("//127.0.0.1/images/{one}"),
        format!("https://evil.example/images/{one}"),
        "https://evil.example/a.png".to_owned(),
        "data:image/png;base64,AAAA".to_owned(),
    ] {
        let html = format!("<p>a<img src=\"{src}\" alt=b>c<img></p>");
        let made = create(&owner, json!([field("short_text", json!({"notes": html}))]));
        assert_eq!(made.data()["fields"][0]["notes"], "<p>ac</p>", "{src}");
    }
}

#[test]
fn every_fault_of_commitments_is_told() {
    let server = Server::shared();
    let owner = server.user();
    let path = "/api/v1/attachment_commitments";
    let good = small(&owner, "rich_text_image");
    let other = small(&owner, "header_image");
    let open = id_of(&prepared(&owner, "rich_text_image", "image/png", &png(3, 2)));
    let strange = small(&stranger(server), "rich_text_image");
    let asked = json!({"upload_ids": [good, other, open, "none", strange, good]});
    let refused = owner.post(path, asked);
    assert_eq!(
        faults_of(&refused),
        [
            "upload_ids[1]: was uploaded for another purpose",
            "upload_ids[2]: has not been uploaded yet",
            "upload_ids[3]: is not an uploaded file",
            "upload_ids[4]: is not an uploaded file",
            "upload_ids[5]: has already been used",
        ]
    );
    assert_eq!(refused.json()["code"], "upload_purpose_mismatch");
    for (body, faults) in [
        (json!({}), vec!["upload_ids: is required"]),
        (json!({"upload_ids": "x"}), vec!["upload_ids: must be a list"]),
        (json!({"upload_ids": [1, {}]}), vec!["upload_ids[0]: must be a string", "upload_ids[1]: must be a string"]),
    ] {
        assert_eq!(faults_of(&owner.post(path, body)), faults);
    }
    // The refused request took nothing.
    assert_eq!(owner.post(path, json!({"upload_ids": [good]})).status, 200);
    let again = owner.post(path, json!({"upload_ids": [good]}));
    assert_eq!(faults_of(&again), ["upload_ids[0]: has already been used"]);
    assert_eq!(server.anon().post(path, json!({"upload_ids": []})).status, 401);
    assert_eq!(owner.post(path, json!({"upload_ids": []})).data(), json!([]));
}

#[test]
fn an_upload_is_used_where_it_was_meant_to_be() {
    let server = Server::shared();
    let owner = server.user();
    let strange = small(&stranger(server), "choice_image");
    let open = id_of(&prepared(&owner, "choice_image", "image/png", &png(3, 2)));
    let used = small(&owner, "choice_image");
    assert_eq!(create(&owner, choices(json!({"upload_id": used}))).status, 201);
    let fresh = small(&owner, "choice_image");
    let names = [&strange, &open, &used, &fresh, &fresh];
    let list: Vec<Value> = names.iter().map(|id| json!({"label": "x", "image": {"upload_id": id}})).collect();
    let mut fields = json!([field("image_radio", json!({"choices": list}))]);
    for purpose in ["header_image", "product_image", "booking_image", "rich_text_image", "opensearch_header_image"] {
        let id = small(&owner, purpose);
        fields
            .as_array_mut()
            .expect("a list")
            .extend(choices(json!({"upload_id": id})).as_array().expect("a list").clone());
    }
    fields
        .as_array_mut()
        .expect("a list")
        .extend(choices(json!({"upload_id": used, "id": used})).as_array().expect("a list").clone());
    let refused = create(&owner, fields);
    assert_eq!(
        faults_of(&refused),
        [
            "fields[0].choices[0].image.upload_id: is not an uploaded file",
            "fields[0].choices[1].image.upload_id: has not been uploaded yet",
            "fields[0].choices[2].image.upload_id: has already been used",
            "fields[0].choices[4].image.upload_id: has already been used",
            "fields[1].choices[0].image.upload_id: was uploaded for another purpose",
            "fields[2].choices[0].image.upload_id: was uploaded for another purpose",
            "fields[3].choices[0].image.upload_id: was uploaded for another purpose",
            "fields[4].choices[0].image.upload_id: was uploaded for another purpose",
            "fields[5].choices[0].image.upload_id: was uploaded for another purpose",
            "fields[6].choices[0].image.upload_id: can't be combined with id",
        ]
    );
    assert_eq!(refused.json()["code"], "upload_not_found");
    // A refused upload can still be used.
    assert_eq!(create(&owner, choices(json!({"upload_id": fresh}))).status, 201);
    // A file of an answer is none of a form.
    let form = owner.form(json!([field("attachment", json!({}))]));
    let file = support::uploads::uploaded(&owner, &form, "a.png", "image/png", &png(3, 2));
    assert_eq!(
        faults_of(&create(&owner, choices(json!({"upload_id": file})))),
        ["fields[0].choices[0].image.upload_id: was uploaded for another purpose"]
    );
}

#[test]
fn an_image_stays_in_its_organisation() {
    let server = Server::shared();
    let owner = server.user();
    let id = small(&owner, "choice_image");
    assert_eq!(create(&owner, choices(json!({"upload_id": id}))).status, 201);
    let friend = server.user();
    assert_eq!(create(&friend, choices(json!({"id": id}))).status, 201);
    let eve = stranger(server);
    let fault = "fields[0].choices[0].image.id: is not an image of this organization";
    assert_eq!(faults_of(&create(&eve, choices(json!({"id": id})))), [fault]);
    assert_eq!(faults_of(&create(&owner, choices(json!({"id": "none"})))), [fault]);
    let form = eve.form(json!([field("short_text", json!({}))]));
    let refused = eve.patch(theme(&form), json!({"wallpaper": {"image": {"id": id}}}));
    assert_eq!(faults_of(&refused), ["wallpaper.image.id: is not an image of this organization"]);
}

#[test]
fn an_upload_that_came_too_late_is_told_so() {
    let server = Server::alone("its data dir is looked at");
    let owner = server.user();
    let late = id_of(&prepared(&owner, "choice_image", "image/png", &png(3, 2)));
    let change = "UPDATE uploads SET expires_at = created_at";
    database(&server).execute(change, []).expect("changed");
    let refused = create(&owner, choices(json!({"upload_id": late})));
    assert_eq!(faults_of(&refused), ["fields[0].choices[0].image.upload_id: was not uploaded in time"]);
    assert_eq!(refused.json()["code"], "upload_expired");
}

#[test]
fn of_many_that_use_one_at_once_one_does() {
    let server = Server::shared();
    let owner = server.user();
    let id = small(&owner, "choice_image");
    let statuses = support::at_once(6, |_| create(&owner, choices(json!({"upload_id": id}))).status);
    let made = statuses.iter().filter(|status| **status == 201).count();
    let refused = statuses.iter().filter(|status| **status == 422).count();
    assert_eq!((made, refused), (1, 5), "{statuses:?}");
}

#[test]
fn what_nothing_names_goes_after_a_day() {
    let server = Server::alone("its jobs run now");
    let owner = server.user();
    let bytes = |n: u32| png(100 + n, 50);
    let up = |purpose: &str, n: u32| uploaded(&owner, purpose, "image/png", &bytes(n));
    let count = || files_in(&server.dir, "blobs").len();
    let unused = up("choice_image", 0);
    let (choice, header, note, loose) =
        (up("choice_image", 1), up("header_image", 2), up("rich_text_image", 3), up("rich_text_image", 4));
    let asked = json!({"upload_ids": [note, loose]});
    assert_eq!(owner.post("/api/v1/attachment_commitments", asked).status, 200);
    let notes = format!("<img src=\"{}/images/{note}\">", owner.base);
    let own = json!({"choices": [{"label": "Sea", "image": {"upload_id": choice}}], "notes": notes});
    let form = owner.form(json!([field("image_radio", own)]));
    let look = json!({"header": {"type": "image", "images": [{"upload_id": header}]}});
    assert_eq!(owner.patch(theme(&form), look).status, 200);
    sweep(&server);
    assert_eq!(count(), 5);
    a_day_later(&server);
    sweep(&server);
    // The uploads that were not used, and the one that was committed and nowhere shown.
    assert_eq!(count(), 3);
    let refused = create(&owner, choices(json!({"upload_id": unused})));
    assert_eq!(faults_of(&refused).len(), 1);
    let named = |id: &str| create(&owner, choices(json!({"id": id}))).status;
    assert_eq!((named(&loose), named(&note)), (422, 201));
    // Two forms name the text's image: it stays until neither does.
    let plain = json!({"fields": [{"api_code": "field_1", "type": "image_radio", "label": "x", "choices": [{"label": "Sea"}]}]});
    assert_eq!(owner.patch(form.path(), plain).status, 200);
    sweep(&server);
    assert_eq!(count(), 3);
    a_day_later(&server);
    sweep(&server);
    assert_eq!(count(), 2);
    // A form in the trash keeps its own; one that is removed for good lets go.
    assert_eq!(owner.delete(form.path()).status, 200);
    a_day_later(&server);
    sweep(&server);
    assert_eq!(count(), 2);
    let change = "UPDATE forms SET deleted_at = deleted_at - ?1 WHERE deleted_at IS NOT NULL";
    database(&server).execute(change, [31 * DAY_MS]).expect("changed");
    assert!(server.run(&["jobs", "run-once"]).status.success());
    sweep(&server);
    assert_eq!(count(), 2);
    a_day_later(&server);
    sweep(&server);
    assert_eq!(count(), 1);
    let doctor = server.run(&["doctor"]);
    assert!(doctor.status.success(), "{}", text(&doctor.stdout));
}

#[test]
fn doctor_counts_what_names_an_image() {
    let server = Server::alone("its jobs run now");
    let owner = server.user();
    let id = small(&owner, "choice_image");
    assert_eq!(create(&owner, choices(json!({"upload_id": id}))).status, 201);
    let change = "UPDATE images SET uses = 0, idle_since = 0";
    database(&server).execute(change, []).expect("changed");
    let found = text(&server.run(&["doctor"]).stdout);
    assert!(found.contains("1 stored file is unused or miscounted"), "{found}");
    let fixed = server.run(&["doctor", "--fix"]);
    assert!(fixed.status.success(), "{} {}", text(&fixed.stdout), text(&fixed.stderr));
    sweep(&server);
    assert_eq!(files_in(&server.dir, "blobs").len(), 1);
    assert_eq!(create(&owner, choices(json!({"id": id}))).status, 201);
}
