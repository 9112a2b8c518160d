//! The XML of a workbook's parts, event by event, in no more memory than a workbook should need (S94).

use std::io::{self, BufRead, BufReader, Read};

use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// Why a workbook is refused.
pub type XmlFault = &'static str;

pub const UNREADABLE: XmlFault = "is not a workbook that can be read";
pub const DAMAGED: XmlFault = "is damaged";
pub const TOO_LARGE: XmlFault = "unpacks to more than it may";
const TOO_LONG: XmlFault = "has a text that is too long";
const DOCTYPE: XmlFault = "declares a document type, which no workbook needs";

/// Bytes of a tag, or of the text between two.
const MAX_EVENT: usize = 4 << 20;
/// Bytes of a cell or a shared text with its tags: it has 32,767 characters at most.
const MAX_ITEM: u64 = 4 << 20;
/// Elements within each other.
const MAX_DEPTH: usize = 64;

/// The events of a part. Empty elements have a start and an end.
pub struct Xml<'p> {
    reader: Reader<Bounded<'p>>,
    buffer: Vec<u8>,
    depth: usize,
    /// The beginning of the current cell or text.
    item: Option<u64>,
}

impl<'p> Xml<'p> {
    /// Reads at most `own` bytes, which count towards `total`.
    pub fn new(part: impl Read + 'p, own: u64, total: &'p mut u64) -> Self {
        let part = BufReader::with_capacity(64 << 10, Box::new(part) as Box<dyn Read + 'p>);
        let mut reader = Reader::from_reader(Bounded { part, own, total, taken: 0, fault: None });
        reader.config_mut().expand_empty_elements = true;
        Self { reader, buffer: Vec::new(), depth: 0, item: None }
    }

    pub fn next(&mut self) -> Result<Event<'_>, XmlFault> {
        self.buffer.clear();
        self.reader.get_mut().taken = 0;
        let event = match self.reader.read_event_into(&mut self.buffer) {
            Ok(event) => event,
            Err(error) => {
                let is_damaged = matches!(error, quick_xml::Error::Io(_));
                return Err(self.reader.get_ref().fault.unwrap_or(if is_damaged { DAMAGED } else { UNREADABLE }));
            }
        };
        match &event {
            Event::Start(_) => self.depth += 1,
            Event::End(_) => self.depth = self.depth.saturating_sub(1),
            Event::DocType(_) => return Err(DOCTYPE),
            _ => {}
        }
        if self.depth > MAX_DEPTH {
            return Err(TOO_LARGE);
        }
        let position = self.reader.buffer_position();
        if self.item.is_some_and(|begin| position - begin > MAX_ITEM) {
            return Err(TOO_LONG);
        }
        Ok(event)
    }

    /// A cell or a shared text begins here, with its own limit of bytes.
    pub fn begin_item(&mut self) {
        self.item = Some(self.reader.buffer_position());
    }

    pub fn end_item(&mut self) {
        self.item = None;
    }

    /// Skips the rest of the element that was just begun.
    pub fn skip(&mut self) -> Result<(), XmlFault> {
        let inside = self.depth;
        while self.depth >= inside {
            if matches!(self.next()?, Event::Eof) {
                return Err(UNREADABLE);
            }
        }
        Ok(())
    }

    /// The text of the element that was just begun, without that of elements in it.
    pub fn content(&mut self) -> Result<String, XmlFault> {
        let inside = self.depth;
        let mut out = String::new();
        loop {
            let event = self.next()?;
            let text = text_of(&event)?;
            let is_end = matches!(event, Event::Eof);
            if let Some(text) = text
                && self.depth == inside
            {
                out.push_str(&text);
            }
            if is_end {
                return Err(UNREADABLE);
            }
            if self.depth < inside {
                return Ok(out);
            }
        }
    }

    /// The text of the shared or inline text that was just begun: of all its runs, without readings (furigana).
    pub fn rich_text(&mut self) -> Result<String, XmlFault> {
        enum Found {
            Text { keeps_blanks: bool },
            Reading,
            Other,
        }
        let inside = self.depth;
        let mut out = String::new();
        while self.depth >= inside {
            let found = match self.next()? {
                Event::Eof => return Err(UNREADABLE),
                Event::Start(tag) => match tag.local_name().as_ref() {
                    "t" => Found::Text { keeps_blanks: attribute(&tag, "space").is_some_and(|it| it == "preserve") },
                    "rPh" => Found::Reading,
                    _ => Found::Other,
                },
                _ => Found::Other,
            };
            match found {
                Found::Text { keeps_blanks } => {
                    let text = self.content()?;
                    let text = if keeps_blanks { &text } else { text.trim_matches([' ', '\t', '\r', '\n']) };
                    out.push_str(&unescaped(text));
                }
                Found::Reading => self.skip()?,
                Found::Other => {}
            }
        }
        Ok(out)
    }
}

/// The text that an event adds to its element.
fn text_of(event: &Event) -> Result<Option<String>, XmlFault> {
    Ok(match event {
        Event::Text(text) => Some(text.xml10_content().into_owned()),
        Event::CData(text) => Some(text.xml10_content().into_owned()),
        Event::GeneralRef(reference) => Some(resolved(reference)?),
        _ => None,
    })
}

fn resolved(reference: &BytesRef) -> Result<String, XmlFault> {
    if let Some(known) = resolve_xml_entity(reference.as_ref()) {
        return Ok(known.to_owned());
    }
    let character = reference.resolve_char_ref().map_err(|_| UNREADABLE)?;
    character.map(String::from).ok_or(UNREADABLE)
}

/// An attribute by its name without the namespace's prefix. `None` for one that can't be read, as if it were absent.
pub fn attribute(tag: &BytesStart, name: &str) -> Option<String> {
    let mut attributes = tag.attributes();
    let attributes = attributes.with_checks(false).flatten();
    let found = attributes.into_iter().find(|attribute| attribute.key.local_name().as_ref() == name)?;
    found.normalized_value(XmlVersion::default()).ok().map(|value| value.into_owned())
}

/// The text without escapes: a workbook writes characters that XML can't hold as `_x0007_`, and so texts that look like
/// that.
pub fn unescaped(text: &str) -> String {
    const LENGTH: usize = "_x0000_".len();
    let mut units: Vec<u16> = Vec::new();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("_x") {
        let escape = rest.get(at..at + LENGTH).filter(|it| it.ends_with('_'));
        let unit = escape.and_then(|it| u16::from_str_radix(it.get(2..LENGTH - 1)?, 16).ok());
        let is_hex = escape.is_some_and(|it| it.bytes().skip(2).take(4).all(|byte| byte.is_ascii_hexdigit()));
        let end = if is_hex { at } else { at + 2 };
        if end > 0 {
            flush(&mut units, &mut out);
        }
        out.push_str(&rest[..end]);
        rest = &rest[end..];
        if let Some(unit) = unit.filter(|_| is_hex) {
            units.push(unit);
            rest = &rest[LENGTH..];
        }
    }
    flush(&mut units, &mut out);
    out.push_str(rest);
    out
}

/// Escapes beside each other may be the two halves of one character.
fn flush(units: &mut Vec<u16>, out: &mut String) {
    out.push_str(&String::from_utf16_lossy(units));
    units.clear();
}

/// A part that ends with a fault beyond its limits.
struct Bounded<'p> {
    part: BufReader<Box<dyn Read + 'p>>,
    /// Bytes that this part may still have.
    own: u64,
    /// Bytes that all parts may still have.
    total: &'p mut u64,
    /// Bytes of the current event.
    taken: usize,
    fault: Option<XmlFault>,
}

impl Bounded<'_> {
    fn refuse(&mut self, fault: XmlFault) -> io::Error {
        self.fault = Some(fault);
        io::ErrorKind::FileTooLarge.into()
    }
}

impl Read for Bounded<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(into)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Bounded<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.taken > MAX_EVENT {
            return Err(self.refuse(TOO_LONG));
        }
        let left = self.own.min(*self.total);
        if left == 0 && !self.part.fill_buf()?.is_empty() {
            return Err(self.refuse(TOO_LARGE));
        }
        let buffer = self.part.fill_buf()?;
        let most = usize::try_from(left).unwrap_or(usize::MAX);
        Ok(&buffer[..buffer.len().min(most)])
    }

    fn consume(&mut self, count: usize) {
        self.taken += count;
        self.own -= count as u64;
        *self.total -= count as u64;
        self.part.consume(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_characters() {
        for (text, shown) in [
            ("a_x000D_b", "a\rb"),
            ("_x005F_x0041_", "_x0041_"),
            ("_xD83D__xDE00_", "😀"),
            ("_xD83D_x", "\u{fffd}x"),
            ("_x41_ _xZZZZ_ _x", "_x41_ _xZZZZ_ _x"),
            ("_x+041_", "_x+041_"),
            ("_xé041_", "_xé041_"),
            ("_x_x0041_", "_xA"),
        ] {
            assert_eq!(unescaped(text), shown, "{text}");
        }
    }
}
