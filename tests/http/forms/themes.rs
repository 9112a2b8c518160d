//! The theme of a form: colours, a header, a wallpaper and the button that submits.

use serde_json::json;
use support::Server;
use support::refusals::refusals;
use support::steps::simple;

use crate::forms::has;

#[test]
fn theme_has_colours_and_warns_of_weak_contrast() {
    let (owner, form) = simple();
    let path = form.part("theme");
    assert_eq!(
        owner.get(&path).to_string(),
        r##"200 {"data":{"primary_color":"#2563EB","background_color":"#FFFFFF","text_color":"#111827","font":"system","header":{"type":"none","text":null,"images":[]},"wallpaper":{"color":null,"image":null},"submit_button":{"text":null,"color":null}}}"##
    );
    let set = json!({
        "primary_color": "#aa0000", "font": "serif", "header": {"type": "text", "text": "Hi"},
        "wallpaper": {"color": "#EEEEEE"}, "submit_button": {"text": "Go", "color": "#003300"},
    });
    assert_eq!(
        owner.patch(&path, set).to_string(),
        r##"200 {"data":{"primary_color":"#AA0000","background_color":"#FFFFFF","text_color":"#111827","font":"serif","header":{"type":"text","text":"Hi","images":[]},"wallpaper":{"color":"#EEEEEE","image":null},"submit_button":{"text":"Go","color":"#003300"}}}"##
    );
    let weak = owner.patch(&path, json!({"text_color": "#CCCCCC"})).is(200).json()["warnings"].clone();
    let message = "has a contrast of 1.6:1 on background_color; people with low vision need 4.5:1";
    assert_eq!(weak, json!([{"attribute": "text_color", "message": message}]));
    let cleared = json!({"text_color": null, "submit_button": null, "header": {"text": null}});
    has(
        &owner.patch(&path, cleared).data(),
        json!({
            "text_color": "#111827", "submit_button": {"text": null, "color": null},
            "header": {"type": "text", "text": null, "images": []},
        }),
    );
    // Respondents get the same colours.
    let shown = Server::shared().anon().get(form.published()).data();
    assert_eq!(shown["theme"], owner.get(&path).data());
}

#[test]
fn faulty_theme_is_refused_with_paths() {
    let (owner, form) = simple();
    let path = form.part("theme");
    let before = owner.get(&path).data();
    for row in refusals(include_str!("../tables/themes.txt")) {
        let spoilt = row.spoil(&json!({"submit_button": {}}));
        row.check(&owner.patch(&path, json!({row.top(): spoilt[row.top()]})));
    }
    assert_eq!(owner.get(&path).data(), before);
}
