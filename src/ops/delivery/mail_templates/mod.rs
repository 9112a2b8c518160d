//! Content of mail: parts in the reader's language, drawn as text and as HTML.

pub mod account;
mod calendar_file;
pub mod entry;
pub mod facts;
pub mod look;
pub mod notice;
pub mod respondent;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::base::text::texts::Texts;
use crate::fields::texts::plain_text;
use crate::model::outbox::{MailFile, Message};
use crate::ops::delivery::mail_templates::look::Look;

/// Subjects are cut at this many characters.
const LONGEST_SUBJECT: usize = 200;

/// A part of a letter.
pub enum MailPart {
    /// The subject of the letter, in a sentence or two.
    Lead(String),
    Paragraph(String),
    /// A fact beside the subject, such as the entry's number.
    Fact(String),
    Booking(Booking),
    /// An order, and its costs.
    Prices(Vec<PriceLine>),
    /// Sanitised rich text of a form's owner.
    Rich(String),
    /// Ways on, each its words and where it leads. The first is a button.
    Ways(Vec<(String, String)>),
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
    pub look: Look,
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
        let from = self.look.from.iter().cloned();
        let texts: Vec<String> = from.chain(self.parts.iter().map(|part| part.text(self.texts))).collect();
        // The small print at the end is the foot.
        let foot_at = self.parts.iter().rposition(|part| !part.is_note()).map_or(0, |last| last + 1);
        let (parts, foot) = self.parts.split_at(foot_at);
        let html = html! {
            (DOCTYPE)
            html lang=(self.texts.locale()) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (subject) }
                    style { (PreEscaped(look::SHEET)) }
                }
                body.body style=(look::BODY) {
                    div style=(look::COLUMN) {
                        @if let Some(from) = &self.look.from {
                            p.muted.line dir="auto" style=(look::FROM) { (from) }
                        }
                        @for part in parts { (part.html(&self.look)) }
                        @if !foot.is_empty() {
                            div.line style=(look::FOOT) { @for part in foot { (part.html(&self.look)) } }
                        }
                    }
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
        let struck = if self.is_cancelled { look::STRUCK } else { "" };
        html! {
            div.card dir="auto" style=(look::CARD) {
                @for (nth, line) in self.lines().enumerate() {
                    @if nth == 0 {
                        p.muted[self.is_cancelled] dir="auto" style={ "margin:0" (struck) } { strong { (line) } }
                    } @else {
                        p.muted[self.is_cancelled] dir="auto" style={ (look::CARD_LINE) (struck) } { (line) }
                    }
                }
            }
        }
    }
}

impl PriceLine {
    fn html(&self) -> Markup {
        let (label, amount) =
            if self.is_last { (look::LAST_PRICED, look::LAST_PRICE) } else { (look::PRICED, look::PRICE) };
        html! {
            tr {
                th.line scope="row" dir="auto" style=(label) { (self.label) }
                td.line style=(amount) { (self.amount) }
            }
        }
    }
}

impl MailPart {
    fn text(&self, texts: &Texts) -> String {
        match self {
            Self::Lead(text) | Self::Paragraph(text) | Self::Fact(text) | Self::Note(text) => text.clone(),
            Self::Booking(booking) => booking.lines().map(String::as_str).collect::<Vec<_>>().join("\n"),
            Self::Prices(lines) => {
                let one = |line: &PriceLine| texts.labelled(&line.label, &line.amount);
                lines.iter().map(one).collect::<Vec<_>>().join("\n")
            }
            Self::Rich(rich) => plain_text::of(rich),
            Self::Ways(ways) => {
                let one = |(words, address): &(String, String)| above(texts, words, address);
                ways.iter().map(one).collect::<Vec<_>>().join("\n\n")
            }
            Self::NoteLink(words, address) => above(texts, words, address),
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

    fn html(&self, look: &Look) -> Markup {
        html! {
            @match self {
                Self::Lead(text) => h1 dir="auto" style=(look::LEAD) { (text) },
                Self::Paragraph(text) => p dir="auto" style=(look::PARAGRAPH) { (text) },
                Self::Fact(text) => p.muted dir="auto" style=(look::SMALL) { (text) },
                Self::Booking(booking) => (booking.html()),
                Self::Prices(lines) => table style=(look::TABLE) { @for line in lines { (line.html()) } },
                Self::Rich(rich) => div.rich dir="auto" { (PreEscaped(rich)) },
                Self::Ways(ways) => p style=(look::WAYS) {
                    @for (nth, (words, address)) in ways.iter().enumerate() {
                        @if nth == 0 {
                            a.press href=(address) style=(look.button()) { (words) }
                        } @else {
                            " " a.way href=(address) style=(look::WAY) { (words) }
                        }
                    }
                },
                Self::Answers(answers) => table style=(look::TABLE) {
                    @for (question, lines) in answers {
                        tr {
                            th.line.muted scope="row" dir="auto" style=(look::QUESTION) { (question) }
                            td.line style=(look::ANSWER) {
                                @for line in lines { p dir="auto" style=(look::ANSWER_LINE) { (line) } }
                            }
                        }
                    }
                },
                Self::Note(text) => p.muted dir="auto" style=(look::NOTE) { (text) },
                Self::NoteLink(words, address) => p.muted style=(look::NOTE) {
                    a.muted href=(address) style=(look::NOTE_LINK) { (words) }
                },
            }
        }
    }

    fn is_note(&self) -> bool {
        matches!(self, Self::Note(_) | Self::NoteLink(..))
    }
}

/// A link in plain text: its words, and its address on a line of its own.
fn above(texts: &Texts, words: &str, address: &str) -> String {
    format!("{words}{}\n{address}", texts.colon(words).trim_end())
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
            look: Look::default(),
            texts: texts::texts("en"),
            subject: "A <b> & c".to_owned(),
            parts: vec![
                MailPart::Paragraph("1 < 2".to_owned()),
                MailPart::Rich("<p>Rich &amp; <strong>bold</strong></p>".to_owned()),
                MailPart::Ways(vec![("Open".to_owned(), "https://x.org/?a=1&b=2".to_owned())]),
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

    #[test]
    fn a_label_in_the_text_has_its_languages_colon() {
        let label = |locale: &str| {
            let sum = PriceLine { label: "茶".to_owned(), amount: "¥7.00".to_owned(), is_last: false };
            let parts =
                [MailPart::Prices(vec![sum]), MailPart::NoteLink("Stop".to_owned(), "https://x.org".to_owned())];
            parts.map(|part| part.text(texts::texts(locale)))
        };
        assert_eq!(label("en"), ["茶: ¥7.00", "Stop:\nhttps://x.org"]);
        assert_eq!(label("zh-CN"), ["茶：¥7.00", "Stop：\nhttps://x.org"]);
    }
}
