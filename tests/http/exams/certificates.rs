//! Certificates: the entries with a link, its target and its lifetime, and the contents of the PDF, in any script.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use support::images::uploaded;
use support::pdf::poppler_output;
use support::session::{Session, account};
use support::sheets::{Table, csv, xlsx};
use support::steps::{add, set};
use support::uploads::{path_of, png};
use support::{Caller, Form, Response, Server, field, means, sharing, until};

fn form_of(owner: &Caller, certificate: Value) -> Form {
    let form = owner.form(json!([
        field("short_text", json!({"label": "Name"})),
        field("short_text", json!({"label": "Inside", "hidden": true})),
    ]));
    set(owner, &form, json!({"certificate": certificate}));
    form
}

fn certified(owner: &Caller) -> Form {
    let certificate = json!({"enabled": true, "title": "Diploma", "body": "For {{field_1}}"});
    form_of(owner, certificate)
}

/// The path of an entry's link.
fn link(caller: &Caller, entry: &Value) -> String {
    let url = entry["x_field_certificate"]["url"].as_str();
    path_of(caller, url.unwrap_or_else(|| panic!("no link: {entry}"))).to_owned()
}

fn opened(caller: &Caller, entry: &Value) -> Response {
    let pdf = caller.get(link(caller, entry));
    assert_eq!(pdf.status, 200, "{pdf}");
    pdf
}

#[test]
fn exports_have_the_link_of_each_certificate() {
    let owner = Server::shared().user();
    let form = certified(&owner);
    set(&owner, &form, json!({"certificate": {"min_score": null}}));
    add(&owner, &form, json!({"field_1": "Ada"}));
    add(&owner, &form, json!({"field_1": "Grace"}));
    for (format, read) in [("csv", csv as fn(&Response) -> Table), ("xlsx", xlsx)] {
        let query = format!("format={format}&headers=api_codes&fields=x_field_certificate");
        let rows = read(&owner.get(format!("{}/export?{query}", form.entries())));
        assert_eq!(rows[0][4], "x_field_certificate", "{rows:?}");
        for (row, name) in rows[1..].iter().zip(["Ada", "Grace"]) {
            let pdf = owner.get(path_of(&owner, &row[4])).is(200);
            assert!(poppler_output("pdftotext", &["-layout"], &pdf.bytes).contains(name), "{format}");
        }
    }
}

#[test]
fn who_sees_an_entry_gets_its_certificate() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = certified(&owner);
    let values = json!({"field_values": {"field_1": "Ada"}});
    let sent = anon.post(form.submissions(), values);
    assert_eq!(sent.status, 201, "{sent}");
    let own = opened(&anon, &sent.data());
    assert!(own.bytes.starts_with(b"%PDF-"), "{own}");
    assert_eq!(own.header("content-type"), "application/pdf");
    assert_eq!(own.header("x-content-type-options"), "nosniff");
    assert_eq!(own.header("cache-control"), "no-store");
    assert_eq!(own.header("x-robots-tag"), "noindex");
    assert!(own.header("content-security-policy").contains("sandbox"));
    assert_eq!(
        own.header("content-disposition"),
        "attachment; filename=\"Diploma 1.pdf\"; filename*=UTF-8''Diploma%201.pdf"
    );
    assert!(own.bytes.len() < 100_000, "{}", own.bytes.len());
    // The same entry gives the same bytes, for every caller at any time.
    let listed = owner.get(form.entries()).data()[0].clone();
    let shown = owner.get(form.entry(1)).data();
    for entry in [listed, shown] {
        assert!(opened(&anon, &entry).bytes == own.bytes);
    }
    let done = anon.post_form(form.page(), &[("field_1", "Eve")]);
    let page = anon.get(done.header("location"));
    assert!(page.text.contains("Download certificate"), "{page}");
    assert!(page.text.contains("/certificates/"), "{page}");
}

#[test]
fn the_name_stands_on_a_line_of_its_own() {
    if !means::has(&["pdftotext"]) {
        return;
    }
    let owner = Server::shared().user();
    let form = owner.form(json!([field("name", json!({})), field("short_text", json!({}))]));
    let organization = owner.get("/api/v1/me").data()["organization"]["name"].clone();
    let issuer = organization.as_str().expect("a name");
    let lines = |body: &str| {
        set(&owner, &form, json!({"certificate": {"enabled": true, "title": "Diploma", "body": body}}));
        add(&owner, &form, json!({"field_1": "Ada {{field_2}}", "field_2": "planted"}));
        let newest = owner.get(form.entries()).data()[0].clone();
        let said = poppler_output("pdftotext", &["-layout"], &opened(&owner, &newest).bytes);
        said.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect::<Vec<_>>()
    };
    for (body, told) in [
        ("This is to say that {{field_1}} has passed.", &["This is to say that", "Ada {{field_2}}", "has passed."][..]),
        ("Awarded to {{ field_1 }}.", &["Awarded to", "Ada {{field_2}}"]),
        ("{{field_1}}\nwas there", &["Ada {{field_2}}", "was there"]),
        // Part of a word stays where it is, and so does text that is no name.
        ("{{field_1}}’s work", &["Ada {{field_2}}’s work"]),
        ("For {{field_2}}", &["For planted"]),
    ] {
        let all = lines(body);
        let at = all.iter().position(|line| line == told[0]).unwrap_or_else(|| panic!("{body}: {all:?}"));
        assert_eq!(all[at..at + told.len()], *told, "{body}: {all:?}");
        // The issuer is at the top, and there is a line to sign on.
        assert_eq!(all[0], issuer, "{all:?}");
        assert!(all.iter().any(|line| line.contains("Signature")), "{all:?}");
    }
}

#[test]
fn the_organizations_logo_stands_on_its_certificates() {
    if !means::has(&["pdfimages", "pdftotext"]) {
        return;
    }
    let server = Server::alone("its organization has a logo of its own");
    let owner = server.user();
    let form = certified(&owner);
    add(&owner, &form, json!({"field_1": "Ada"}));
    let drawn = |width: u32, height: u32| {
        let image = image::RgbImage::from_pixel(width, height, image::Rgb([46, 125, 50]));
        let mut png = std::io::Cursor::new(Vec::new());
        image.write_to(&mut png, image::ImageFormat::Png).expect("encoded");
        png.into_inner()
    };
    // The sizes in pixels of the pictures of a certificate.
    let pictures = || {
        let pdf = opened(&owner, &owner.get(form.entry(1)).data());
        assert!(poppler_output("pdftotext", &[], &pdf.bytes).contains("Ada"), "the certificate is whole");
        let said = poppler_output("pdfimages", &["-list"], &pdf.bytes);
        let rows = said.lines().skip(2).map(|line| line.split_whitespace().collect::<Vec<_>>());
        rows.filter(|row| row[2] == "image").map(|row| format!("{}×{}", row[3], row[4])).collect::<Vec<_>>()
    };
    let set_logo = |bytes: &[u8]| {
        let logo = uploaded(&owner, "organization_logo", "image/png", bytes);
        owner.patch("/api/v1/organization", json!({"logo": {"upload_id": logo}})).is(200);
    };
    assert_eq!(pictures(), [] as [String; 0]);
    for (width, height, shown) in [(120, 40, "120×40"), (1500, 500, "433×144"), (100, 900, "16×144")] {
        set_logo(&drawn(width, height));
        assert_eq!(pictures(), [shown], "{width} × {height}");
    }
    // A picture that can't be decoded is left out; the certificate is there all the same.
    set_logo(&png(300, 100));
    assert_eq!(pictures(), [] as [String; 0]);
    owner.patch("/api/v1/organization", json!({"logo": null})).is(200);
    assert_eq!(pictures(), [] as [String; 0]);
}

#[test]
fn there_is_no_link_without_a_certificate() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = certified(&owner);
    add(&owner, &form, json!({"field_1": "Ada"}));
    let address = link(&anon, &owner.get(form.entry(1)).data());
    set(&owner, &form, json!({"certificate": {"min_score": 1}}));
    assert_eq!(owner.get(form.entry(1)).data()["x_field_certificate"], json!(null));
    let sent = anon.post(form.submissions(), json!({"field_values": {}}));
    assert_eq!(sent.data()["x_field_certificate"], json!(null));
    let refused = anon.get(&address);
    assert_eq!(refused.to_string(), r#"404 {"error":"Entry not found"}"#);
    set(&owner, &form, json!({"certificate": {"min_score": null, "enabled": false}}));
    let entry = owner.get(form.entry(1)).data();
    assert_eq!(entry.get("x_field_certificate"), None);
    let sent = anon.post(form.submissions(), json!({"field_values": {}}));
    assert_eq!(sent.data().get("x_field_certificate"), None);
    assert_eq!(anon.get(&address).status, 404);
    set(&owner, &form, json!({"certificate": {"enabled": true}}));
    assert_eq!(anon.get(&address).status, 200);
}

#[test]
fn who_passes_an_exam_has_a_certificate() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = owner.form_with(json!({
        "name": "Exam",
        "scene": "exam",
        "fields": [field("short_text", json!({"label": "Author"}))],
    }));
    let question = json!({"scored": true, "score": 5, "answer": "Ada"});
    set(
        &owner,
        &form,
        json!({
            "exam": {"questions": {"field_1": question}},
            "certificate": {"enabled": true, "min_score": 5, "body": "Points: {{exam_score}}"},
        }),
    );
    let send = |answer: &str| {
        let sent = anon.post(form.submissions(), json!({"field_values": {"field_1": answer}}));
        assert_eq!(sent.status, 201, "{sent}");
        sent.data()
    };
    assert_eq!(send("Eve")["x_field_certificate"], json!(null));
    let passed = opened(&anon, &send("Ada"));
    if means::has(&["pdftotext"]) {
        let said = poppler_output("pdftotext", &["-layout"], &passed.bytes);
        assert!(said.contains("Points: 5"), "{said}");
        // Without a title it has one of ours.
        assert!(said.contains("Certificate"), "{said}");
    }
}

#[test]
fn a_link_opens_its_own_certificate_alone() {
    let server = Server::shared();
    let (owner, anon) = (server.user(), server.anon());
    let form = certified(&owner);
    add(&owner, &form, json!({"field_1": "Ada"}));
    add(&owner, &form, json!({"field_1": "Eve"}));
    let [one, two] = [1, 2].map(|serial| link(&anon, &owner.get(form.entry(serial)).data()));
    let (path, query) = one.split_once('?').expect("a query");
    let (other, _) = two.split_once('?').expect("a query");
    let expires = query.split(['=', '&']).nth(1).expect("a time");
    let later = (expires.parse::<u64>().expect("a number") + 1).to_string();
    let unknown = "x";
    for altered in [
        format!("{other}?{query}"),
        path.to_owned(),
        one.replace(expires, &later),
        one.replace(expires, "1"),
        format!("{}A", &one[..one.len() - 1]),
        format!("{one}A"),
        format!("/certificates/{unknown}?{query}"),
    ] {
        if altered == one {
            continue;
        }
        let refused = anon.get(&altered);
        assert_eq!(
            refused.to_string(),
            r#"403 {"error":"This link has expired or was changed. Open the page it came from again."}"#,
            "{altered}"
        );
        let page = anon.header("Accept", "text/html,*/*;q=0.8").get(&altered);
        assert_eq!(page.status, 403, "{page}");
        assert!(page.text.contains("<h1>This link no longer works</h1>"), "{page}");
    }
    // Trashed, restored, deleted for good.
    assert_eq!(owner.delete(form.entry(1)).status, 200);
    assert_eq!(anon.get(&one).status, 404);
    let restored = owner.post(format!("{}/restore", form.trashed(1)), json!({}));
    assert_eq!(restored.status, 200, "{restored}");
    assert_eq!(anon.get(&one).status, 200);
    assert_eq!(owner.delete(form.entry(1)).status, 200);
    assert_eq!(owner.delete(form.trashed(1)).status, 200);
    assert_eq!(anon.get(&one).status, 404);
    assert_eq!(owner.delete(form.path()).status, 200);
    assert_eq!(anon.get(&two).status, 404);
}

#[test]
fn placeholders_are_filled_in_one_pass() {
    if !means::has(&["pdftotext"]) {
        return;
    }
    let owner = Server::shared().user();
    let form = form_of(
        &owner,
        json!({
            "enabled": true,
            "title": "No {{serial_number}}",
            "body": "{{field_1}} / {{ gen_code }} / {{field_2}} / {{nothing}} / {{created_at}}\n<b>{{serial_number}}</b>",
        }),
    );
    set(&owner, &form, json!({"verification_code": {"enabled": true}}));
    let values = json!({"field_1": "{{gen_code}} {{field_2}}", "field_2": "planted-mark"});
    add(&owner, &form, values);
    let entry = owner.get(form.entry(1)).data();
    let said = poppler_output("pdftotext", &["-layout"], &opened(&owner, &entry).bytes);
    let code = entry["gen_code"].as_str().expect("a code");
    let at: jiff::Timestamp = entry["created_at"].as_str().expect("a time").parse().expect("a moment");
    let date = &at.strftime("%-d %B %Y at %-I:%M %P (UTC)").to_string();
    // The lines are broken where they fit.
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for seen in ["No 1", "{{gen_code}} {{field_2}} / ", &format!("/ {code} /"), "{{nothing}}", "<b>1</b>", date] {
        assert!(said.contains(seen), "{seen}: {said}");
    }
    assert!(!said.contains("planted-mark"), "{said}");
}

#[test]
fn every_script_is_there_to_select() {
    if !means::has(&["pdftotext", "pdffonts"]) {
        return;
    }
    let owner = Server::shared().user();
    let scripts = [
        ("Zażółć gęślą jaźń, ünïcödé", "NotoSerif"),
        ("兹证明王小明同学完成课程", "NotoSerifCJK"),
        ("شهادة إتمام الدورة", "NotoNaskhArabic"),
        ("תעודת סיום הקורס", "NotoSerifHebrew"),
        ("प्रमाणपत्र क्षत्रिय विद्यार्थी", "NotoSerifDevanagari"),
        ("Сертификат об окончании", "NotoSerif"),
        ("龘堃", "DroidSansFallback"),
    ];
    for (words, font) in scripts {
        let certificate = json!({"enabled": true, "title": words, "body": format!("{words}\n{{{{field_1}}}}")});
        let form = form_of(&owner, certificate);
        add(&owner, &form, json!({"field_1": words}));
        let pdf = opened(&owner, &owner.get(form.entry(1)).data()).bytes;
        let said = poppler_output("pdftotext", &["-raw"], &pdf);
        for word in words.split(' ') {
            let count = said.matches(word).count();
            assert!(count >= 3 || word.contains('㐀'), "{word}: {count} in {said}");
        }
        let fonts = poppler_output("pdffonts", &[], &pdf);
        assert!(fonts.contains(font), "{font}: {fonts}");
        for line in fonts.lines().skip(2) {
            let marks: Vec<&str> = line.split_whitespace().rev().skip(2).take(3).collect();
            assert_eq!(marks, ["yes", "yes", "yes"], "embedded, subset, readable: {line}");
        }
    }
}

#[test]
fn an_entrys_page_tells_the_letters_that_its_certificate_lacks() {
    let server = Server::alone("its accounts sign in with a password");
    account(&server, "ann@example.org");
    let owner = server.token("ann@example.org", "form:read form:write entry:read entry:write");
    let form = certified(&owner);
    let browser = Session::on(&server).signed_in("ann@example.org");
    for (serial, name, lacks) in [(1, "Ada Łovelace", ""), (2, "محمد", ""), (3, "สมชาย Ada", "ส ม ช า ย")]
    {
        add(&owner, &form, json!({"field_1": name}));
        let page = browser.get(&format!("/forms/{}/entries/{serial}", form.token)).is(200);
        if lacks.is_empty() {
            page.lacks(["The certificate of this entry shows boxes"]);
        } else {
            page.has(["The certificate of this entry shows boxes", lacks, "fonts_dir"]);
        }
    }
    // No certificate, no warning.
    set(&owner, &form, json!({"certificate": {"enabled": false}}));
    browser.get(&format!("/forms/{}/entries/3", form.token)).is(200).lacks(["shows boxes"]);
}

#[test]
fn a_missing_character_is_told_and_drawn() {
    let owner = Server::shared().user();
    let form = certified(&owner);
    let settings = json!({"certificate": {"title": "Well done 😀", "body": "ok ꦏꦏ 證 {{field_1}}"}});
    let set = owner.patch(format!("{}/settings", form.path()), settings);
    assert_eq!(set.status, 200, "{set}");
    assert_eq!(
        set.json()["warnings"],
        json!([
            {"attribute": "certificate.title", "message": "has characters that no font has: 😀 (U+1F600)"},
            {"attribute": "certificate.body", "message": "has characters that no font has: ꦏ (U+A98F)"},
        ])
    );
    // The form's name is drawn too, where there are certificates.
    let named = owner.patch(form.path(), json!({"name": "Party 🎉"}));
    assert_eq!(named.status, 200, "{named}");
    for (enabled, expected) in [
        (
            true,
            json!([{
                "attribute": "certificate.enabled",
                "message": "shows the form's name, which has characters that no font has: 🎉 (U+1F389)",
            }]),
        ),
        (false, Value::Null),
        (true, Value::Null),
    ] {
        if expected.is_null() && enabled {
            owner.patch(form.path(), json!({"name": "Party"}));
        }
        let set = owner.patch(
            format!("{}/settings", form.path()),
            json!({"certificate": {"enabled": enabled, "title": "Well done", "body": "ok 證 {{field_1}}"}}),
        );
        assert_eq!(set.json()["warnings"], expected, "{enabled}");
    }
    // Other settings say nothing of it.
    let other = owner.patch(format!("{}/settings", form.path()), json!({"verification_code": {"enabled": true}}));
    assert_eq!(other.json().get("warnings"), None);
    if means::has(&["pdftotext"]) {
        add(&owner, &form, json!({"field_1": "Ada"}));
        let pdf = opened(&owner, &owner.get(form.entry(1)).data()).bytes;
        let said = poppler_output("pdftotext", &["-raw"], &pdf);
        assert!(said.contains("證 Ada"), "{said}");
    }
}

#[test]
fn long_texts_go_on_and_end() {
    if !means::has(&["pdftotext", "pdfinfo"]) {
        return;
    }
    let owner = Server::shared().user();
    let form = form_of(&owner, json!({"enabled": true, "title": "{{field_1}}", "body": "{{field_1}}".repeat(800)}));
    for answer in ["word ".repeat(300), "字".repeat(2000), "x\n".repeat(900), "A".repeat(3000)] {
        add(&owner, &form, json!({"field_1": answer}));
    }
    for serial in 1..=4 {
        let pdf = opened(&owner, &owner.get(form.entry(serial)).data()).bytes;
        assert!(pdf.len() < 1 << 20, "{}", pdf.len());
        let info = poppler_output("pdfinfo", &[], &pdf);
        let pages = info.lines().find_map(|line| line.strip_prefix("Pages:"));
        let pages: u32 = pages.expect("pages").trim().parse().expect("a number");
        assert!((2..=40).contains(&pages), "{info}");
        assert!(poppler_output("pdftotext", &["-raw"], &pdf).contains('…'));
    }
}

#[test]
fn fonts_of_a_folder_are_used() {
    if !means::has(&["pdffonts"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("broken.ttf"), b"no font").expect("a file");
    let path = folder.path().to_str().expect("a path");
    let server = Server::with(&["--rate-limits", "off", "--fonts-dir", path]);
    let owner = server.user();
    let form = certified(&owner);
    add(&owner, &form, json!({"field_1": "Ada"}));
    let pdf = opened(&owner, &owner.get(form.entry(1)).data()).bytes;
    assert!(poppler_output("pdffonts", &[], &pdf).contains("NotoSerif"));
    until("it is logged", || server.stderr().contains("broken.ttf is no font that can be used"));
    let extra = Path::new("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc");
    if extra.is_file() {
        std::os::unix::fs::symlink(extra, folder.path().join("cjk.ttc")).expect("a link");
        let server = Server::with(&["--rate-limits", "off", "--fonts-dir", path]);
        let owner = server.user();
        let certificate = json!({"enabled": true, "title": "수료증", "body": "Ada"});
        let form = owner.form(json!([field("short_text", json!({"label": "Name"}))]));
        let set = owner.patch(format!("{}/settings", form.path()), json!({"certificate": certificate}));
        assert_eq!(set.json().get("warnings"), None, "{set}");
        add(&owner, &form, json!({"field_1": "Ada"}));
        let pdf = opened(&owner, &owner.get(form.entry(1)).data()).bytes;
        assert!(poppler_output("pdffonts", &[], &pdf).contains("NotoSansCJK"));
    } else {
        means::skip("fonts-noto-cjk");
    }
    let missing = folder.path().join("missing");
    let dir = tempfile::tempdir().expect("a folder");
    let refused = support::formsvc(dir.path(), &["serve", "--fonts-dir", missing.to_str().expect("a path")], "");
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn managers_see_a_sample_of_what_is_stored_or_typed() {
    let server = Server::alone("its accounts sign in with a password");
    let (ann, bob) = ("ann@example.org", "bob@example.org");
    account(&server, ann);
    account(&server, bob);
    let scopes = "form:read form:write entry:read entry:write";
    let owner = server.token(ann, scopes);
    let form = owner.form(json!([
        field("name", json!({"label": "Your name"})),
        field("radio", json!({"label": "Course", "choices": [{"label": "Letterpress"}, {"label": "Sourdough"}]})),
    ]));
    let certificate = json!({"enabled": true, "title": "Diploma", "body": "For {{field_1}}\nwho took {{field_2}}"});
    set(&owner, &form, json!({"certificate": certificate}));
    let before = (owner.get(form.entries()).data(), owner.get(form.part("settings")).data());
    let browser = Session::on(&server).signed_in(ann);
    let address = format!("/forms/{}/settings/certificate", form.token);
    let page = browser.get(&format!("/forms/{}/settings", form.token)).is(200);
    page.has(["See a sample", "data-insert=\"{{field_1}}\""]);
    let text = |address: &str| {
        let pdf = browser.get(address).is(200);
        assert_eq!(pdf.header("content-type"), "application/pdf");
        poppler_output("pdftotext", &["-layout"], &pdf.bytes)
    };
    let stored = text(&address);
    assert!(stored.contains("Diploma") && stored.contains("Letterpress"), "{stored}");
    let typed = text(&format!("{address}?certificate.title=Award&certificate.body=To+{{{{field_2}}}}"));
    assert!(typed.contains("Award") && typed.contains("To Letterpress") && !typed.contains("Diploma"), "{typed}");
    assert_eq!((owner.get(form.entries()).data(), owner.get(form.part("settings")).data()), before);
    let other = Session::on(&server).signed_in(bob);
    other.get(&address).is(404);
    for role in ["viewer", "editor"] {
        sharing::share(&owner, &form, &server.token(bob, scopes), role);
        other.get(&address).is(403);
    }
}
