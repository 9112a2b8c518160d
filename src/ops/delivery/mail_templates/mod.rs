//! What mail says: parts in the reader's language, drawn as text and as HTML.

pub mod account;
pub mod entry;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::base::text::texts::Texts;
use crate::fields::texts::plain_text;
use crate::model::outbox::Message;

/// Subjects are cut at so many characters.
const LONGEST_SUBJECT: usize = 200;

const BODY: &str = "margin:0;padding:24px 16px;background:#ffffff;color:#1c1f23;\
     font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'PingFang SC','Microsoft YaHei',sans-serif";
const COLUMN: &str = "max-width:600px;margin:0 auto";
const BUTTON: &str = "display:inline-block;padding:10px 18px;border-radius:6px;background:#1d4ed8;\
     color:#ffffff;text-decoration:none;font-weight:600";
const QUESTION: &str = "margin:16px 0 0;color:#57606a;font-size:14px";
const ANSWER: &str = "margin:0;white-space:pre-line";
const NOTE: &str = "margin:24px 0 0;color:#57606a;font-size:14px";

/// A part of a letter.
pub enum MailPart {
    Paragraph(String),
    /// Sanitised rich text of a form's owner.
    Rich(String),
    /// The words of a button, and where it leads.
    Link(String, String),
    /// Questions, each with the lines of its answer.
    Answers(Vec<(String, Vec<String>)>),
    /// Small print.
    Note(String),
    /// Small print with a link: its words, and where it leads.
    NoteLink(String, String),
}

/// A letter before it is drawn.
pub struct Letter {
    pub texts: &'static Texts,
    pub subject: String,
    pub parts: Vec<MailPart>,
    /// The page that ends letters like this one.
    pub unsubscribe: Option<String>,
}

impl Letter {
    pub fn message(self) -> Message {
        let subject = one_line(&self.subject);
        let texts: Vec<String> = self.parts.iter().map(MailPart::text).collect();
        let html = html! {
            (DOCTYPE)
            html lang=(self.texts.locale()) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (subject) }
                }
                body style=(BODY) {
                    div style=(COLUMN) { @for part in &self.parts { (part.html()) } }
                }
            }
        };
        Message {
            subject,
            text: format!("{}\n", texts.join("\n\n")),
            html: html.into_string(),
            unsubscribe: self.unsubscribe,
        }
    }
}

impl MailPart {
    fn text(&self) -> String {
        match self {
            Self::Paragraph(text) | Self::Note(text) => text.clone(),
            Self::Rich(rich) => plain_text::of(rich),
            Self::Link(words, address) | Self::NoteLink(words, address) => {
                format!("{words}:\n{address}")
            }
            Self::Answers(answers) => {
                let one = |(question, lines): &(String, Vec<String>)| {
                    let lines = lines.iter().flat_map(|line| line.lines());
                    let lines: Vec<String> = lines.map(|line| format!("  {line}")).collect();
                    format!("{question}\n{}", lines.join("\n"))
                };
                answers.iter().map(one).collect::<Vec<_>>().join("\n\n")
            }
        }
    }

    fn html(&self) -> Markup {
        html! {
            @match self {
                Self::Paragraph(text) => p dir="auto" style="margin:0 0 16px" { (text) },
                Self::Rich(rich) => div dir="auto" { (PreEscaped(rich)) },
                Self::Link(words, address) => {
                    p style="margin:24px 0" { a href=(address) style=(BUTTON) { (words) } }
                },
                Self::Answers(answers) => @for (question, lines) in answers {
                    p dir="auto" style=(QUESTION) { (question) }
                    @for line in lines { p dir="auto" style=(ANSWER) { (line) } }
                },
                Self::Note(text) => p dir="auto" style=(NOTE) { (text) },
                Self::NoteLink(words, address) => p style=(NOTE) { a href=(address) { (words) } },
            }
        }
    }
}

/// The service's address as people write it.
fn site(base_url: &str) -> &str {
    base_url.split_once("://").map_or(base_url, |(_, rest)| rest)
}

/// A subject: one line without controls and marks that turn its direction, of which headers may be made.
fn one_line(text: &str) -> String {
    let is_odd = |c: char| {
        c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    let plain: String = text.chars().map(|c| if is_odd(c) { ' ' } else { c }).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    words.join(" ").chars().take(LONGEST_SUBJECT).collect()
}

#[cfg(test)]
mod tests {
    use crate::base::text::texts;

    use super::*;

    #[test]
    fn a_subject_is_one_line() {
        assert_eq!(one_line("Hi\r\nBcc: eve@example.org\u{2028}x\u{202e}y\0z  w "), "Hi Bcc: eve@example.org x y z w");
        assert_eq!(one_line(&"é".repeat(500)), "é".repeat(LONGEST_SUBJECT));
    }

    #[test]
    fn both_parts_say_the_same() {
        let letter = Letter {
            texts: texts::texts("en"),
            subject: "A <b> & c".to_owned(),
            parts: vec![
                MailPart::Paragraph("1 < 2".to_owned()),
                MailPart::Rich("<p>Rich &amp; <strong>bold</strong></p>".to_owned()),
                MailPart::Link("Open".to_owned(), "https://x.org/?a=1&b=2".to_owned()),
                MailPart::Answers(vec![("Name?".to_owned(), vec!["<i>Ada".to_owned(), "L\nM".to_owned()])]),
                MailPart::Note("Bye".to_owned()),
            ],
            unsubscribe: None,
        };
        let message = letter.message();
        assert_eq!(
            message.text,
            "1 < 2\n\nRich & bold\n\nOpen:\nhttps://x.org/?a=1&b=2\n\nName?\n  <i>Ada\n  L\n  M\n\nBye\n"
        );
        for part in [
            "1 &lt; 2",
            "<p>Rich &amp; <strong>bold</strong></p>",
            "href=\"https://x.org/?a=1&amp;b=2\"",
            "&lt;i&gt;Ada",
            "<title>A &lt;b&gt; &amp; c</title>",
        ] {
            assert!(message.html.contains(part), "{part}: {}", message.html);
        }
    }
}
