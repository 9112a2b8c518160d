//! Content of mail: parts in the reader's language, drawn as text and as HTML.

pub mod account;
mod calendar_file;
pub mod entry;
pub mod facts;
pub mod notice;
pub mod respondent;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::base::text::texts::Texts;
use crate::fields::texts::plain_text;
use crate::model::outbox::{MailFile, Message};

/// Subjects are cut at this many characters.
const LONGEST_SUBJECT: usize = 200;

const BODY: &str = "margin:0;padding:24px 16px;background:#ffffff;color:#1c1f23;\
     font:16px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,'PingFang SC','Microsoft YaHei',sans-serif";
const COLUMN: &str = "max-width:600px;margin:0 auto";
const BUTTON: &str = "display:inline-block;padding:10px 18px;border-radius:6px;background:#1d4ed8;\
     color:#ffffff;text-decoration:none;font-weight:600";
const LEAD: &str = "margin:0 0 16px;font-size:18px;line-height:1.4;font-weight:600";
const CARD: &str = "margin:0 0 16px;padding:12px 16px;border-radius:8px;background:#f3f5f8";
const CARD_LINE: &str = "margin:4px 0 0";
const TABLE: &str = "width:100%;margin:0 0 16px;border-collapse:collapse";
const QUESTION: &str = "width:36%;padding:8px 12px 8px 0;border-top:1px solid #d8dee4;color:#57606a;font-weight:400;\
     font-size:14px;line-height:24px;text-align:start;vertical-align:top";
const ANSWER: &str = "padding:8px 0;border-top:1px solid #d8dee4;vertical-align:top";
const ANSWER_LINE: &str = "margin:0;white-space:pre-line";
const PRICED: &str = "padding:6px 12px 6px 0;border-bottom:1px solid #d8dee4;font-weight:400;text-align:start";
const PRICE: &str = "padding:6px 0;border-bottom:1px solid #d8dee4;text-align:end;white-space:nowrap;\
     font-variant-numeric:tabular-nums";
const LAST_PRICED: &str = "padding:8px 12px 8px 0;font-size:18px;font-weight:600;text-align:start";
const LAST_PRICE: &str = "padding:8px 0;font-size:18px;font-weight:600;text-align:end;white-space:nowrap;\
     font-variant-numeric:tabular-nums";
const NOTE: &str = "margin:24px 0 0;color:#57606a;font-size:14px";

/// A part of a letter.
pub enum MailPart {
    /// The subject of the letter, in a sentence or two.
    Lead(String),
    Paragraph(String),
    Booking(Booking),
    /// An order, and its costs.
    Prices(Vec<PriceLine>),
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

/// Something that is booked.
pub struct Booking {
    pub item: String,
    /// Its lines.
    pub when: Vec<String>,
    /// Number of places, if several.
    pub places: Option<String>,
    pub is_cancelled: bool,
}

/// A line of an order, or a sum.
pub struct PriceLine {
    pub label: String,
    pub amount: String,
    /// True for the sum to pay.
    pub is_last: bool,
}

/// A letter before it is drawn.
pub struct Letter {
    pub texts: &'static Texts,
    pub subject: String,
    pub parts: Vec<MailPart>,
    /// The page that ends letters like this one.
    pub unsubscribe: Option<String>,
    pub files: Vec<MailFile>,
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
            files: self.files,
        }
    }
}

impl Booking {
    fn lines(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.item).chain(&self.when).chain(&self.places)
    }

    fn html(&self) -> Markup {
        let struck = if self.is_cancelled { ";text-decoration:line-through;color:#57606a" } else { "" };
        html! {
            div dir="auto" style=(CARD) {
                @for (nth, line) in self.lines().enumerate() {
                    @if nth == 0 {
                        p dir="auto" style={ "margin:0" (struck) } { strong { (line) } }
                    } @else {
                        p dir="auto" style={ (CARD_LINE) (struck) } { (line) }
                    }
                }
            }
        }
    }
}

impl PriceLine {
    fn html(&self) -> Markup {
        let (label, amount) = if self.is_last { (LAST_PRICED, LAST_PRICE) } else { (PRICED, PRICE) };
        html! {
            tr {
                th scope="row" dir="auto" style=(label) { (self.label) }
                td style=(amount) { (self.amount) }
            }
        }
    }
}

impl MailPart {
    fn text(&self) -> String {
        match self {
            Self::Lead(text) | Self::Paragraph(text) | Self::Note(text) => text.clone(),
            Self::Booking(booking) => booking.lines().map(String::as_str).collect::<Vec<_>>().join("\n"),
            Self::Prices(lines) => {
                let one = |line: &PriceLine| format!("{}: {}", line.label, line.amount);
                lines.iter().map(one).collect::<Vec<_>>().join("\n")
            }
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
                Self::Lead(text) => p dir="auto" style=(LEAD) { (text) },
                Self::Paragraph(text) => p dir="auto" style="margin:0 0 16px" { (text) },
                Self::Booking(booking) => (booking.html()),
                Self::Prices(lines) => table style=(TABLE) { @for line in lines { (line.html()) } },
                Self::Rich(rich) => div dir="auto" { (PreEscaped(rich)) },
                Self::Link(words, address) => {
                    p style="margin:24px 0" { a href=(address) style=(BUTTON) { (words) } }
                },
                Self::Answers(answers) => table style=(TABLE) {
                    @for (question, lines) in answers {
                        tr {
                            th scope="row" dir="auto" style=(QUESTION) { (question) }
                            td style=(ANSWER) {
                                @for line in lines { p dir="auto" style=(ANSWER_LINE) { (line) } }
                            }
                        }
                    }
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

/// A subject: one line without control characters and direction marks, fit for a header.
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
            files: Vec::new(),
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
