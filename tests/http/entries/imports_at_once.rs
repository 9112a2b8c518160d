//! Imports that others are beside: the same file in two tabs, a form that changes meanwhile, entries that others add, and
//! the way back to an import that was left.

use serde_json::json;
use support::session::{Session, account};
use support::sharing::share;
use support::steps::{add, count};
use support::{field, until};

use super::import_pages::{Desk, desk};

const GUESTS: &str = "Who,Seat\nAda,1\nGrace,2\n";
const BOTH: [(&str, &str); 2] = [("column.0", "field_1"), ("column.1", "field_2")];

impl Desk {
    /// Chooses the file and has its rows checked; the file's page, and the check's page once it is over.
    fn checked(&self, file: &str) -> (String, String) {
        let columns = self.send(&self.browser, "guests.csv", file.as_bytes()).leads();
        let job = self.post(&columns, &BOTH).leads();
        self.over(&job).has(["All 2 rows are good"]);
        (columns, job)
    }
}

/// The public id of a job, by its page's address.
fn id(job: &str) -> &str {
    job.rsplit('/').next().expect("an id")
}

#[test]
fn a_file_comes_in_as_the_page_checked_it() {
    let desk = desk();
    let (columns, first) = desk.checked(GUESTS);
    // Another tab leaves a column out; the first one imports what it has shown.
    let second = desk.post(&columns, &[BOTH[0], ("column.1", "")]).leads();
    desk.over(&second).has(["All 2 rows are good", &format!("name=\"job\" value=\"{}\"", id(&second))]);
    let import = |checked: &str| desk.post(&columns, &[("act", "import"), ("job", id(checked))]).leads();
    let done = import(&first);
    desk.over(&done).has(["2 entries were added"]);
    assert_eq!(desk.owner.get(desk.form.entry(2)).data()["field_2"], 2);
    // The other tab imports nothing twice, and says why.
    let gone = format!("{}?gone=1", desk.page());
    assert_eq!(import(&second), gone);
    desk.browser.get(&gone).is(200).has(["it was imported"]);
    assert_eq!(count(&desk.owner, &desk.form), 2);
    // Whoever left finds all of them.
    let page = desk.browser.get(&desk.page()).is(200);
    page.has(["Recent imports", "Checked \u{2068}guests.csv\u{2069}", "All 2 rows are good"]);
    page.has([&format!("<a href=\"{done}\">Imported \u{2068}guests.csv\u{2069}</a>"), "2 entries were added"]);
}

#[test]
fn a_form_that_changed_since_the_check_takes_nothing_that_does_not_fit() {
    let desk = desk();
    let (columns, checked) = desk.checked(GUESTS);
    account(&desk.server, "mia@example.org");
    let manager = desk.server.token("mia@example.org", super::import_pages::ALL);
    share(&desk.owner, &desk.form, &manager, "manager");
    let mut fields = desk.owner.get(desk.form.path()).data()["fields"].clone();
    let fields = fields.as_array_mut().expect("fields");
    fields.push(field("short_text", json!({"label": "Meal", "required": true})));
    manager.patch(desk.form.path(), json!({ "fields": fields })).is(200);
    // Somebody else took a seat, too.
    add(&manager, &desk.form, json!({"field_1": "Charles", "field_2": 2, "field_4": "Soup"}));
    let job = desk.post(&columns, &[("act", "import"), ("job", id(&checked))]).leads();
    let page = desk.over(&job);
    page.has([
        "The file has 3 faults",
        "\u{2068}Meal\u{2069}: 2 faults",
        "has already been taken",
        "Change the columns",
    ]);
    assert_eq!(count(&desk.owner, &desk.form), 1);
    // The question to which a column goes is gone: the page of the columns leaves that column out.
    let gone: Vec<_> = fields.iter().filter(|field| field["api_code"] == "field_1").collect();
    manager.patch(desk.form.path(), json!({"fields": gone, "confirm_data_loss": true})).is(200);
    let job = desk.post(&columns, &[("act", "import"), ("job", id(&checked))]).leads();
    desk.over(&job).has(["The file has 1 fault", "is no field of this form", "Change the columns"]);
    desk.browser.get(&columns).is(200).has(["<option value=\"\" selected>"]);
    let job = desk.post(&columns, &[BOTH[0], ("column.1", "")]).leads();
    desk.over(&job).has(["All 2 rows are good"]);
}

#[test]
fn undoing_leaves_what_others_add_meanwhile() {
    const ROWS: usize = 2_000;
    let desk = desk();
    let rows: String = (1..=ROWS).map(|n| format!("Guest {n},{n}\n")).collect();
    let columns = desk.send(&desk.browser, "many.csv", format!("Who,Seat\n{rows}").as_bytes()).leads();
    let checked = desk.post(&columns, &BOTH).leads();
    desk.over(&checked);
    let job = desk.post(&columns, &[("act", "import"), ("job", id(&checked))]).leads();
    desk.over(&job).has(["2,000 entries were added"]);
    let undo = desk.post(&format!("{job}/undo"), &[]).leads();
    let mut added = 0;
    let state = || desk.owner.get(format!("/api/v1{undo}")).is(200).data()["state"].clone();
    until("it is undone", || {
        added += 1;
        add(&desk.owner, &desk.form, json!({"field_1": format!("Late {added}"), "field_2": 10_000 + added}));
        state() == "done"
    });
    desk.over(&undo).has(["2,000 entries are in the trash"]);
    assert_eq!(count(&desk.owner, &desk.form), added);
    // Their seats are free again, and a second press undoes nothing else.
    add(&desk.owner, &desk.form, json!({"field_1": "Ada", "field_2": 7}));
    assert_eq!(desk.post(&format!("{job}/undo"), &[]).leads(), undo);
    assert_eq!(count(&desk.owner, &desk.form), added + 1);
    let other = Session::on(&desk.server).signed_in("ann@example.org");
    other.get(&job).is(200).has(["See how it was undone"]);
}
