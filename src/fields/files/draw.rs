//! Controls that choose files and show those already there.

use maud::{Markup, html};

use crate::base::json::Json;
use crate::base::text::texts::Texts;
use crate::fields::display::local_number;
use crate::fields::files::name;
use crate::fields::files::stored_file::StoredFile;
use crate::fields::inputs;
use crate::fields::kind::InputCx;

/// The ids of files in a write shape: strings, or objects with an id.
fn tokens(given: &Json) -> Vec<&str> {
    let items = match given {
        Json::Array(items) => items.as_slice(),
        other => std::slice::from_ref(other),
    };
    let named = items.iter().map(|item| {
        let named = item.get("upload_id").or_else(|| item.get("id"));
        named.unwrap_or(item)
    });
    named.filter_map(Json::as_str).collect()
}

/// The files already there, each with a ticked check box: clearing it removes the file.
pub fn kept_files(cx: &InputCx, given: &Json) -> Markup {
    let found = &cx.cx.found.files;
    let files = tokens(given).into_iter();
    let files: Vec<_> = files.filter_map(|token| Some((token, found.named(token)?))).collect();
    if files.is_empty() {
        return html! {};
    }
    html! {
        ul.kept-files aria-label=(cx.texts.say("file-kept")) {
            @for (token, file) in &files {
                @let size = StoredFile::of(file).file_size.unwrap_or_default();
                li {
                    label.kept-file {
                        input type="checkbox" name=(cx.name) value=(token) checked data-name=(name(file))
                            data-size=(size);
                        bdi.file-name { (name(file)) }
                        span.file-size.muted { (size_words(size, cx.texts)) }
                    }
                }
            }
        }
        p.kept-hint.muted.small { (cx.texts.say("file-kept-hint")) }
    }
}

/// A size as people read it.
pub fn size_words(bytes: u64, texts: &Texts) -> String {
    let shown = |number: String| local_number::show(&number, texts.locale());
    match bytes {
        0..1024 => {
            let count = i64::try_from(bytes).unwrap_or_default();
            texts.fill("file-bytes", &[("count", count.into())])
        }
        1024..1_048_576 => format!("{} kB", shown(((bytes + 512) / 1024).to_string())),
        _ => {
            let tenths = (bytes * 10 + (1 << 19)) >> 20;
            let number = match (tenths / 10, tenths % 10) {
                (whole, 0) => whole.to_string(),
                (whole, tenth) => format!("{whole}.{tenth}"),
            };
            format!("{} MB", shown(number))
        }
    }
}

/// The input for a file and its texts.
pub struct FileInput<'a> {
    /// Its own label, inside a group.
    pub label: Option<&'a str>,
    /// The `accept` attribute.
    pub accept: Option<&'a str>,
    /// Whether several files may be chosen.
    pub is_multiple: bool,
    /// The label of the button that the script puts in the control's place; `None` if the control stays.
    pub button: Option<&'a str>,
    /// The accepted files, for people; may be empty.
    pub hint: &'a str,
}

pub fn input(cx: &InputCx, file: &FileInput) -> Markup {
    let hint = (!file.hint.is_empty()).then(|| format!("{}-hint", cx.name));
    let described = [inputs::described_by(cx), hint.as_deref()];
    let described: Vec<&str> = described.into_iter().flatten().collect();
    let described = (!described.is_empty()).then(|| described.join(" "));
    html! {
        @if let Some(label) = file.label { label.part-label for=(cx.name) { (label) } }
        div.file-picker {
        input.file-input type="file" id=(cx.name) name=(cx.name) accept=[file.accept]
            multiple[file.is_multiple] required[cx.required] aria-invalid=[cx.invalid.then_some("true")]
            aria-describedby=[described];
        @if let Some(words) = file.button { label.file-pick.button.quiet for=(cx.name) { (words) } }
        }
        @if let Some(id) = hint { p.file-hint.muted.small id=(id) { (file.hint) } }
    }
}
