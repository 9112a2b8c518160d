//! A kind that is made of one file and one row has its panel drawn at once: nothing here knows it.

use maud::Markup;
use serde_json::json;

use crate::base::issue::Issue;
use crate::base::reason::Reason;
use crate::base::text::texts;
use crate::fields::panel;
use crate::fields::panel::new_kind_tests::ROW;
use crate::web::pages::console::build::linked::Others;
use crate::web::pages::console::build::properties::Properties;
use crate::web::pages::console::build::rich_texts::RichTexts;

#[test]
fn a_new_kind_has_its_panel_with_its_values_and_faults() {
    let body = json!({"type": "slider", "label": "How warm?", "rating_max": 7, "icon": "heart", "multiple": true,
        "unit": "<°C>", "allowed_domains": ["cold", "hot"], "options": [{"label": "Body", "score": 37}, {"label": ""}]});
    let faults = [Issue::new("options[1].label".to_owned(), Reason::Blank)];
    let others = Others::default();
    for locale in texts::locales() {
        let texts = texts::texts(locale);
        let properties = Properties::new(&body, &faults, &others, String::new(), RichTexts::none(texts));
        let (first, more) = properties.draw(&ROW).expect("no rich text, so the store is not asked");
        let drawn: Vec<Markup> = first.into_iter().chain(more).collect();
        let drawn = drawn.into_iter().map(Markup::into_string).collect::<String>();
        let controls = panel::controls(&ROW);
        assert!(controls.len() > 6, "{controls:?}");
        for control in &controls {
            let is_list = matches!(control.shape, panel::Shape::Rows(_));
            let name = if is_list {
                format!("name=\"{}[1].score\"", control.key)
            } else {
                format!("name=\"{}\"", control.key)
            };
            assert!(drawn.contains(&name), "{locale} {}: {drawn}", control.key);
            let label = texts.find(&format!("prop-{}", control.key)).expect("its words");
            assert!(drawn.contains(&label), "{locale} {label}: {drawn}");
        }
        let shown = [
            "value=\"7\"",
            "value=\"&lt;°C&gt;\"",
            "<option value=\"heart\" selected>",
            "cold\nhot</textarea>",
            "value=\"Body\"",
            "value=\"37\"",
        ];
        for shown in shown {
            assert!(drawn.contains(shown), "{locale} {shown}: {drawn}");
        }
        let fault = properties.fault("options[1].label");
        assert!(!fault.is_empty() && drawn.contains(&fault), "{locale} {fault}: {drawn}");
    }
}
