//! The archive of a workbook: its parts, and the relationships between them. All other parts, such as pictures, printer
//! settings and other sheets, are left packed and may be anything.

use std::collections::HashMap;
use std::io::Cursor;

use quick_xml::events::Event;
use zip::ZipArchive;

use crate::ops::transfer::imports::xlsx::xml::{DAMAGED, TOO_LARGE, UNREADABLE, Xml, XmlFault, attribute};

/// Parts of the archive.
pub const MAX_PARTS: usize = 1_000;
/// Unpacked bytes of all parts that are read.
const MAX_BYTES: u64 = 256 << 20;
/// The most unpacked bytes for each byte sent; `RATIO_FROM` bytes are always allowed.
const MAX_RATIO: u64 = 100;
const RATIO_FROM: u64 = 16 << 20;
/// Unpacked bytes of a part that describes others.
pub const MAX_SMALL: u64 = 8 << 20;
/// Relationships of a part.
const MAX_RELATIONSHIPS: usize = 10_000;

/// An opened archive.
pub struct Package<'f> {
    archive: ZipArchive<Cursor<&'f [u8]>>,
    /// The parts by their names in lower case: names are compared without regard to case.
    parts: HashMap<String, usize>,
    /// Unpacked bytes that may still be read.
    left: u64,
}

/// A relationship of a part to another one.
pub struct Relationship {
    pub id: String,
    /// The last word of its type, such as `worksheet`.
    pub kind: String,
    /// The name of the other part.
    pub target: String,
}

impl<'f> Package<'f> {
    pub fn open(file: &'f [u8]) -> Result<Self, XmlFault> {
        let archive = ZipArchive::new(Cursor::new(file)).map_err(|_| UNREADABLE)?;
        let mut parts = HashMap::new();
        for (index, name) in archive.file_names().enumerate() {
            let name = name.map_err(|_| UNREADABLE)?.replace('\\', "/");
            parts.insert(name.trim_start_matches('/').to_ascii_lowercase(), index);
        }
        let left = MAX_BYTES.min(RATIO_FROM.max((file.len() as u64).saturating_mul(MAX_RATIO)));
        Ok(Self { archive, parts, left })
    }

    /// The number of parts.
    pub fn part_count(&self) -> usize {
        self.archive.len()
    }

    /// A part as XML, of at most so many bytes. `None` if there is none of that name.
    pub fn part(&mut self, name: &str, most: u64) -> Result<Option<Xml<'_>>, XmlFault> {
        let Some(index) = self.parts.get(&name.to_ascii_lowercase()) else {
            return Ok(None);
        };
        let part = self.archive.by_index(*index).map_err(|_| DAMAGED)?;
        Ok(Some(Xml::new(part, most, &mut self.left)))
    }

    /// The same, of a part that describes others, and must be there.
    pub fn small(&mut self, name: &str) -> Result<Xml<'_>, XmlFault> {
        self.part(name, MAX_SMALL)?.ok_or(UNREADABLE)
    }

    /// The relationships of a part; those of the whole archive for the empty name. Other files are left out.
    pub fn relationships(&mut self, of: &str) -> Result<Vec<Relationship>, XmlFault> {
        let (folder, name) = of.rsplit_once('/').unwrap_or(("", of));
        let slash = if folder.is_empty() { "" } else { "/" };
        let mut xml = self.small(&format!("{folder}{slash}_rels/{name}.rels"))?;
        let mut out = Vec::new();
        loop {
            match xml.next()? {
                Event::Eof => return Ok(out),
                Event::Start(tag) if tag.local_name().as_ref() == "Relationship" => {
                    let told = |name: &str| attribute(&tag, name).unwrap_or_default();
                    if told("TargetMode") == "External" {
                        continue;
                    }
                    let kind = told("Type").rsplit('/').next().unwrap_or_default().to_owned();
                    out.push(Relationship { id: told("Id"), kind, target: within(folder, &told("Target")) });
                    if out.len() > MAX_RELATIONSHIPS {
                        return Err(TOO_LARGE);
                    }
                }
                _ => {}
            }
        }
    }
}

/// The name of a part as a relationship gives it: from the root, or from the folder of the part that names it.
fn within(folder: &str, target: &str) -> String {
    let target = target.replace('\\', "/");
    let (folder, target) = match target.strip_prefix('/') {
        Some(rooted) => ("", rooted),
        None => (folder, target.as_str()),
    };
    let mut way: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in target.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                way.pop();
            }
            step => way.push(step),
        }
    }
    way.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_found_from_where_they_are_named() {
        for (folder, target, name) in [
            ("", "xl/workbook.xml", "xl/workbook.xml"),
            ("", "/xl/workbook.xml", "xl/workbook.xml"),
            ("xl", "worksheets/sheet1.xml", "xl/worksheets/sheet1.xml"),
            ("xl", "/xl/worksheets/sheet1.xml", "xl/worksheets/sheet1.xml"),
            ("xl", "../strings.xml", "strings.xml"),
            ("xl", "./a\\b.xml", "xl/a/b.xml"),
            ("", "../../x", "x"),
        ] {
            assert_eq!(within(folder, target), name, "{folder} {target}");
        }
    }
}
