//! What a form's features cost its submissions: rules, formulas, quotas and bookings, and a queue of mail.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::load::{self, Make};
use crate::rows::{self, by_turns};
use crate::subject::Subject;
use crate::table::Table;
use crate::{Plan, ceilings};

/// Mails that wait while submissions are observed.
const MAILS: u64 = 10_000;
/// How long the mail server takes for each.
const MAIL_TIME: Duration = Duration::from_millis(30);
/// Minimum seconds to observe submissions beside the mail.
const MIN_OBSERVED: f64 = 8.0;

/// Measures both.
pub fn measure(plan: &Plan, dir: &Path, subject: &Subject, table: &mut Table) {
    rules_and_quotas(plan, subject, table);
    mail(plan, &dir.join("mail"), table);
}

/// The form of ten fields with 20 rules, 3 formulas, a choice with a quota and a booking.
fn rules_and_quotas(plan: &Plan, subject: &Subject, table: &mut Table) {
    let mut fields = rows::fields();
    let all = fields.as_array_mut().expect("a list");
    all[6]["choices"][0]["quota"] = json!(1_000_000_000);
    let slots = json!({"kind": "weekly", "weekly_quotas":
        (1..=7).map(|day| json!({"weekday": day, "quota": 1_000_000_000})).collect::<Vec<_>>()});
    let item = json!({"api_code": "room", "name": "Room", "quota_setting": slots});
    all.push(json!({"type": "booking", "label": "Room", "reservation_items": [item]}));
    for expression in ["field_5 * 2", "IF(field_5 > 10, 5, 1)", "field_12 + field_13"] {
        let own = json!({"type": "formula", "label": "Sum", "expression": expression, "result_type": "number"});
        all.push(own);
    }
    let form = subject.new_form("Features", &fields);
    let rule = |n: u64| {
        let item = match n % 4 {
            0 => json!({"field": "field_5", "operator": "gt", "value": n}),
            1 => json!({"field": "field_7", "operator": "eq", "value": "veg"}),
            2 => json!({"field": "field_8", "operator": "any_in", "value": ["a"]}),
            _ => json!({"field": "field_3", "operator": "like", "value": "engines"}),
        };
        json!({"condition": {"operand": "and", "items": [item]}, "action": "show",
            "fields": [if n.is_multiple_of(2) { "field_9" } else { "field_10" }]})
    };
    let rules = json!({"rules": (0..20).map(rule).collect::<Vec<_>>()});
    let path = format!("/api/v1/forms/{form}/field_rules");
    subject.ask("PUT", &path, &rules.to_string());
    let path = format!("/api/v1/f/{form}/entries");
    let with: Make = Arc::new(move |n| {
        let mut values = rows::values(n);
        let day = format!("2099-01-{:02}T00:00:00Z", n % 28 + 1);
        values["field_11"] = json!([{"api_code": "room", "scheduled_at": day}]);
        load::post(&path, "application/json", &json!({"field_values": values}).to_string())
    });
    let plain = rows::submission(subject);
    let base = &*subject.server.base;
    let figures = by_turns(plan.seconds, 64, &[(base, &[201], &with), (base, &[201], &plain)]);
    table.ratio(
        "submission with 20 rules, 3 formulas, a quota and a booking",
        figures[0].rate,
        "without",
        figures[1].rate,
        0.6,
    );
}

/// Submissions while mail of another form waits to be sent.
fn mail(plan: &Plan, dir: &Path, table: &mut Table) {
    let url = format!("smtp://127.0.0.1:{}", mail_server());
    let flags = ["--rate-limits", "off", "--mail-from", "forms@example.org", "--smtp-url", &url];
    let subject = Subject::start_with(&plan.program, dir, &flags, &rows::fields());
    let mailing = subject.new_form("Mail", &json!([{"type": "email", "label": "Email"}]));
    let path = format!("/api/v1/forms/{mailing}/settings");
    let receipt = json!({"notifications": {"receipt": {"enabled": true}}});
    subject.ask("PATCH", &path, &receipt.to_string());
    let submission = rows::submission(&subject);
    let base = &subject.server.base;
    let seconds = plan.seconds.max(MIN_OBSERVED);
    load::run(base, 16, seconds / 2.0, &[201], &submission);
    let alone = load::run(base, 16, seconds, &[201], &submission);
    let path = format!("/api/v1/f/{mailing}/entries");
    let mailed: Make = Arc::new(move |n| {
        let values: Value = json!({"field_1": format!("ada{n}@example.com")});
        load::post(&path, "application/json", &json!({"field_values": values}).to_string())
    });
    load::fill(base, 16, MAILS, &[201], &mailed);
    let beside = load::run(base, 16, seconds, &[201], &submission);
    table.at_most("p99 of submissions while 10,000 mails wait and are sent", beside.p99, "ms", "alone", alone.p99, 1.5);
    let reader = ceilings::read_only(&subject.data.join("formsvc.db"));
    let asked = "SELECT count(*) FROM outbox WHERE status = 'pending'";
    let waiting: i64 = reader.query_row(asked, [], |row| row.get(0)).expect("a number");
    table.note("mails that then still wait", &waiting.to_string());
}

/// A mail server that takes everything, slowly. Returns its port.
fn mail_server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        for socket in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || take_mail(&socket));
        }
    });
    port
}

fn take_mail(socket: &TcpStream) {
    let mut say = socket;
    let mut lines = BufReader::new(socket).lines().map_while(Result::ok);
    let _ = say.write_all(b"220 bench\r\n");
    while let Some(line) = lines.next() {
        let answer: &[u8] = match line.get(..4).unwrap_or_default() {
            "DATA" => {
                let _ = say.write_all(b"354 go on\r\n");
                lines.by_ref().take_while(|line| line != ".").for_each(drop);
                thread::sleep(MAIL_TIME);
                b"250 taken\r\n"
            }
            "QUIT" => b"221 bye\r\n",
            _ => b"250 fine\r\n",
        };
        if say.write_all(answer).is_err() {
            return;
        }
    }
}
