//! Link previews for other programs (Open Graph): only of forms that are open to all, and no more than the page
//! shows.

use crate::base::config::Config;
use crate::model::settings::OnePer;
use crate::ops::forms::published::Published;
use crate::web::pages::form::{address, single_response};
use crate::web::pages::ui::layout::Preview;
use crate::web::pages::ui::theme::Theme;

/// All programs with previews cut longer texts.
const MAX_DESCRIPTION: usize = 200;
const IMAGE_WIDTH: u32 = 1280;

/// Of a form's page; of one in its place the name alone.
pub fn of(config: &Config, published: &Published, theme: &Theme) -> Option<Preview> {
    let form = &published.form;
    if published.has_password() || single_response::of(published) == OnePer::Account {
        return None;
    }
    let is_shown = published.shows_fields();
    let text = form.description.as_deref().unwrap_or_default();
    let words: Vec<&str> = text.split_whitespace().collect();
    let description = Some(cut(&words)).filter(|text| is_shown && !text.is_empty());
    let image = theme.images.first().filter(|_| is_shown).map(|image| {
        let (path, (width, _)) = (image.path(), image.size());
        let smaller = if width > IMAGE_WIDTH { format!("?w={IMAGE_WIDTH}") } else { String::new() };
        format!("{}{path}{smaller}", config.origin())
    });
    Some(Preview {
        title: form.name.clone(),
        description,
        image,
        address: format!("{}{}", config.origin(), address(config, form.token.as_str())),
    })
}

/// As much of the words as there is room for, up to the end of one.
fn cut(words: &[&str]) -> String {
    let text = words.join(" ");
    if text.chars().count() <= MAX_DESCRIPTION {
        return text;
    }
    let start: String = text.chars().take(MAX_DESCRIPTION - 1).collect();
    // Not every language has blanks between its words.
    let end = start.rfind(' ').filter(|end| end * 2 > start.len());
    let kept = start[..end.unwrap_or(start.len())].trim_end_matches([' ', ',', '.', ';', ':']);
    format!("{kept}…")
}
