//! Pictures on form pages: drawn, in the size that their place needs, without moving the parts around them.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use serde_json::{Value, json};
use support::{Caller, Form, Server};

use crate::driver::steps::NOTHING;
use crate::driver::webdriver::{Browser, Look};
use crate::looks::look_at;

/// Hills under a sky of this colour.
pub fn scene(width: u32, height: u32, sky: [u8; 3]) -> Vec<u8> {
    let hills = |x: f32| (x * 9.0).sin() * 0.08 + (x * 23.0).sin() * 0.03 + 0.65;
    let image = RgbImage::from_fn(width, height, |x, y| {
        let (across, down) = (x as f32 / width as f32, y as f32 / height as f32);
        let light = 1.0 - down * 0.35;
        let sun = (across - 0.7).hypot((down - 0.3) * height as f32 / width as f32) < 0.07;
        let grain = (x * 7 + y * 13) % 9;
        let colour = match (down > hills(across), sun) {
            (true, _) => [46.0, 74.0 + 40.0 * (1.0 - down), 66.0],
            (false, true) => [255.0, 244.0, 214.0],
            (false, false) => sky.map(|part| f32::from(part) * light),
        };
        Rgb(colour.map(|part| (part as u8).saturating_sub(grain as u8)))
    });
    let mut out = Cursor::new(Vec::new());
    DynamicImage::ImageRgb8(image).write_to(&mut out, ImageFormat::Jpeg).expect("encoded");
    out.into_inner()
}

pub fn uploaded(owner: &Caller, purpose: &str, bytes: &[u8]) -> Value {
    let body = json!({
        "purpose": purpose, "file_name": "a.jpg", "content_type": "image/jpeg", "file_size": bytes.len(),
    });
    let prepared = owner.post("/api/v1/attachments", body).data();
    let url = prepared["upload_url"].as_str().expect("an address");
    let path = url.strip_prefix(&owner.base).expect("ours");
    let sent = owner.send("PUT", path, Some("image/jpeg"), bytes);
    assert_eq!(sent.status, 200, "{sent}");
    json!({"upload_id": prepared["upload_id"]})
}

fn pictured(owner: &Caller, layout: &str) -> Form {
    let skies = [[120, 170, 220], [235, 170, 120], [150, 130, 200], [110, 190, 170]];
    let of = |purpose: &str, i: usize, (width, height)| {
        uploaded(owner, purpose, &scene(width, height, skies[i % skies.len()]))
    };
    let choice = |label: &str, i: usize, size| json!({"label": label, "image": of("choice_image", i, size)});
    let note = of("rich_text_image", 1, (900, 300));
    let asked = json!({"upload_ids": [note["upload_id"]]});
    let shown = owner.post("/api/v1/attachment_commitments", asked).data();
    let url = shown[0]["image_url"].as_str().expect("an address").to_owned();
    let quota = json!({"kind": "weekly", "weekly_quotas": [{"weekday": 1, "quota": 5}, {"weekday": 4, "quota": 5}]});
    let room = |name: &str, i: usize| json!({"name": name, "images": [of("booking_image", i, (800, 600))], "quota_setting": quota});
    let form = owner.form_with(json!({
        "name": "A weekend in the hills", "layout": layout,
        "description": "Two nights, three walks, one lake.",
        "fields": [
            {"type": "description", "label": "The house", "content": format!("<p>It stands above the lake.</p><p><img src=\"{url}\" alt=\"The house in the evening\"></p>")},
            {"type": "image_radio", "label": "Which walk do you like best?", "required": true, "choices": [
                choice("Ridge", 0, (1000, 750)), choice("Lake shore", 1, (600, 900)), choice("The long way over the pass", 2, (1600, 500)),
            ]},
            {"type": "image_checkbox", "label": "What would you like to see?", "choices": [
                choice("Falls", 3, (400, 300)), choice("Mill", 1, (300, 200)), {"label": "None of it"},
            ]},
            {"type": "product", "label": "To take along", "goods_items": [
                {"name": "Map", "price": 9, "description": "1 : 25,000, on paper that does not mind rain.", "images": [of("product_image", 0, (700, 700))]},
                {"name": "Shirt", "price": 25, "images": [of("product_image", 1, (900, 600)), of("product_image", 2, (600, 900))],
                    "dimensions": [{"name": "Size", "options": [{"name": "S"}, {"name": "M"}, {"name": "L"}]}]},
                {"name": "Postcard", "price": 1, "images": []},
            ]},
            {"type": "booking", "label": "Where do you sleep?", "reservation_items": [room("Room to the lake", 0), room("Room to the woods", 3)]},
            {"type": "booking", "label": "The sauna", "reservation_items": [room("Sauna", 2)]},
        ],
    }));
    let theme = json!({
        "header": {"type": "image", "images": [of("header_image", 0, (2000, 700))]},
        "wallpaper": {"image": of("wallpaper_image", 2, (2400, 1500))},
    });
    let done = owner.patch(format!("{}/theme", form.path()), theme);
    assert_eq!(done.status, 200, "{done}");
    form
}

/// Brings every picture near, and waits until all are there.
fn all_there(browser: &Browser) {
    browser.run("for (const img of document.images) img.loading = 'eager'");
    browser.until("[...document.images].every(img => img.complete)");
    let broken = browser.run(
        "return [...document.images].filter(img => img.checkVisibility() && !img.naturalWidth).map(img => img.src)",
    );
    assert_eq!(broken, json!([]));
}

#[test]
fn pictures_are_drawn_where_they_belong() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let form = pictured(&owner, "classic");
    let browser = Browser::open(Look::PHONE);
    browser.go(&format!("{}{}", server.base, form.page()));
    browser.until("document.readyState === 'complete'");
    let count = browser.run("return document.images.length");
    assert_eq!(count, json!(13));
    // Room is reserved for pictures that are yet to come.
    let flat = browser.run("return [...document.images].filter(img => img.getBoundingClientRect().height < 40).length");
    assert_eq!(flat, json!(0));
    all_there(&browser);
    assert!(browser.shifted() < 0.01, "{}", browser.shifted());
    // A telephone gets small ones.
    let own = browser.run("return document.querySelector('.choice img').currentSrc.split('?')[1]");
    assert!([json!("w=320"), json!("w=640")].contains(&own), "{own}");
    let paper = browser.run("return getComputedStyle(document.body, '::before').backgroundImage");
    assert!(paper.to_string().contains("?w=1280"), "{paper}");
    let alt = browser.run("return document.querySelector('.rich-text img').alt");
    assert_eq!(alt, "The house in the evening");
    // A picture is a place to press.
    browser.run("document.querySelectorAll('.choice img')[1].click()");
    let chosen = browser.run("return document.querySelectorAll('.choice input')[1].checked");
    assert_eq!(chosen, json!(true));
    assert_eq!(browser.complaints(), NOTHING);
}

#[test]
fn pictures_in_every_light() {
    if !Browser::is_installed() {
        return;
    }
    let server = Server::shared();
    let owner = server.user();
    let browser = Browser::open(Look::DESK);
    for layout in ["classic", "card"] {
        let form = pictured(&owner, layout);
        let address = format!("{}{}", server.base, form.page());
        look_at(&browser, &format!("pictures-{layout}"), &address);
    }
}
