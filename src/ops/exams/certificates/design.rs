//! Layout of a certificate: one page of A4 in landscape, and more where the text is long.

use std::ops::Range;

use qrcode::{Color as Module, QrCode};

use crate::media::shrink::Pixels;
use crate::media::typeset::fonts::Fonts;
use crate::media::typeset::paragraph::{Paragraph, TextLine};
use crate::media::typeset::pdf::{Color, Mark, Page, Step, rectangle};
use crate::ops::exams::certificates::ornament;

pub const WIDTH: f32 = 841.89;
pub const HEIGHT: f32 = 595.28;

const INK: Color = [24, 33, 47];
const MUTED: Color = [92, 102, 117];
const PAPER: Color = [255, 255, 255];

/// How wide titles and texts are.
const TITLE_WIDTH: f32 = 650.0;
const BODY_WIDTH: f32 = 600.0;
/// The sizes that are tried, the largest first.
const TITLE_SIZES: [(f32, usize); 5] = [(40.0, 1), (34.0, 2), (28.0, 2), (22.0, 3), (14.0, 6)];
const BODY_SIZES: [f32; 7] = [19.0, 17.0, 15.0, 13.5, 12.0, 10.5, 9.0];
/// From one line to the next, in sizes.
const LEADING: f32 = 1.6;
/// Between paragraphs, in lines.
const GAP: f32 = 0.5;
/// The baseline of the issuer.
const ISSUER_AT: f32 = 92.0;
/// Where the logo ends, which stands above the issuer, and its largest size.
const LOGO_END: f32 = 78.0;
const LOGO_HEIGHT: f32 = 36.0;
const LOGO_WIDTH: f32 = 160.0;
/// The most pixels of a logo: sharp in print.
pub const LOGO_PIXELS: (u32, u32) = (640, 144);
/// The baseline of the form's name.
const NAME_AT: f32 = 110.0;
/// How much larger than the text around it the name of a person is.
const PERSON: f32 = 1.8;
/// The same for a name that would not fit on one line; a longer one takes several, for none is cut.
const LONG_PERSON: f32 = 1.25;
/// Where the foot begins, and where text ends on pages without one.
const FOOT: f32 = 428.0;
const PAGE_END: f32 = 540.0;
/// The baseline of what the foot says.
const FOOT_AT: f32 = 503.0;
const SIDE: f32 = 96.0;
const CODE_SIZE: f32 = 74.0;
/// More of a text is left out, with an ellipsis in its place.
const MOST_CHARACTERS: usize = 20_000;
const MOST_LINES: usize = 400;

/// Content of a certificate.
pub struct Content {
    /// The organization that gives it.
    pub issuer: String,
    pub logo: Option<Pixels>,
    pub form_name: String,
    pub title: String,
    pub body: Text,
    pub date: Fact,
    pub number: Fact,
    pub code: Option<Code>,
    /// The text below the signature line.
    pub signature: String,
    pub accent: Color,
}

/// The text of a certificate; the name stands on a line of its own.
pub struct Text {
    pub before: String,
    pub name: Option<String>,
    pub after: String,
}

/// A labelled line of the foot.
pub struct Fact {
    pub label: String,
    pub text: String,
}

/// The verification code.
pub struct Code {
    pub text: String,
    /// The page that tells whether it is valid.
    pub address: String,
    pub label: String,
    /// How to verify it without a camera.
    pub notes: String,
}

/// The pages of a certificate.
pub fn pages<'f>(fonts: &'f Fonts, content: &Content) -> Vec<Page<'f>> {
    let mut front = Sheet::new(fonts, content.accent);
    let name = one_line(&content.form_name);
    front.marks.extend(content.logo.as_ref().and_then(logo));
    front.center(&one_line(&content.issuer), 14.0, WIDTH / 2.0, ISSUER_AT, BODY_WIDTH, INK);
    front.center(&name, 11.0, WIDTH / 2.0, NAME_AT, BODY_WIDTH, MUTED);
    let below = front.title(&content.title);
    front.marks.extend(ornament::divider(WIDTH / 2.0, below + 24.0, content.accent));
    front.foot(content);
    let body = Body::fit(fonts, &content.body, below + 40.0);
    let mut rest = body.draw(&mut front, below + 40.0, FOOT, true);
    let mut pages = vec![front.page()];
    while rest.start < rest.end {
        let mut next = Sheet::new(fonts, content.accent);
        let part = Body { lines: body.lines[rest.clone()].to_vec(), ..body.like() };
        let left = part.draw(&mut next, NAME_AT, PAGE_END, false);
        rest.start += left.start;
        pages.push(next.page());
    }
    pages
}

/// The logo above the issuer, no larger than its pixels are sharp.
fn logo<'f>(pixels: &Pixels) -> Option<Mark<'f>> {
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let (wide, high) = (pixels.width as f32, pixels.height as f32);
    let scale = (LOGO_WIDTH / wide).min(LOGO_HEIGHT / high).min(0.75);
    let (width, height) = (wide * scale, high * scale);
    let is_drawn = width > 0.0 && height > 0.0;
    is_drawn.then(|| Mark::Picture {
        pixels: pixels.clone(),
        left: (WIDTH - width) / 2.0,
        top: LOGO_END - height,
        width,
        height,
    })
}

/// A text without line breaks and what is not drawn.
fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    visible(&words.join(" "))
}

/// A text without controls; tabs are blanks.
fn visible(text: &str) -> String {
    text.chars()
        .map(|character| if character == '\t' { ' ' } else { character })
        .filter(|character| !(character.is_control() || is_break(*character)))
        .collect()
}

/// Separators that would break a line within a paragraph.
fn is_break(character: char) -> bool {
    matches!(character, '\u{2028}' | '\u{2029}')
}

/// A page that is being drawn.
struct Sheet<'f> {
    fonts: &'f Fonts,
    marks: Vec<Mark<'f>>,
}

impl<'f> Sheet<'f> {
    fn new(fonts: &'f Fonts, accent: Color) -> Self {
        Self { fonts, marks: ornament::frame(WIDTH, HEIGHT, accent) }
    }

    fn page(self) -> Page<'f> {
        Page { width: WIDTH, height: HEIGHT, marks: self.marks }
    }

    fn put(&mut self, line: TextLine<'f>, size: f32, center: f32, baseline: f32, color: Color) {
        self.marks.push(Mark::Text { x: center - line.width * size / 2.0, line, baseline, size, color });
    }

    /// One line in the middle of `center`, smaller if it would be wider than `width`; cut if it is far too long.
    fn center(&mut self, text: &str, size: f32, center: f32, at: f32, width: f32, color: Color) {
        let mut text = text.to_owned();
        let whole = Paragraph::new(self.fonts, &text).line(0..text.len()).width;
        let mut size = size;
        if whole * size > width {
            size = (width / whole).max(size * 0.7);
            let first = Paragraph::new(self.fonts, &text).wrap(width / size - 1.0);
            let first = first.first().map_or(0, |line| line.end);
            if first < text.len() {
                text.truncate(first);
                text = format!("{}…", text.trim_end());
            }
        }
        let line = Paragraph::new(self.fonts, &text).line(0..text.len());
        self.put(line, size, center, at, color);
    }

    /// The title; where it ends.
    fn title(&mut self, title: &str) -> f32 {
        let title = one_line(title);
        let paragraph = Paragraph::new(self.fonts, &title);
        let lines_at = |size: f32| paragraph.balance(TITLE_WIDTH / size);
        let fits = |(size, most): &&(f32, usize)| lines_at(*size).len() <= *most;
        let fitting = TITLE_SIZES.iter().find(fits);
        let size = fitting.map_or(TITLE_SIZES[TITLE_SIZES.len() - 1].0, |(size, _)| *size);
        let mut baseline = NAME_AT + 16.0;
        for line in lines_at(size) {
            baseline += size * 1.3;
            let line = paragraph.line(line);
            self.put(line, size, WIDTH / 2.0, baseline, INK);
        }
        baseline
    }

    fn foot(&mut self, content: &Content) {
        let (first, right) = (SIDE + 80.0, WIDTH - SIDE);
        let signature = Fact { label: content.signature.clone(), text: String::new() };
        let facts = [&content.date, &content.number, &signature];
        let last = match &content.code {
            None => right - 80.0,
            Some(code) => {
                self.code(code, right - CODE_SIZE / 2.0 - 16.0);
                right - CODE_SIZE - 110.0
            }
        };
        for (fact, at) in facts.into_iter().zip([first, f32::midpoint(first, last), last]) {
            self.fact(fact, at);
        }
    }

    fn fact(&mut self, fact: &Fact, center: f32) {
        self.center(&fact.text, 14.0, center, FOOT_AT, 144.0, INK);
        self.marks.push(Mark::Stroke {
            path: vec![Step::Move(center - 72.0, FOOT_AT + 9.0), Step::Line(center + 72.0, FOOT_AT + 9.0)],
            color: ornament::GOLD,
            width: 0.7,
        });
        self.center(&fact.label, 9.5, center, FOOT_AT + 23.0, 144.0, MUTED);
    }

    fn code(&mut self, code: &Code, center: f32) {
        let top = FOOT_AT + 9.0 - CODE_SIZE;
        let left = center - CODE_SIZE / 2.0;
        if let Some(path) = scan(&code.address, left, top) {
            self.marks.push(Mark::Area { path: rectangle(left, top, CODE_SIZE, CODE_SIZE), color: PAPER });
            self.marks.push(Mark::Area { path, color: INK });
            self.marks.push(Mark::Link {
                left,
                top,
                width: CODE_SIZE,
                height: CODE_SIZE,
                address: code.address.clone(),
            });
        }
        self.center(&code.text, 11.0, center, FOOT_AT + 22.0, 180.0, INK);
        self.center(&code.label, 9.0, center, FOOT_AT + 34.0, 180.0, MUTED);
        self.center(&code.notes, 8.0, WIDTH / 2.0, HEIGHT - 42.0, 680.0, MUTED);
    }
}

/// The dark modules of a QR code as one path; `None` if the text is too long.
fn scan(text: &str, left: f32, top: f32) -> Option<Vec<Step>> {
    const MARGIN: usize = 3;
    let code = QrCode::new(text).ok()?;
    let width = code.width();
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let of = |modules: usize| modules as f32 * CODE_SIZE / (width + 2 * MARGIN) as f32;
    let mut path = Vec::new();
    for (row, modules) in code.to_colors().chunks(width).enumerate() {
        let mut column = 0;
        // Dark modules side by side are one rectangle.
        for run in modules.chunk_by(|a, b| a == b) {
            if run.first() == Some(&Module::Dark) {
                let (x, y) = (left + of(column + MARGIN), top + of(row + MARGIN));
                path.extend(rectangle(x, y, of(run.len()), of(1)));
            }
            column += run.len();
        }
    }
    Some(path)
}

/// The text, in lines of one size.
struct Body<'f> {
    fonts: &'f Fonts,
    size: f32,
    /// How much larger the name is.
    person: f32,
    lines: Vec<BodyLine>,
}

#[derive(Clone)]
struct BodyLine {
    text: String,
    is_rtl: bool,
    /// Whether a paragraph begins with it that is not the first.
    is_apart: bool,
    /// Whether the line is the name.
    is_name: bool,
}

impl<'f> Body<'f> {
    /// In the largest size in which it fits on the first page, or else the smallest.
    fn fit(fonts: &'f Fonts, text: &Text, top: f32) -> Self {
        let name = text.name.as_deref().map(one_line).filter(|name| !name.is_empty());
        let mut paragraphs = paragraphs(&text.before);
        let name_at = name.as_ref().map(|_| paragraphs.len());
        paragraphs.extend(name);
        paragraphs.extend(self::paragraphs(&text.after));
        let measured: Vec<Paragraph> =
            paragraphs.iter().take(MOST_LINES).map(|text| Paragraph::new(fonts, text)).collect();
        let is_name = |nth: usize| name_at == Some(nth);
        let whole = name_at.and_then(|at| Some(measured.get(at)?.line(0..paragraphs[at].len()).width));
        // The name's size among lines of this size.
        let person = |size: f32| match whole {
            Some(width) if width > 0.0 => ((BODY_WIDTH - 1.0) / (width * size)).clamp(LONG_PERSON, PERSON),
            _ => PERSON,
        };
        let width_of = |nth: usize, size: f32| BODY_WIDTH / if is_name(nth) { size * person(size) } else { size };
        let height = |size: f32| {
            let counts: Vec<usize> =
                measured.iter().enumerate().map(|(nth, paragraph)| paragraph.wrap(width_of(nth, size)).len()).collect();
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let names = name_at.and_then(|at| counts.get(at)).map_or(0.0, |count| *count as f32);
            let name = names * (person(size) - 1.0) * size * LEADING;
            height_of(counts.iter().sum(), measured.len(), size) + name
        };
        let room = FOOT - top;
        let smallest = BODY_SIZES[BODY_SIZES.len() - 1];
        let size = BODY_SIZES.into_iter().find(|size| height(*size) <= room);
        let size = size.unwrap_or(smallest);
        let mut lines = Vec::new();
        for (nth, (paragraph, text)) in measured.iter().zip(&paragraphs).enumerate() {
            for (first, range) in paragraph.balance(width_of(nth, size)).into_iter().enumerate() {
                lines.push(BodyLine {
                    text: text[range].to_owned(),
                    is_rtl: paragraph.is_rtl(),
                    is_apart: nth > 0 && first == 0,
                    is_name: is_name(nth),
                });
            }
        }
        if lines.len() > MOST_LINES || paragraphs.len() > MOST_LINES {
            lines.truncate(MOST_LINES);
            lines.push(BodyLine { text: "…".to_owned(), is_rtl: false, is_apart: false, is_name: false });
        }
        Self { fonts, size, person: person(size), lines }
    }

    fn like(&self) -> Self {
        Self { lines: Vec::new(), ..*self }
    }

    /// Draws the lines that fit between `top` and `bottom`; which are left.
    fn draw(&self, sheet: &mut Sheet<'f>, top: f32, bottom: f32, in_the_middle: bool) -> Range<usize> {
        let step = self.size * LEADING;
        let gap = |line: &BodyLine| if line.is_apart { step * GAP } else { 0.0 };
        let scale = |line: &BodyLine| if line.is_name { self.person } else { 1.0 };
        let mut ends = Vec::new();
        let mut at = 0.0;
        for (nth, line) in self.lines.iter().enumerate() {
            at += step * scale(line) + if nth == 0 { 0.0 } else { gap(line) };
            ends.push(at);
        }
        let count = ends.partition_point(|end| *end <= bottom - top);
        // One line at least: a page without any would have no end.
        let count = count.max(usize::from(!in_the_middle)).min(ends.len());
        let height = ends[..count].last().copied().unwrap_or_default();
        let is_whole = count == ends.len();
        let shift = if in_the_middle && is_whole { (bottom - top - height) / 2.0 } else { 0.0 };
        for (line, end) in self.lines[..count].iter().zip(&ends) {
            let baseline = top + shift + end - step * scale(line) * 0.32;
            let drawn = Paragraph::part(self.fonts, &line.text, line.is_rtl);
            let drawn = drawn.line(0..line.text.len());
            sheet.put(drawn, self.size * scale(line), WIDTH / 2.0, baseline, INK);
        }
        count..self.lines.len()
    }
}

/// The lines of a text as its owner broke them, up to the most that are drawn.
fn paragraphs(text: &str) -> Vec<String> {
    let mut text: String = text.trim_end().to_owned();
    if let Some((end, _)) = text.char_indices().nth(MOST_CHARACTERS) {
        text.truncate(end);
        text.push('…');
    }
    let text = text.trim_start_matches('\n');
    if text.is_empty() { Vec::new() } else { text.split('\n').map(visible).collect() }
}

fn height_of(lines: usize, paragraphs: usize, size: f32) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let (lines, gaps) = (lines as f32, paragraphs.saturating_sub(1) as f32);
    (lines + gaps * GAP) * size * LEADING
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::media::typeset::pdf::{self, Head};

    fn content(title: &str, body: &str) -> Content {
        let fact = |label: &str, text: &str| Fact { label: label.to_owned(), text: text.to_owned() };
        Content {
            issuer: "Evening school".to_owned(),
            logo: None,
            form_name: "Workshop".to_owned(),
            title: title.to_owned(),
            body: Text { before: body.to_owned(), name: None, after: String::new() },
            signature: "Signature".to_owned(),
            date: fact("Date", "24 November 2026"),
            number: fact("Number", "12"),
            code: Some(Code {
                text: "ACDEFHJK".to_owned(),
                address: "https://example.org/f/AbCdEf1234/verify?code=ACDEFHJK".to_owned(),
                label: "Verification code".to_owned(),
                notes: "Verify".to_owned(),
            }),
            accent: [26, 54, 93],
        }
    }

    /// The lowest baseline on each page.
    fn lowest(pages: &[Page]) -> Vec<f32> {
        let baseline = |mark: &Mark| match mark {
            Mark::Text { baseline, .. } => Some(*baseline),
            _ => None,
        };
        let lowest = |page: &Page| page.marks.iter().filter_map(baseline).fold(0.0, f32::max);
        pages.iter().map(lowest).collect()
    }

    /// How far text goes to the left and to the right.
    fn extent(pages: &[Page]) -> (f32, f32) {
        let mut all = (WIDTH, 0.0_f32);
        for mark in pages.iter().flat_map(|page| &page.marks) {
            if let Mark::Text { line, x, size, .. } = mark {
                all.0 = all.0.min(*x);
                all.1 = all.1.max(*x + line.width * size);
            }
        }
        all
    }

    #[test]
    fn a_short_text_is_one_page() {
        let fonts = Fonts::default();
        for body in ["", "For Ada", "第一行\n\n第二行", &"word ".repeat(150)] {
            let pages = pages(&fonts, &content("Certificate", body));
            assert_eq!(pages.len(), 1, "{body}");
        }
    }

    #[test]
    fn a_logo_keeps_its_shape_above_the_issuer() {
        for (width, height) in [(640, 144), (144, 144), (40, 144), (16, 16), (640, 4)] {
            let pixels = Pixels { width, height, rgba: vec![0; 4 * (width * height) as usize] };
            let Some(Mark::Picture { left, top, width: wide, height: high, .. }) = logo(&pixels) else {
                panic!("{width} × {height} is not drawn");
            };
            assert!((left + wide / 2.0 - WIDTH / 2.0).abs() < 0.01, "{width} × {height}");
            assert!(top >= 40.0 && top + high <= ISSUER_AT - 12.0, "{width} × {height}: {top} {high}");
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            let shape = width as f32 / height as f32;
            assert!((wide / high - shape).abs() < shape / 100.0, "{width} × {height}: {wide} × {high}");
        }
    }

    #[test]
    fn a_name_stands_on_a_line_of_its_own() {
        let fonts = Fonts::default();
        let long = "Wolfeschlegelsteinhausen ".repeat(9);
        for name in ["Ada Lovelace", "张伟", "Sir Wolfeschlegelsteinhausenbergerdorff-Oppenheimer", long.as_str()] {
            let text = Text {
                before: "This is to say that".to_owned(),
                name: Some(name.to_owned()),
                after: "passed".to_owned(),
            };
            let pages = pages(&fonts, &Content { body: text, ..content("Certificate", "") });
            assert_eq!(pages.len(), 1, "{name}");
            let largest = |from: f32| {
                let size = |mark: &Mark| match mark {
                    Mark::Text { size, baseline, .. } if *baseline > from => *size,
                    _ => 0.0,
                };
                pages[0].marks.iter().map(size).fold(0.0, f32::max)
            };
            // The largest of what stands below the title; a very long one is smaller than others.
            let least = if name.len() > 100 { 15.0 } else { 22.0 };
            assert!(largest(200.0) > least, "{name}");
            // However long it is, all of it is there.
            let runs = pages[0].marks.iter().filter_map(|mark| match mark {
                Mark::Text { line, .. } => Some(line.parts.iter().map(|run| run.text.as_str())),
                _ => None,
            });
            let drawn: String = runs.flatten().flat_map(str::split_whitespace).collect();
            let whole: String = name.split_whitespace().collect();
            assert!(drawn.contains(&whole), "{name}: {drawn}");
            let (left, right) = extent(&pages);
            assert!(left > 60.0 && right < WIDTH - 60.0, "{name}: {left} {right}");
        }
    }

    #[test]
    fn everything_stays_within_the_frame() {
        let fonts = Fonts::default();
        for text in
            ["word ".repeat(4000), "字".repeat(3000), "W".repeat(9000), "a\n".repeat(3000), "שלום ".repeat(1000)]
        {
            let pages = pages(&fonts, &content(&text[..text.floor_char_boundary(300)], &text));
            assert!((2..=40).contains(&pages.len()), "{}", pages.len());
            let (left, right) = extent(&pages);
            assert!(left > 60.0 && right < WIDTH - 60.0, "{left} {right}");
            let lowest = lowest(&pages);
            assert!(lowest.iter().all(|at| *at < HEIGHT - 40.0), "{lowest:?}");
        }
    }

    #[test]
    fn the_same_content_gives_the_same_bytes() {
        let head =
            Head { title: "Certificate".to_owned(), language: "en".to_owned(), created_at: (2026, 11, 24, 4, 5, 6) };
        let made = || {
            let fonts = Fonts::default();
            let content = content("Certificate 证书 شهادة", "For Ada\nחדש क्षत्रिय");
            pdf::write(&head, &pages(&fonts, &content)).expect("a PDF")
        };
        assert!(made() == made());
    }
}
