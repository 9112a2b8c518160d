//! The parts of a query as their forms are posted, in the shape of the API's body, and as the buttons of a part change
//! them. Items of lists are in the order in which they were posted, whatever their numbers.

use serde_json::{Map, json};

use crate::base::json::Json;
use crate::fields::display::local_number;

pub const SEARCH: &str = "search_field_rules";
pub const SHOWN: &str = "display_field_rules";
pub const SCOPE: &str = "scope_conditions";
/// The members of the body that the part of the page has.
pub const PAGE: [&str; 7] =
    ["name", "description", "enabled", "allow_to_export_results", "search_button", "messages", "header"];
/// Beside a display rule: whether the field is ticked.
pub const TICK: &str = "shown";

/// Names and values, in their order.
type Pairs<'p> = Vec<(&'p str, &'p str)>;

/// The pairs of each item of a list, without the list's name and the item's number.
fn items<'p>(pairs: &[(&'p str, &'p str)], list: &str) -> Vec<Pairs<'p>> {
    let mut found: Vec<(&str, Pairs)> = Vec::new();
    for (name, value) in pairs {
        let rest = name.strip_prefix(list).and_then(|rest| rest.strip_prefix('['));
        let Some((number, rest)) = rest.and_then(|rest| rest.split_once("].")) else {
            continue;
        };
        match found.iter_mut().find(|(known, _)| *known == number) {
            Some((_, item)) => item.push((rest, *value)),
            None => found.push((number, vec![(rest, *value)])),
        }
    }
    found.into_iter().map(|(_, item)| item).collect()
}

fn text<'p>(pairs: &[(&'p str, &'p str)], name: &str) -> &'p str {
    pairs.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value)
}

fn or_null(text: &str) -> Json {
    if text.trim().is_empty() { Json::Null } else { json!(text.trim()) }
}

/// The groups that are searched.
pub fn search(pairs: &[(&str, &str)]) -> Json {
    let field = |field: &Pairs| {
        json!({
            "field": text(field, "field"),
            "label": or_null(text(field, "label")),
            "fuzzy": text(field, "fuzzy") == "true",
        })
    };
    let groups = items(pairs, SEARCH);
    let group = |group: &Pairs| {
        let fields: Json = items(group, "fields").iter().map(field).collect();
        json!({"operand": text(group, "operand"), "fields": fields})
    };
    groups.iter().map(group).collect()
}

/// The fields of the display part, with `TICK` beside the members of a rule.
pub fn shown(pairs: &[(&str, &str)], locale: &str) -> Json {
    let row = |row: &Pairs| {
        json!({
            TICK: text(row, TICK) == "true",
            "field": text(row, "field"),
            "label": or_null(text(row, "label")),
            "editable": text(row, "editable") == "true",
            "protected": text(row, "protected") == "true",
            "highlight": highlight(text(row, "highlight.color").trim(), text(row, "highlight.position").trim(), locale),
        })
    };
    let mut rows: Vec<Json> = items(pairs, SHOWN).iter().map(row).collect();
    rows.sort_by_key(|row| row[TICK] != true);
    // A colour without a place has that of its row.
    for (at, row) in rows.iter_mut().enumerate() {
        if row["highlight"]["color"].is_string() && row["highlight"]["position"].is_null() {
            row["highlight"]["position"] = json!(at + 1);
        }
    }
    Json::Array(rows)
}

fn highlight(color: &str, position: &str, locale: &str) -> Json {
    if color.is_empty() && position.is_empty() {
        return Json::Null;
    }
    let mut out = Map::new();
    if !color.is_empty() {
        out.insert("color".to_owned(), json!(color));
    }
    if !position.is_empty() {
        out.insert("position".to_owned(), local_number::of_form(position, locale));
    }
    Json::Object(out)
}

/// The rules among those fields, as the API takes them.
pub fn rules(shown: &Json) -> Json {
    let rows = shown.as_array().into_iter().flatten().filter(|row| row[TICK] == true);
    rows.map(|row| {
        let members = row.as_object().into_iter().flatten().filter(|(key, _)| *key != TICK);
        Json::Object(members.map(|(key, value)| (key.clone(), value.clone())).collect())
    })
    .collect()
}

/// The values of the page part. `image` is the picture that it has by now.
pub fn page(pairs: &[(&str, &str)], image: Option<&str>, locale: &str) -> Json {
    let typed = |name: &str| text(pairs, name).replace("\r\n", "\n");
    let percent = |key: &str| {
        let given = text(pairs, &format!("header.background_image.{key}")).trim();
        if given.is_empty() { Json::Null } else { local_number::of_form(given, locale) }
    };
    let mut out = json!({
        "name": text(pairs, "name").trim(),
        "description": or_null(&typed("description")),
        "enabled": text(pairs, "enabled") == "true",
        "allow_to_export_results": text(pairs, "allow_to_export_results") == "true",
        "search_button": {
            "text": text(pairs, "search_button.text").trim(),
            "color": text(pairs, "search_button.color").trim(),
        },
        "messages": {"has_result": typed("messages.has_result"), "no_result": typed("messages.no_result")},
    });
    if let Some(id) = image {
        let image = json!({"id": id, "position_x": percent("position_x"), "position_y": percent("position_y")});
        out["header"] = json!({ "background_image": image });
    }
    out
}

/// Carries out a button of the search on the groups; returns the group and the field that it adds. `first` is the field
/// of a new line.
pub fn search_after(groups: &mut Json, act: &str, first: &str) -> Option<(usize, usize)> {
    let fresh = || json!({"field": first, "label": null, "fuzzy": false});
    let list = groups.as_array_mut()?;
    let mut words = act.split(':');
    let (name, mut number) = (words.next()?, || words.next()?.parse::<usize>().ok());
    match name {
        "add-group" => {
            list.push(json!({"operand": "and", "fields": [fresh()]}));
            Some((list.len() - 1, 0))
        }
        "remove-group" => {
            let at = number().filter(|at| *at < list.len())?;
            list.remove(at);
            None
        }
        "add-field" => {
            let at = number()?;
            let fields = list.get_mut(at)?["fields"].as_array_mut()?;
            fields.push(fresh());
            Some((at, fields.len() - 1))
        }
        "remove-field" => {
            let fields = list.get_mut(number()?)?["fields"].as_array_mut()?;
            let at = number().filter(|at| *at < fields.len())?;
            fields.remove(at);
            None
        }
        _ => None,
    }
}

/// Carries out a button of the display part: one of the fields goes up or down among those that are ticked. Returns its
/// new place, and the button that was pressed.
pub fn shown_after(fields: &mut Json, act: &str) -> Option<(usize, &'static str)> {
    let list = fields.as_array_mut()?;
    let (name, at) = act.split_once(':')?;
    let at = at.parse::<usize>().ok().filter(|at| list.get(*at).is_some_and(|row| row[TICK] == true))?;
    let (way, to) = if name == "up" { ("up", at.checked_sub(1)?) } else { ("down", at + 1) };
    if list.get(to).is_none_or(|row| row[TICK] != true) {
        return None;
    }
    list.swap(at, to);
    Some((to, way))
}

/// Carries out a button of the picture: it sets the point that stays in view.
pub fn page_after(page: &mut Json, act: &str) {
    let point = act.strip_prefix("point:").and_then(|point| point.split_once(':'));
    let Some((x, y)) = point.and_then(|(x, y)| Some((x.parse::<u8>().ok()?, y.parse::<u8>().ok()?))) else {
        return;
    };
    if let Some(image) = page.pointer_mut("/header/background_image").filter(|image| image.is_object()) {
        image["position_x"] = json!(x);
        image["position_y"] = json!(y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_stand_in_the_order_of_the_page() {
        let pairs = [
            ("search_field_rules[4].operand", "or"),
            ("search_field_rules[4].fields[7].field", "field_2"),
            ("search_field_rules[4].fields[7].fuzzy", "true"),
            ("search_field_rules[4].fields[1].field", "field_1"),
            ("search_field_rules[4].fields[1].label", " Your name "),
            ("search_field_rules[0].operand", "and"),
            ("csrf", "x"),
        ];
        let expected = json!([
            {"operand": "or", "fields": [
                {"field": "field_2", "label": null, "fuzzy": true},
                {"field": "field_1", "label": "Your name", "fuzzy": false},
            ]},
            {"operand": "and", "fields": []},
        ]);
        assert_eq!(search(&pairs), expected);
    }

    #[test]
    fn buttons_add_and_remove_lines() {
        let mut groups = json!([{"operand": "and", "fields": [{"field": "a"}]}]);
        assert_eq!(search_after(&mut groups, "add-field:0", "b"), Some((0, 1)));
        assert_eq!(search_after(&mut groups, "add-group", "b"), Some((1, 0)));
        assert_eq!(groups[0]["fields"][1]["field"], "b");
        assert_eq!(search_after(&mut groups, "remove-field:0:0", "b"), None);
        assert_eq!(groups[0]["fields"].as_array().map(Vec::len), Some(1));
        assert_eq!(search_after(&mut groups, "remove-group:1", "b"), None);
        for nonsense in ["", "remove-group:9", "add-field", "remove-field:0:5", "fly"] {
            assert_eq!(search_after(&mut groups, nonsense, "b"), None, "{nonsense}");
        }
        assert_eq!(groups, json!([{"operand": "and", "fields": [{"field": "b", "label": null, "fuzzy": false}]}]));
    }

    #[test]
    fn ticked_fields_come_first_and_change_places() {
        let pairs = [
            ("display_field_rules[0].field", "a"),
            ("display_field_rules[1].field", "b"),
            ("display_field_rules[1].shown", "true"),
            ("display_field_rules[1].highlight.color", "#112233"),
            ("display_field_rules[2].field", "c"),
            ("display_field_rules[2].shown", "true"),
            ("display_field_rules[2].highlight.position", "x"),
        ];
        let mut fields = shown(&pairs, "en");
        let codes = |fields: &Json| {
            let rows = fields.as_array().expect("rows").iter();
            rows.map(|row| row["field"].as_str().expect("a code").to_owned()).collect::<String>()
        };
        assert_eq!(codes(&fields), "bca");
        assert_eq!(fields[0]["highlight"], json!({"color": "#112233", "position": 1}));
        assert_eq!(fields[1]["highlight"], json!({"position": "x"}), "said to be wrong by the API's own reading");
        assert_eq!(shown_after(&mut fields, "up:1"), Some((0, "up")));
        assert_eq!(codes(&fields), "cba");
        for nowhere in ["up:0", "down:1", "down:2", "up:x", "down"] {
            assert_eq!(shown_after(&mut fields, nowhere), None, "{nowhere}");
        }
        assert_eq!(rules(&fields).as_array().map(Vec::len), Some(2));
        assert_eq!(rules(&fields)[0].get(TICK), None);
    }

    #[test]
    fn a_picture_keeps_its_point() {
        let pairs = [("name", " Look up "), ("description", "a\r\nb"), ("header.background_image.position_x", "12.5")];
        let mut typed = page(&pairs, Some("abc"), "en");
        assert_eq!(typed["description"], "a\nb");
        let image = json!({"id": "abc", "position_x": 12.5, "position_y": null});
        assert_eq!(typed["header"]["background_image"], image);
        page_after(&mut typed, "point:100:0");
        assert_eq!(typed["header"]["background_image"]["position_x"], 100);
        let mut bare = page(&pairs, None, "en");
        page_after(&mut bare, "point:100:0");
        assert_eq!(bare.get("header"), None);
    }
}
