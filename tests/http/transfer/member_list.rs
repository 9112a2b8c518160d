//! A club's member list from German Excel, imported by somebody who knows only the handbook.

use serde_json::json;
use support::{Server, field};

use crate::transfer::{CSV, csv, import, values};

/// Excel's "CSV UTF-8": semicolons, a decimal comma, dates with dots, local phone numbers, a column of the club's own,
/// and an address in one cell.
const MEMBERS: &str = "\u{feff}Mitgliedsnr.;Name;E-MAIL;Telefon;Geburtsdatum;Beitrag  (EUR);Abteilung;Anschrift;Aktiv seit\r\n\
    17;Jürgen Groß; juergen@example.de\u{a0};0170 1234567;31.12.1990;72,5;Fußball, Turnen;\"Marienplatz 1, 80331 München\";01.04.2015\r\n\
    18;\"Müller, Änne\";;030/123456;3.4.2001;1.250,00;turnen;\"Weg 2\n80331 München\";2015-04-01\r\n\
    19;Ōno Kei;ono@example.com;+81 90-1234-5678;29.02.2000;0;;;\r\n";

#[test]
fn a_german_clubs_member_list_comes_in_as_it_is() {
    let owner = Server::shared().user();
    let choices = json!([{"api_code": "f", "label": "Fußball"}, {"api_code": "t", "label": "Turnen"}]);
    let fields = json!([
        field("name", json!({"label": "Name", "required": true})),
        field("email", json!({"label": "E-Mail"})),
        field("phone", json!({"label": "Telefon", "default_country": "DE"})),
        field("date", json!({"label": "Geburtsdatum", "max": "today"})),
        field("number", json!({"label": "Beitrag (EUR)", "min": 0, "precision": 2})),
        field("checkbox", json!({"label": "Abteilung", "choices": choices})),
        field("address", json!({"label": "Anschrift", "default_country": "DE"})),
        field("date", json!({"label": "Aktiv seit"})),
    ]);
    let form = owner.form_with(json!({"name": "Mitglieder", "locale": "de", "fields": fields}));
    let looked = import(&owner, &form, "?dry_run=true", CSV, MEMBERS.as_bytes());
    assert_eq!((looked.status, &looked.data()["rows"]), (200, &json!(3)), "{looked}");
    let made = csv(&owner, &form, MEMBERS);
    assert_eq!(made.status, 201, "{made}");
    let ignored = json!([{
        "attribute": "header[0]", "message": "\"Mitgliedsnr.\" names no field of this form and is ignored"}]);
    assert_eq!(made.json()["warnings"], ignored);
    let members = values(&owner, &form);
    let first = &members[0];
    assert_eq!(first["field_1"], "Jürgen Groß");
    assert_eq!(first["field_2"], "juergen@example.de");
    assert_eq!((&first["field_3"]["country_id"], &first["field_3"]["country_code"]), (&json!("DE"), &json!("49")));
    assert_eq!((&first["field_4"], &first["field_5"]), (&json!("1990-12-31"), &json!(72.5)));
    let chosen = first["field_6"].as_array().expect("choices");
    assert_eq!(chosen.len(), 2, "{first}");
    let home = &first["field_7"];
    assert_eq!(
        [&home["address_line1"], &home["postal_code"], &home["city"], &home["country"]],
        ["Marienplatz 1", "80331", "München", "DE"]
    );
    assert_eq!(first["field_8"], "2015-04-01");
    let second = &members[1];
    assert_eq!((&second["field_1"], &second["field_5"]), (&json!("Müller, Änne"), &json!(1250)));
    assert_eq!((&second["field_4"], &second["field_8"]), (&json!("2001-04-03"), &json!("2015-04-01")));
    assert_eq!(second["field_7"]["address_line1"], "Weg 2");
    assert_eq!(members[2]["field_3"]["country_id"], "JP");
    // The same list with a script's faults is told by the lines and columns that Excel shows.
    let faulty = MEMBERS.replace("31.12.1990", "31.12.90").replace("ono@", "ono.");
    let refused = csv(&owner, &form, &faulty);
    assert_eq!(
        refused.faults(),
        ["rows[0].field_4: must be a date in the format YYYY-MM-DD", "rows[2].field_2: is not an email address"]
    );
}
