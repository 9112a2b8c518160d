//! The XLSX writer: a zip archive whose sheets go out row by row, so that no part of the file is kept. Strings are
//! written in their cells; nothing is a formula, a link or a part outside (S56).

use std::fmt::Write as _;
use std::io::{self, Write};
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::civil::{Date, DateTime, date};
use unicode_width::UnicodeWidthStr as _;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipWriter};

use crate::base::json::digits;
use crate::fields::columns::Cell;
use crate::fields::display::dates;

/// Columns of a sheet.
pub const MAX_COLUMNS: usize = 16_384;
/// Characters of a cell, counted as in UTF-16.
pub const MAX_TEXT: usize = 32_767;
/// Rows of a sheet, with the header.
const MAX_ROWS: usize = 1_048_576;
/// Bytes of a sheet before the next one begins: beyond 4 GB not every program reads on.
const MAX_BYTES: u64 = 3 << 30;
/// The size of the pieces in which rows are handed on.
const HAND_ON: usize = 64 << 10;

const XML: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006";
const TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/// The day that spreadsheets count from.
const BEGIN: Date = date(1899, 12, 30);

// Styles by number: as it comes, the header, and text that stays text when somebody edits it.
const HEADER: usize = 1;
const TEXT: usize = 2;
/// The first style of dates: one for each of [`DATES`].
const DATE: usize = 3;
/// The style of whole numbers that are written out.
const WHOLE: usize = DATE + DATES.len();
/// The formats of dates and times, by the length of their texts.
const DATES: [(usize, &str); 6] = [
    (7, "yyyy\\-mm"),
    (10, "yyyy\\-mm\\-dd"),
    (16, "yyyy\\-mm\\-dd\\ hh:mm"),
    (19, "yyyy\\-mm\\-dd\\ hh:mm:ss"),
    (5, "hh:mm"),
    (8, "hh:mm:ss"),
];
/// The number of the first format that is not built in.
const OWN_FORMATS: usize = 164;

/// Spreadsheets keep no more digits of a number.
const MOST_DIGITS: usize = 15;
/// As it comes, a longer number is shown with an exponent.
const LONGEST_AS_IT_COMES: usize = 11;

/// The characters that a column shows at least and at most, with room beside a value, and for the button of the filter.
const WIDTHS: RangeInclusive<usize> = 8..=60;
const BESIDE: usize = 2;
const BUTTON: usize = 3;

/// Whether a cell has room for its value.
pub fn fits(cell: &Cell) -> bool {
    match cell {
        Cell::Text(text) => text.len() <= MAX_TEXT || text.encode_utf16().count() <= MAX_TEXT,
        _ => true,
    }
}

/// Where the archive is written to until somebody takes it.
#[derive(Clone, Default)]
struct Sink(Arc<Mutex<Vec<u8>>>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut own = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        own.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A workbook under way.
pub struct Book {
    sink: Sink,
    zip: Option<ZipWriter<StreamWriter<Sink>>>,
    headers: Vec<String>,
    /// Names of columns: `A`, `B`, … `AA`.
    columns: Vec<String>,
    /// How wide these are, as the first rows need it.
    widths: Vec<usize>,
    sheets: usize,
    /// Rows of this sheet.
    rows: usize,
    /// Bytes of this sheet that were handed on.
    bytes: u64,
    buffer: String,
}

impl Book {
    /// A workbook with these columns.
    pub fn new(headers: &[String]) -> Self {
        let sink = Sink::default();
        Self {
            zip: Some(ZipWriter::new_stream(sink.clone())),
            sink,
            headers: headers.to_vec(),
            columns: (0..headers.len()).map(column_name).collect(),
            widths: Vec::new(),
            sheets: 0,
            rows: 0,
            bytes: 0,
            buffer: String::new(),
        }
    }

    /// The beginning, down to the header row.
    fn open(&mut self) -> io::Result<()> {
        // XML files are sheets by default, except for these, so that the number of sheets need not be known.
        self.part(
            "[Content_Types].xml",
            &format!(
                "{XML}<Types xmlns=\"{PACKAGE}/content-types\">\
                 <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
                 <Default Extension=\"xml\" ContentType=\"{TYPE}.worksheet+xml\"/>\
                 <Override PartName=\"/xl/workbook.xml\" ContentType=\"{TYPE}.sheet.main+xml\"/>\
                 <Override PartName=\"/xl/styles.xml\" ContentType=\"{TYPE}.styles+xml\"/></Types>"
            ),
        )?;
        self.part(
            "_rels/.rels",
            &format!(
                "{XML}<Relationships xmlns=\"{PACKAGE}/relationships\"><Relationship Id=\"rId1\" \
                 Type=\"{OFFICE}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        )?;
        let (mut formats, mut dates) = (String::new(), String::new());
        for (nth, (_, format)) in DATES.iter().enumerate() {
            let id = OWN_FORMATS + nth;
            // Writing into a string can't fail.
            let _ = write!(formats, "<numFmt numFmtId=\"{id}\" formatCode=\"{format}\"/>");
            let _ = write!(
                dates,
                "<xf numFmtId=\"{id}\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\"/>"
            );
        }
        let (own, styles) = (DATES.len(), WHOLE + 1);
        self.part(
            "xl/styles.xml",
            &format!(
                "{XML}<styleSheet xmlns=\"{MAIN}\">\
                 <numFmts count=\"{own}\">{formats}</numFmts>\
                 <fonts count=\"2\"><font><sz val=\"11\"/><name val=\"Calibri\"/></font>\
                 <font><b/><sz val=\"11\"/><name val=\"Calibri\"/></font></fonts>\
                 <fills count=\"2\"><fill><patternFill patternType=\"none\"/></fill>\
                 <fill><patternFill patternType=\"gray125\"/></fill></fills>\
                 <borders count=\"1\"><border><left/><right/><top/><bottom/><diagonal/></border></borders>\
                 <cellStyleXfs count=\"1\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\"/></cellStyleXfs>\
                 <cellXfs count=\"{styles}\"><xf numFmtId=\"0\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\"/>\
                 <xf numFmtId=\"49\" fontId=\"1\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyFont=\"1\" applyNumberFormat=\"1\"/>\
                 <xf numFmtId=\"49\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\"/>{dates}\
                 <xf numFmtId=\"1\" fontId=\"0\" fillId=\"0\" borderId=\"0\" xfId=\"0\" applyNumberFormat=\"1\"/></cellXfs>\
                 <cellStyles count=\"1\"><cellStyle name=\"Normal\" xfId=\"0\" builtinId=\"0\"/></cellStyles></styleSheet>"
            ),
        )?;
        self.begin_sheet()
    }

    /// The next rows. Columns are as wide as the first ones need it.
    ///
    /// # Errors
    /// The archive's; a text that no cell holds.
    pub fn rows(&mut self, rows: &[Vec<Cell>]) -> io::Result<()> {
        if self.sheets == 0 {
            self.widths = self.widths_for(rows);
            self.open()?;
        }
        rows.iter().try_for_each(|cells| self.row(cells))
    }

    fn widths_for(&self, rows: &[Vec<Cell>]) -> Vec<usize> {
        let mut widths: Vec<usize> = self.headers.iter().map(|header| header.width() + BUTTON).collect();
        for row in rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(width_of(cell) + BESIDE);
            }
        }
        widths.iter().map(|width| (*width).clamp(*WIDTHS.start(), *WIDTHS.end())).collect()
    }

    fn row(&mut self, cells: &[Cell]) -> io::Result<()> {
        if self.rows >= MAX_ROWS || self.bytes >= MAX_BYTES {
            self.end_sheet()?;
            self.begin_sheet()?;
        }
        self.write_row(cells, TEXT)
    }

    /// The end.
    ///
    /// # Errors
    /// The archive's.
    pub fn close(&mut self) -> io::Result<()> {
        self.rows(&[])?;
        self.end_sheet()?;
        let (mut sheets, mut links) = (String::new(), String::new());
        for i in 1..=self.sheets {
            // Writing into a string can't fail.
            let _ = write!(
                sheets,
                "<sheet name=\"Entries{}\" sheetId=\"{i}\" r:id=\"rId{i}\"/>",
                if i == 1 { String::new() } else { format!(" {i}") }
            );
            let _ = write!(
                links,
                "<Relationship Id=\"rId{i}\" Type=\"{OFFICE}/worksheet\" Target=\"worksheets/sheet{i}.xml\"/>"
            );
        }
        let styles = self.sheets + 1;
        self.part(
            "xl/_rels/workbook.xml.rels",
            &format!(
                "{XML}<Relationships xmlns=\"{PACKAGE}/relationships\">{links}<Relationship \
                 Id=\"rId{styles}\" Type=\"{OFFICE}/styles\" Target=\"styles.xml\"/></Relationships>"
            ),
        )?;
        self.part(
            "xl/workbook.xml",
            &format!("{XML}<workbook xmlns=\"{MAIN}\" xmlns:r=\"{OFFICE}\"><sheets>{sheets}</sheets></workbook>"),
        )?;
        match self.zip.take() {
            Some(zip) => zip.finish().map(drop).map_err(io::Error::other),
            None => Ok(()),
        }
    }

    /// Hands over the bytes written since the last time.
    pub fn take_written(&mut self, out: &mut Vec<u8>) {
        let mut own = self.sink.0.lock().unwrap_or_else(PoisonError::into_inner);
        out.append(&mut own);
    }

    fn zip(&mut self) -> io::Result<&mut ZipWriter<StreamWriter<Sink>>> {
        let ended = || io::Error::other("the workbook was closed");
        self.zip.as_mut().ok_or_else(ended)
    }

    fn start(&mut self, name: &str) -> io::Result<()> {
        let options =
            SimpleFileOptions::default().compression_method(CompressionMethod::Deflated).compression_level(Some(3));
        self.zip()?.start_file(name, options).map_err(io::Error::other)
    }

    fn part(&mut self, name: &str, text: &str) -> io::Result<()> {
        self.start(name)?;
        self.zip()?.write_all(text.as_bytes())
    }

    fn begin_sheet(&mut self) -> io::Result<()> {
        self.sheets += 1;
        self.rows = 0;
        self.bytes = 0;
        self.start(&format!("xl/worksheets/sheet{}.xml", self.sheets))?;
        let mut columns = String::new();
        for (i, width) in self.widths.iter().enumerate() {
            let nth = i + 1;
            // Writing into a string can't fail.
            let _ = write!(columns, "<col min=\"{nth}\" max=\"{nth}\" width=\"{width}\" customWidth=\"1\"/>");
        }
        // The header stays in sight.
        let head = format!(
            "{XML}<worksheet xmlns=\"{MAIN}\"><sheetViews><sheetView workbookViewId=\"0\"><pane ySplit=\"1\" \
             topLeftCell=\"A2\" activePane=\"bottomLeft\" state=\"frozen\"/></sheetView></sheetViews>\
             <cols>{columns}</cols><sheetData>"
        );
        self.zip()?.write_all(head.as_bytes())?;
        let cells: Vec<Cell> = self.headers.iter().map(|name| Cell::text(name.as_str())).collect();
        self.write_row(&cells, HEADER)
    }

    fn end_sheet(&mut self) -> io::Result<()> {
        self.buffer.push_str("</sheetData>");
        if let Some(last) = self.columns.last() {
            // Writing into a string can't fail.
            let _ = write!(self.buffer, "<autoFilter ref=\"A1:{last}{}\"/>", self.rows);
        }
        self.buffer.push_str("</worksheet>");
        self.hand_on()
    }

    fn write_row(&mut self, cells: &[Cell], style: usize) -> io::Result<()> {
        self.rows += 1;
        let (row, out) = (self.rows, &mut self.buffer);
        // Writing into a string can't fail.
        let _ = write!(out, "<row r=\"{row}\">");
        for (column, cell) in self.columns.iter().zip(cells) {
            match cell {
                Cell::Blank => {}
                Cell::Number(number) => {
                    let number = number.to_string();
                    let number = digits::plain(&number);
                    let _ = if digits::significant(&number) > MOST_DIGITS {
                        // As a number it would be another one there.
                        write!(out, "<c r=\"{column}{row}\" s=\"{TEXT}\" t=\"inlineStr\"><is><t>{number}</t></is></c>")
                    } else if number.len() > LONGEST_AS_IT_COMES && !number.contains(['.', 'e']) {
                        write!(out, "<c r=\"{column}{row}\" s=\"{WHOLE}\"><v>{number}</v></c>")
                    } else {
                        write!(out, "<c r=\"{column}{row}\"><v>{number}</v></c>")
                    };
                }
                Cell::Date(text) => match stored_date(text) {
                    Some((style, days)) => {
                        let _ = write!(out, "<c r=\"{column}{row}\" s=\"{style}\"><v>{days}</v></c>");
                    }
                    None => write_text(out, (column, row, style), text),
                },
                Cell::Text(text) => {
                    if !fits(cell) {
                        return Err(io::Error::other("a text is longer than a cell may be"));
                    }
                    write_text(out, (column, row, style), text);
                }
            }
        }
        out.push_str("</row>");
        if self.buffer.len() >= HAND_ON {
            self.hand_on()?;
        }
        Ok(())
    }

    fn hand_on(&mut self) -> io::Result<()> {
        let buffer = std::mem::take(&mut self.buffer);
        self.zip()?.write_all(buffer.as_bytes())?;
        self.bytes += buffer.len() as u64;
        self.buffer = buffer;
        self.buffer.clear();
        Ok(())
    }
}

fn write_text(out: &mut String, (column, row, style): (&str, usize, usize), text: &str) {
    // Writing into a string can't fail.
    let _ = write!(out, "<c r=\"{column}{row}\" s=\"{style}\" t=\"inlineStr\"><is><t xml:space=\"preserve\">");
    escape(text, out);
    out.push_str("</t></is></c>");
}

/// How many narrow characters wide a cell is.
fn width_of(cell: &Cell) -> usize {
    match cell {
        Cell::Blank => 0,
        Cell::Number(number) => digits::plain(&number.to_string()).len(),
        Cell::Date(text) => text.len(),
        Cell::Text(text) => text.lines().map(|line| line.width()).max().unwrap_or_default(),
    }
}

/// The style of a date or a time, and how many days after the last one of 1899 it is. Spreadsheets disagree about days
/// before March 1900, which stay texts.
fn stored_date(text: &str) -> Option<(usize, f64)> {
    const SECONDS_OF_A_DAY: f64 = 86_400.0;
    let format = DATES.iter().position(|(length, _)| *length == text.len())?;
    let is_time = !text.contains('-');
    let at = if is_time { BEGIN.to_datetime(text.parse().ok()?) } else { dates::whole(text)? };
    if !is_time && at.date() < date(1900, 3, 1) {
        return None;
    }
    let since = at.duration_since(DateTime::from(BEGIN));
    Some((DATE + format, since.as_secs_f64() / SECONDS_OF_A_DAY))
}

/// `A`, `B`, … `Z`, `AA`, …
pub(in crate::ops) fn column_name(index: usize) -> String {
    let mut name = String::new();
    let mut left = index + 1;
    while left > 0 {
        let digit = (left - 1) % 26;
        name.insert(0, char::from(b'A' + u8::try_from(digit).unwrap_or_default()));
        left = (left - 1) / 26;
    }
    name
}

/// Text inside XML. Characters that XML can't hold are written as Excel does, `_xFFFF_`, and so are texts that look
/// like that.
fn escape(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| {
        matches!(c, '&' | '<' | '>' | '"' | '_' | '\u{fffe}' | '\u{ffff}') || (c < ' ' && c != '\n' && c != '\t')
    }) {
        let (before, special) = rest.split_at(at);
        out.push_str(before);
        let mut chars = special.chars();
        let c = chars.next().unwrap_or_default();
        rest = chars.as_str();
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '_' if is_escape(rest) => out.push_str("_x005F_"),
            '_' => out.push('_'),
            c => {
                // Writing into a string can't fail.
                let _ = write!(out, "_x{:04X}_", u32::from(c));
            }
        }
    }
    out.push_str(rest);
}

/// Whether the text after an underscore makes it an escape: `x0041_`.
fn is_escape(rest: &str) -> bool {
    let bytes = rest.as_bytes();
    bytes.len() >= 6
        && bytes[0].eq_ignore_ascii_case(&b'x')
        && bytes[1..5].iter().all(u8::is_ascii_hexdigit)
        && bytes[5] == b'_'
}
