//! The controls of pages as a browser without scripts sends them.

/// A text of a page without its entities.
pub(crate) fn plain(text: &str) -> String {
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&")
}

/// The value of a tag's attribute.
pub(crate) fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    rest.split('"').next().map(plain)
}

/// The value of the input of this name.
pub(crate) fn value_of(page: &str, name: &str) -> Option<String> {
    let tags = page.split('<').filter(|tag| tag.starts_with("input"));
    tags.filter(|tag| attribute(tag, "name").as_deref() == Some(name)).find_map(|tag| attribute(tag, "value"))
}

/// The page without templates for scripts.
fn without_templates(html: &str) -> String {
    let (mut out, mut depth) = (String::new(), 0_usize);
    for (at, part) in html.split("<template").enumerate() {
        depth += usize::from(at > 0);
        let mut rest = part;
        while depth > 0 {
            let Some((_, after)) = rest.split_once("</template>") else {
                break;
            };
            depth -= 1;
            rest = after;
        }
        if depth == 0 {
            out.push_str(rest);
        }
    }
    out
}

/// The post of the chosen question's form, with these changes; an empty value takes a checkbox out.
pub(crate) fn panel(page: &str, code: &str, changes: &[(&str, &str)]) -> Vec<(String, String)> {
    let (_, form) = page.split_once(&format!("/build/fields/{code}\"")).expect("a chosen question");
    sent_by(form.split("</form>").next().expect("its end"), changes)
}

/// The post of a form, with these changes; an empty value takes a checkbox out.
pub(crate) fn sent_by(form: &str, changes: &[(&str, &str)]) -> Vec<(String, String)> {
    let form = without_templates(form);
    let mut pairs = Vec::new();
    let mut select = String::new();
    for part in form.split('<') {
        let (tag, text) = part.split_once('>').unwrap_or((part, ""));
        let name = attribute(tag, "name").unwrap_or_default();
        let word = tag.split([' ', '>']).next().unwrap_or_default();
        match word {
            "select" => select = name,
            "option" if tag.contains(" selected") => {
                pairs.push((select.clone(), attribute(tag, "value").unwrap_or_default()));
            }
            "textarea" => pairs.push((name, plain(text.strip_prefix('\n').unwrap_or(text)))),
            "input" if name.is_empty() || name == "csrf" => {}
            "input" => {
                let kind = attribute(tag, "type").unwrap_or_default();
                if !["checkbox", "radio"].contains(&kind.as_str()) || tag.contains(" checked") {
                    pairs.push((name, attribute(tag, "value").unwrap_or_default()));
                }
            }
            _ => {}
        }
    }
    pairs.retain(|(name, _)| !changes.iter().any(|(changed, _)| changed == name));
    pairs.extend(changes.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    pairs
}
