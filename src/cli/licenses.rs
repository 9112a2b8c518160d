//! `formsvc licenses`: the libraries and files in the program, their licenses, and the texts of these.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use brotli_decompressor::Decompressor;
use serde::{Deserialize, Serialize};

use crate::cli::failure::Failure;
use crate::cli::output;

static PARTS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/licenses.json.br"));
const BUFFER: usize = 4096;
const RULE: &str = "--------------------------------------------------------------------------------";

#[derive(Deserialize, Serialize)]
struct Licenses {
    /// The program itself first.
    parts: Vec<LicensedPart>,
    texts: BTreeMap<String, String>,
}

#[derive(Deserialize, Serialize)]
struct LicensedPart {
    name: String,
    /// Empty if it has none.
    version: String,
    /// `program`, `crate`, `library` or `font`.
    kind: String,
    /// An SPDX expression.
    license: String,
    home: String,
    /// The keys of its texts.
    texts: Vec<String>,
}

impl LicensedPart {
    fn title(&self) -> String {
        format!("{} {}", self.name, self.version).trim_end().to_owned()
    }
}

/// Needs no data dir and no settings.
pub fn print(json: bool) -> Result<(), Failure> {
    let damaged = |fault: &dyn std::fmt::Display| Failure::failed("the licenses can't be unpacked", fault);
    let packed = Decompressor::new(PARTS, BUFFER);
    let mut licenses: Licenses = serde_json::from_reader(packed).map_err(|e| damaged(&e))?;
    if let Some(own) = licenses.parts.first_mut() {
        env!("CARGO_PKG_VERSION").clone_into(&mut own.version);
    }
    let mut shown = if json { serde_json::to_string(&licenses).map_err(|e| damaged(&e))? } else { document(&licenses) };
    shown.push('\n');
    output::print_verbatim(shown.as_bytes())
}

/// A list of the parts, then each text with the parts that it is for.
fn document(licenses: &Licenses) -> String {
    let Licenses { parts, texts } = licenses;
    let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut order: Vec<&str> = Vec::new();
    for key in parts.iter().flat_map(|part| &part.texts) {
        numbers.entry(key).or_insert_with(|| {
            order.push(key);
            order.len()
        });
    }
    let mut out = "formsvc contains these components. The numbers refer to the license texts below.\n\n".to_owned();
    for part in parts {
        let of_part: Vec<String> =
            part.texts.iter().filter_map(|key| numbers.get(key.as_str())).map(usize::to_string).collect();
        // Writing to a String can't fail.
        let _ = writeln!(out, "{:<40} {:<44} {}", part.title(), part.license, of_part.join(" "));
    }
    for (number, key) in (1..).zip(order) {
        let of_text = parts.iter().filter(|part| part.texts.iter().any(|one| one == key));
        let names: Vec<String> = of_text.map(LicensedPart::title).collect();
        let text = texts.get(key).map_or("", String::as_str);
        let _ = write!(out, "\n{RULE}\n{number}: {}\n{RULE}\n\n{text}\n", names.join(", "));
    }
    out.trim_end().to_owned()
}
