//! Actions of buttons on the parts of a question: adding, removing, moving and sorting them.

use serde_json::{Map, json};

use crate::base::json::Json;
use crate::base::text;
use crate::fields::kind::KindRow;
use crate::fields::kinds::by_name;
use crate::fields::panel::{Control, Shape, column_controls, controls, is_line, line_of, plan, variants};

/// Most days of a week that has places from the start.
const WORKDAYS: i64 = 5;

/// Performs the action that a button names in a definition: `choices.add`, `choices[2].remove`, `choices[2].up`,
/// `choices[2].down`, `choices.sort`, `choices.reverse`, `dimensions.add-radio`, `….daily_time_range_quotas.week`.
/// Returns whether the action exists.
pub fn act(row: &'static KindRow, definition: &mut Json, action: &str) -> bool {
    let Some((place, verb)) = action.rsplit_once('.') else {
        return false;
    };
    let (list, at) = match place.strip_suffix(']').and_then(|place| place.rsplit_once('[')) {
        Some((list, at)) => (list, at.parse::<usize>().ok()),
        None => (place, None),
    };
    let Some(shape) = shape_at(row, definition, list) else {
        return false;
    };
    if let Some(new) = fresh_part(&shape, verb).filter(|_| at.is_none()) {
        if let Some(items) = list_at(definition, list).and_then(Json::as_array_mut) {
            items.push(new);
        }
        return true;
    }
    let Some(items) = at_path_mut(definition, list).and_then(Json::as_array_mut) else {
        return false;
    };
    match (verb, at) {
        ("remove", Some(at)) if at < items.len() => drop(items.remove(at)),
        ("up", Some(at)) if at > 0 && at < items.len() => items.swap(at, at - 1),
        ("down", Some(at)) if at + 1 < items.len() => items.swap(at, at + 1),
        ("sort", None) => items.sort_by_cached_key(|item| text::fold(line_of(item))),
        ("reverse", None) => items.reverse(),
        ("week" | "workdays", None) if shape == Shape::Slots => plan::copy_monday(items, verb == "week"),
        _ => return false,
    }
    prune_variants(row, definition);
    true
}

/// Takes away the variants of options that are gone.
fn prune_variants(row: &'static KindRow, definition: &mut Json) {
    for control in controls(row) {
        let Shape::Rows(inner) = &control.shape else {
            continue;
        };
        let Some(set) = inner.iter().find(|inner| inner.shape == Shape::Variants) else {
            continue;
        };
        let goods = definition.get_mut(&control.key).and_then(Json::as_array_mut);
        for good in goods.into_iter().flatten().filter_map(Json::as_object_mut) {
            if good.contains_key(&set.key) {
                let kept = variants::read(None, good);
                good.insert(set.key.clone(), kept);
            }
        }
    }
}

/// The shape of the list at a path of a definition.
fn shape_at(row: &'static KindRow, definition: &Json, path: &str) -> Option<Shape> {
    let mut own = controls(row);
    let (mut shape, mut part) = (None, definition);
    for step in steps(path) {
        match (step.parse::<usize>(), shape.take()) {
            (Ok(at), Some(Shape::Rows(inner))) => {
                own = inner;
                part = part.get(at)?;
            }
            (Ok(at), Some(Shape::Columns(_))) => {
                part = part.get(at)?;
                own = column_controls(by_name(part["type"].as_str()?)?);
            }
            (Err(_), before) => {
                if let Some(Shape::Group(inner)) = before {
                    own = inner;
                }
                shape = Some(own.iter().find(|control| control.key == step)?.shape.clone());
                part = part.get(step).unwrap_or(&Json::Null);
            }
            _ => return None,
        }
    }
    shape
}

/// A new part of a list; `None` where the verb adds none.
fn fresh_part(shape: &Shape, verb: &str) -> Option<Json> {
    match (shape, verb.split_once('-')) {
        (Shape::Rows(inner), None) if verb == "add" => Some(fresh(inner)),
        (Shape::Slots, None) if verb == "add" => Some(first_slot()),
        (Shape::Columns(kinds), Some(("add", kind))) if kinds.iter().any(|known| known == kind) => {
            Some(json!({"type": kind, "label": ""}))
        }
        _ => None,
    }
}

/// A new time of a plan.
pub fn first_slot() -> Json {
    json!({"weekday": 1, "start_time": "09:00", "end_time": "10:00"})
}

/// A new part with these properties: its line is empty, and what it can't do without has a first value.
pub fn fresh(controls: &[Control]) -> Json {
    let first = |control: &Control| match &control.shape {
        Shape::Line { .. } if is_line(&control.key) => Some(json!("")),
        Shape::Group(inner) => Some(fresh(inner)),
        Shape::Week => Some((1..=WORKDAYS).map(|day| json!({"weekday": day})).collect()),
        // A plan is one of days until it is one of times.
        Shape::Word(words) => words.first().map(|word| json!(word)),
        _ => None,
    };
    let members = controls.iter().filter_map(|control| Some((control.key.clone(), first(control)?)));
    Json::Object(members.collect::<Map<_, _>>())
}

fn steps(path: &str) -> impl Iterator<Item = &str> {
    path.split(['.', '[']).map(|step| step.trim_end_matches(']'))
}

/// The value at a path of a definition, `goods_items[0].dimensions`.
pub fn at_path<'j>(definition: &'j Json, path: &str) -> Option<&'j Json> {
    steps(path).try_fold(definition, |part, step| match step.parse::<usize>() {
        Ok(at) => part.get(at),
        Err(_) => part.get(step),
    })
}

/// The same, to change it.
pub fn at_path_mut<'j>(definition: &'j mut Json, path: &str) -> Option<&'j mut Json> {
    steps(path).try_fold(definition, |part, step| match step.parse::<usize>() {
        Ok(at) => part.get_mut(at),
        Err(_) => part.get_mut(step),
    })
}

/// Whether the value at a path is, or may become, a list of parts with lines of their own.
pub fn is_list(row: &'static KindRow, definition: &Json, path: &str) -> bool {
    matches!(shape_at(row, definition, path), Some(Shape::Rows(_)))
}

/// The list at a path, which is made if it is not there yet.
pub fn list_at<'j>(definition: &'j mut Json, path: &str) -> Option<&'j mut Json> {
    let (owner, key) = match path.rsplit_once('.') {
        Some((owner, key)) => (at_path_mut(definition, owner)?, key),
        None => (definition, path),
    };
    Some(owner.as_object_mut()?.entry(key).or_insert_with(|| json!([]))).filter(|list| list.is_array())
}

/// A place of a question that has a picture, or several.
#[derive(Clone, Debug, PartialEq)]
pub struct PicturePlace {
    pub path: String,
    /// The label of the part.
    pub label: String,
    pub is_list: bool,
}

/// The places of a question's pictures.
pub fn picture_places(row: &'static KindRow, definition: &Json) -> Vec<PicturePlace> {
    let mut out = Vec::new();
    add_places(&controls(row), definition, "", &mut out);
    out
}

fn add_places(controls: &[Control], part: &Json, prefix: &str, out: &mut Vec<PicturePlace>) {
    for control in controls {
        let path = format!("{prefix}{}", control.key);
        let items = part[&control.key].as_array().map_or(&[][..], Vec::as_slice).iter().enumerate();
        match &control.shape {
            Shape::Pictures { is_list } => {
                out.push(PicturePlace { path, label: line_of(part).to_owned(), is_list: *is_list });
            }
            Shape::Rows(inner) => items.for_each(|(at, item)| add_places(inner, item, &format!("{path}[{at}]."), out)),
            Shape::Columns(_) => items.for_each(|(at, item)| {
                let own = item["type"].as_str().and_then(by_name).map(column_controls).unwrap_or_default();
                add_places(&own, item, &format!("{path}[{at}]."), out);
            }),
            _ => {}
        }
    }
}
