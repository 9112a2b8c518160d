//! `date` in its four precisions, and `time`.

use serde_json::json;

use super::Group;

pub fn groups() -> Vec<Group> {
    let mut day = Group::of("date", json!({}))
        .keeps([json!("2026-11-20"), json!("2024-02-29"), json!("1000-01-01"), json!("9999-12-31")])
        .takes(json!(""), json!(null))
        .takes(json!("  "), json!(null))
        .refuses(json!(20_261_120), "must be a string such as YYYY-MM-DD")
        .refuses(json!([]), "must be a string such as YYYY-MM-DD")
        .refuses(json!({"date": "2026-11-20"}), "must be a string such as YYYY-MM-DD")
        .refuses(json!(true), "must be a string such as YYYY-MM-DD");
    for bad in [
        "2026-02-29",
        "2026-11-31",
        "2026-13-01",
        "2026-00-10",
        "2026-11-00",
        "0000-01-01",
        "2026-11",
        "2026",
        "2026-11-20 10:00",
        "2026-11-20T10:00:00Z",
        "20-11-2026",
        "2026/11/20",
        "2026-1-2",
        " 2026-11-20",
        "2026-11-20\n",
        "2026-11-20\0",
        "２０２６-11-20",
        "-026-11-20",
        "+026-11-20",
        "today",
        "now",
    ] {
        day = day.refuses(json!(bad), "must be a date in the format YYYY-MM-DD");
    }
    // A browser's control makes these of a year of two digits.
    for short in ["0001-01-01", "0026-11-20", "0999-12-31"] {
        day = day.refuses(json!(short), "must have a year of four digits, 1000 or later");
    }
    let month = Group::of("date", json!({"precision": "month", "min": "2026-02", "max": "2026-11-15"}))
        .keeps([json!("2026-02"), json!("2026-11")])
        .refuses(json!("2026-01"), "must not be before 2026-02")
        .refuses(json!("2026-12"), "must not be after 2026-11-15")
        .refuses(json!("0026-03"), "must have a year of four digits, 1000 or later")
        .refuses(json!("2026-03-01"), "must be a date in the format YYYY-MM");
    // Hours that the clock leaves out or has twice are stored as written.
    let minute = Group::of("date", json!({"precision": "minute"}))
        .keeps([json!("2026-03-29 02:30"), json!("2026-10-25 02:30"), json!("2026-11-20 23:59")])
        .refuses(json!("2026-11-20 24:00"), "must be a date in the format YYYY-MM-DD HH:mm")
        .refuses(json!("2026-11-20 10:60"), "must be a date in the format YYYY-MM-DD HH:mm")
        .refuses(json!("2026-11-20T10:00"), "must be a date in the format YYYY-MM-DD HH:mm")
        .refuses(json!("2026-11-20 10:00:00"), "must be a date in the format YYYY-MM-DD HH:mm")
        .refuses(json!("2026-11-20 10:00Z"), "must be a date in the format YYYY-MM-DD HH:mm")
        .refuses(json!("2026-11-20"), "must be a date in the format YYYY-MM-DD HH:mm");
    let second = Group::of("date", json!({"precision": "second", "min": "2026-11-20 10:00:30"}))
        .keeps([json!("2026-11-20 10:00:30"), json!("2026-12-31 23:59:59")])
        .refuses(json!("2026-11-20 10:00:29"), "must not be before 2026-11-20 10:00:30")
        .refuses(json!("2026-12-31 23:59:60"), "must be a date in the format YYYY-MM-DD HH:mm:ss")
        .refuses(json!("2026-12-31 23:59:59.5"), "must be a date in the format YYYY-MM-DD HH:mm:ss");
    vec![day, month, minute, second, time(), time_with_seconds()]
}

fn time() -> Group {
    let shape = "must be an object with hour and minute";
    let whole = "must be a whole number";
    Group::of("time", json!({}))
        .keeps([json!({"hour": 0, "minute": 0}), json!({"hour": 23, "minute": 59})])
        .takes(json!({"hour": 9.0, "minute": 5, "second": "ignored", "zone": 1}), json!({"hour": 9, "minute": 5}))
        .takes(json!({"minute": 30, "hour": 10}), json!({"hour": 10, "minute": 30}))
        .takes(json!({"hour": null, "minute": null}), json!(null))
        .takes(json!({}), json!(null))
        .refuses(json!("09:05"), shape)
        .refuses(json!(905), shape)
        .refuses(json!([9, 5]), shape)
        .refuses(json!(true), shape)
        .refuses(json!({"hour": 9}), ".minute: can't be blank")
        .refuses(json!({"minute": 5, "hour": null}), ".hour: can't be blank")
        .refuses(json!({"hour": "9", "minute": 5}), &format!(".hour: {whole}"))
        .refuses(json!({"hour": 9, "minute": 5.5}), &format!(".minute: {whole}"))
        .refuses(json!({"hour": 24, "minute": 0}), ".hour: must be 0 to 23")
        .refuses(json!({"hour": -1, "minute": 0}), ".hour: must be 0 to 23")
        .refuses_for(json!({"hour": 99, "minute": 60}), &[".hour: must be 0 to 23", ".minute: must be 0 to 59"])
}

fn time_with_seconds() -> Group {
    Group::of("time", json!({"include_second": true}))
        .keeps([json!({"hour": 23, "minute": 59, "second": 58})])
        // A coarser time is that point.
        .takes(json!({"hour": 9, "minute": 5}), json!({"hour": 9, "minute": 5, "second": 0}))
        .refuses(json!({"hour": 9, "minute": 5, "second": 60}), ".second: must be 0 to 59")
        .refuses_for(json!({"second": 5}), &[".hour: can't be blank", ".minute: can't be blank"])
        .refuses(json!({"hour": 9, "minute": 5, "second": []}), ".second: must be a whole number")
}
