//! Generated entries: the same for the same seed, with a rhythm, and within the capacity.

use super::*;

fn recipe() -> Recipe {
    let recipe = json!({
        "count": 400, "people": "english", "minutes": 2.0,
        "rhythm": {"days": [364, 0], "growth": 2.0, "week": [1, 1, 1, 1, 1, 0.2, 0.1],
            "parts": [0, 1, 1, 1, 3, 1], "rushes": [[300, 12, 4]]},
        "mood": {"mean": 0.6, "spread": 0.2},
        "answers": [
            ["field_1", {"pick": [["good", 1, 0.3], ["bad", 1, -0.3]]}],
            ["field_2", {"score": [0, 10]}],
            ["field_3", {"reservation": {"ahead": 20, "most": 2, "waiting": 3, "slots": [
                {"item": "a", "weight": 1, "weekday": 6, "start": "10:00", "end": "12:00", "places": 5}
            ]}}],
            ["field_4", {"order": [{"code": "a", "share": 0.5, "most": 3, "stock": 20}, {"code": "b", "share": 0.5, "most": 3}]}]
        ]
    });
    serde_json::from_value(recipe).expect("a recipe")
}

fn made_of(recipe: &Recipe, name: &str) -> Vec<Made> {
    let now = Time::parse("2026-11-29T18:00:00Z").expect("a time");
    Generator::new(recipe, name, TimeZone::UTC, now, Vec::new()).entries()
}

fn made(name: &str) -> Vec<Made> {
    made_of(&recipe(), name)
}

#[test]
fn the_same_seed_makes_the_same_entries() {
    let said = |made: Vec<Made>| {
        let entries = made.iter().map(|it| json!([it.at, it.duration_secs, it.values, it.waits]));
        Json::Array(entries.collect())
    };
    assert_eq!(said(made("one")), said(made("one")));
    assert_ne!(said(made("one")), said(made("other")));
}

#[test]
fn a_year_has_its_rhythm() {
    // Nobody leaves because there is no place.
    let mut recipe = recipe();
    recipe.answers.retain(|(code, _)| code != "field_3");
    let made = made_of(&recipe, "one");
    let now = Time::parse("2026-11-29T18:00:00Z").expect("a time");
    assert_eq!(made.len(), 400);
    assert!(made.is_sorted_by_key(|entry| entry.at));
    assert!(made.iter().all(|entry| entry.at < now));
    let days = |from: i64, to: i64| {
        let within = |ago: i64| (to..from).contains(&ago);
        made.iter().filter(|entry| within(now.secs_since(entry.at) / 86_400)).count()
    };
    assert!(days(366, 330) > 0 && days(20, 0) > 0);
    assert!(days(301, 291) > 2 * days(290, 280), "a rush: {} {}", days(301, 291), days(290, 280));
    let weekend =
        made.iter().filter(|it| it.at.timestamp().to_zoned(TimeZone::UTC).weekday().to_monday_one_offset() > 5);
    assert!(weekend.count() < 50);
}

#[test]
fn answers_go_together_and_take_no_more_than_there_is() {
    let made = made("one");
    let mean = |choice: &str| {
        let scores: Vec<f64> = made
            .iter()
            .filter(|entry| entry.values["field_1"] == choice)
            .filter_map(|entry| entry.values["field_2"].as_f64())
            .collect();
        scores.iter().sum::<f64>() / as_float(i64::try_from(scores.len()).expect("few"))
    };
    assert!(mean("good") > mean("bad") + 3.0);
    let mut places: HashMap<String, i64> = HashMap::new();
    for booked in made.iter().filter(|entry| !entry.waits).filter_map(|entry| entry.values["field_3"].get(0)) {
        let day = booked["scheduled_at"].as_str().expect("a time").to_owned();
        *places.entry(day).or_default() += booked["number"].as_i64().expect("a number");
    }
    assert!(places.values().all(|places| *places <= 5));
    assert!((1..=3).contains(&made.iter().filter(|entry| entry.waits).count()));
    let sold = made.iter().flat_map(|entry| entry.values["field_4"].as_array().into_iter().flatten());
    let sold = sold.filter(|line| line["api_code"] == "a").filter_map(|line| line["number"].as_i64());
    assert!((18..=20).contains(&sold.sum::<i64>()));
}
