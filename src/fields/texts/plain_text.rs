//! Rich text as plain text, for the text part of mail.

/// Sanitised rich text without its tags: a line for each block, links with their address.
pub fn of(clean: &str) -> String {
    let mut out = String::with_capacity(clean.len());
    let mut link = None;
    let mut rest = clean;
    while !rest.is_empty() {
        let (words, tag) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
        out.push_str(&unescaped(words));
        let Some(end) = tag.find('>') else { break };
        let own = &tag[1..end];
        rest = &tag[end + 1..];
        match own.split(' ').next().unwrap_or_default() {
            "a" => link = attribute(own, "href").map(|address| (address, out.len())),
            "/a" => {
                if let Some((address, from)) = link.take()
                    && out.get(from..).is_none_or(|words| words.trim() != address)
                {
                    out.push_str(&format!(" ({address})"));
                }
            }
            "img" => out.push_str(&attribute(own, "alt").unwrap_or_default()),
            "br" => out.push('\n'),
            "li" => begin_block(&mut out, "- "),
            "p" | "h1" | "h2" | "h3" | "h4" | "blockquote" | "/li" | "/ul" | "/ol" => {
                begin_block(&mut out, "");
            }
            "/p" | "/h1" | "/h2" | "/h3" | "/h4" | "/blockquote" => out.push_str("\n\n"),
            _ => {}
        }
    }
    tidied(&out)
}

/// Begins a line, unless the text is at the beginning of one.
fn begin_block(out: &mut String, mark: &str) {
    let stands_at_start = out.is_empty() || out.ends_with('\n') || out.ends_with("- ");
    if !stands_at_start {
        out.push('\n');
    }
    out.push_str(mark);
}

fn attribute(tag: &str, name: &str) -> Option<String> {
    let (_, rest) = tag.split_once(&format!(" {name}=\""))?;
    let (value, _) = rest.split_once('"')?;
    Some(unescaped(value))
}

/// The sanitiser writes these and no others.
fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&nbsp;", "\u{a0}")
        .replace("&amp;", "&")
}

/// At most one empty line in a row, and none at the ends.
fn tidied(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = 0;
    for line in text.trim().lines().map(str::trim_end) {
        if line.is_empty() {
            blank += 1;
            continue;
        }
        if !out.is_empty() {
            out.push_str(if blank > 0 { "\n\n" } else { "\n" });
        }
        blank = 0;
        out.push_str(line);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_become_lines() {
        for (rich, plain) in [
            ("", ""),
            ("Hi &amp; bye &lt;b&gt; &amp;lt;", "Hi & bye <b> &lt;"),
            ("<p>One</p><p>Two<br>Three</p>", "One\n\nTwo\nThree"),
            ("<h2>List</h2><ul><li>a</li><li><p>b</p></li></ul><p>End</p>", "List\n\n- a\n- b\n\nEnd"),
            (
                "<p>See <a href=\"https://x.org/?a=1&amp;b=2\" rel=\"noopener\">this</a>.</p>",
                "See this (https://x.org/?a=1&b=2).",
            ),
            ("<a href=\"https://x.org\">https://x.org</a>", "https://x.org"),
            ("<img src=\"https://x.org/i\" alt=\"A map\" width=\"1\" height=\"1\">", "A map"),
            ("<strong>open", "open"),
            ("broken <", "broken"),
        ] {
            assert_eq!(of(rich), plain, "{rich}");
        }
    }
}
