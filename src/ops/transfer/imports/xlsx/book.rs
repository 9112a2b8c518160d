//! The context for reading a sheet's cells: which sheet it is, the texts that cells share, and how numbers are shown.

use quick_xml::events::Event;

use crate::ops::transfer::imports::xlsx::numbers::{self, Format};
use crate::ops::transfer::imports::xlsx::package::{MAX_SMALL, Package};
use crate::ops::transfer::imports::xlsx::xml::{TOO_LARGE, UNREADABLE, XmlFault, attribute};

/// Unpacked bytes of the texts that cells share, all of which are kept in memory.
const MAX_SHARED: u64 = 64 << 20;
/// Texts that cells share.
const MAX_TEXTS: usize = 2_000_000;
/// Cell formats: no program writes more.
const MAX_FORMATS: usize = 65_536;

/// A workbook without its cells.
pub struct Book {
    /// The part that is the first visible sheet.
    pub sheet: String,
    /// The names and the parts of the visible sheets after it.
    pub others: Vec<(String, String)>,
    /// Whether days are counted from 1904.
    pub is_1904: bool,
    /// The texts that cells share.
    pub texts: Vec<String>,
    /// The formats of cells.
    pub formats: Vec<Format>,
}

impl Book {
    pub fn read(package: &mut Package) -> Result<Self, XmlFault> {
        let mut roots = package.relationships("")?.into_iter();
        let main = roots.find(|it| it.kind == "officeDocument").ok_or(UNREADABLE)?.target;
        let parts = package.relationships(&main)?;
        let (sheets, is_1904) = sheets(package, &main)?;
        let of_kind = |kind: &str| parts.iter().find(|it| it.kind == kind).map(|it| it.target.as_str());
        // Other kinds of sheets, such as charts and macros, have no cells.
        let part = |id: &str| parts.iter().find(|it| it.id == id && it.kind == "worksheet");
        let visible = sheets.into_iter().filter(|sheet| sheet.is_visible);
        let mut visible = visible.filter_map(|sheet| Some((sheet.name, part(&sheet.id)?.target.clone())));
        let (_, sheet) = visible.next().ok_or("has no sheet")?;
        let others = visible.collect();
        let texts = match of_kind("sharedStrings") {
            Some(name) => shared_texts(package, name)?,
            None => Vec::new(),
        };
        let formats = match of_kind("styles") {
            Some(name) => formats(package, name)?,
            None => Vec::new(),
        };
        Ok(Self { sheet, others, is_1904, texts, formats })
    }
}

struct Sheet {
    name: String,
    /// The relationship of its part.
    id: String,
    is_visible: bool,
}

/// The sheets in their order, and whether days are counted from 1904.
fn sheets(package: &mut Package, main: &str) -> Result<(Vec<Sheet>, bool), XmlFault> {
    let mut xml = package.small(main)?;
    let (mut sheets, mut is_1904) = (Vec::new(), false);
    loop {
        match xml.next()? {
            Event::Eof => return Ok((sheets, is_1904)),
            Event::Start(tag) => match tag.local_name().as_ref() {
                "sheet" => {
                    let told = |name: &str| attribute(&tag, name);
                    sheets.push(Sheet {
                        name: told("name").unwrap_or_default(),
                        id: told("id").unwrap_or_default(),
                        is_visible: told("state").is_none_or(|state| state == "visible"),
                    });
                }
                // An extension has an element of the same name without this attribute.
                "workbookPr" => is_1904 |= attribute(&tag, "date1904").is_some_and(|it| it == "1" || it == "true"),
                _ => {}
            },
            _ => {}
        }
    }
}

fn shared_texts(package: &mut Package, name: &str) -> Result<Vec<String>, XmlFault> {
    let mut texts = Vec::new();
    // A relationship may name a part that is not there, if no cell needs it.
    let Some(mut xml) = package.part(name, MAX_SHARED)? else {
        return Ok(texts);
    };
    loop {
        let is_text = match xml.next()? {
            Event::Eof => return Ok(texts),
            Event::Start(tag) => tag.local_name().as_ref() == "si",
            _ => false,
        };
        if is_text {
            if texts.len() >= MAX_TEXTS {
                return Err(TOO_LARGE);
            }
            xml.begin_item();
            texts.push(xml.rich_text()?);
            xml.end_item();
        }
    }
}

/// The formats that cells name by their index.
fn formats(package: &mut Package, name: &str) -> Result<Vec<Format>, XmlFault> {
    let Some(mut xml) = package.part(name, MAX_SMALL)? else {
        return Ok(Vec::new());
    };
    let mut own: Vec<(String, Format)> = Vec::new();
    let mut formats = Vec::new();
    // Elements of these names stand elsewhere too, with another meaning.
    let (mut has_codes, mut has_cells) = (false, false);
    loop {
        match xml.next()? {
            Event::Eof => return Ok(formats),
            Event::Start(tag) => match tag.local_name().as_ref() {
                "numFmts" => has_codes = true,
                "cellXfs" => has_cells = true,
                "numFmt" if has_codes => {
                    let code = attribute(&tag, "formatCode").unwrap_or_default();
                    own.push((attribute(&tag, "numFmtId").unwrap_or_default(), Format::of_code(&code)));
                }
                "xf" if has_cells => {
                    let id = attribute(&tag, "numFmtId").unwrap_or_default();
                    let known = own.iter().find(|(own, _)| *own == id);
                    formats.push(known.map_or_else(|| Format::built_in(&id), |(_, format)| *format));
                }
                _ => {}
            },
            Event::End(tag) => match tag.local_name().as_ref() {
                "numFmts" => has_codes = false,
                "cellXfs" => has_cells = false,
                _ => {}
            },
            _ => {}
        }
        if formats.len() > MAX_FORMATS || own.len() > numbers::MAX_CODES {
            return Err(TOO_LARGE);
        }
    }
}
