//! A form's theme (contract section 5).

use serde_json::{Map, json};

use crate::base::json::Json;

/// The theme as reads show it: what was set, over what holds without.
pub fn shown(stored: &Json) -> Json {
    let mut theme = json!({
        "primary_color": "#2563EB",
        "background_color": "#FFFFFF",
        "text_color": "#111827",
        "font": "system",
        "header": {"type": "none", "text": null, "images": []},
        "wallpaper": {"color": null, "image": null},
        "submit_button": {"text": null, "color": null},
    });
    if let (Json::Object(theme), Json::Object(set)) = (&mut theme, stored) {
        merge(theme, set);
    }
    theme
}

fn merge(into: &mut Map<String, Json>, set: &Map<String, Json>) {
    for (key, value) in set {
        match (into.get_mut(key), value) {
            (Some(Json::Object(inner)), Json::Object(set)) => merge(inner, set),
            _ => {
                into.insert(key.clone(), value.clone());
            }
        }
    }
}
