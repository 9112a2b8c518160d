//! Builds the files that pages load from `assets`: modules joined into few files, without comments, compressed in
//! advance. So a page needs one round trip for everything, and little data.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

/// Modules that all kinds of form pages use.
const FORM: &[&str] = &[
    "form.js",
    "keep.js",
    "rules.js",
    "card.js",
    "enter.js",
    "progress.js",
    "room.js",
    "countdown.js",
    "exam.js",
    "embed.js",
];
/// Modules of single kinds of questions. A page that asks for one loads all of them, in one file with those of all form
/// pages: two files would be a twelfth larger together.
const CONTROLS: &[&str] = &[
    "address.js",
    "booking.js",
    "cascade.js",
    "clear.js",
    "counter.js",
    "files.js",
    "linked.js",
    "location.js",
    "order.js",
    "phone.js",
    "product.js",
    "ranking.js",
    "recorder.js",
    "signature.js",
    "table.js",
];
/// Modules of signed-in pages alone.
const CONSOLE: &[&str] = &[
    "beside.js",
    "checkin.js",
    "choices.js",
    "columns.js",
    "conditions.js",
    "default.js",
    "deliveries.js",
    "divider.js",
    "editor.js",
    "entries.js",
    "entry.js",
    "finder.js",
    "formula.js",
    "forms.js",
    "framed.js",
    "import.js",
    "jobs.js",
    "look.js",
    "outline.js",
    "palette.js",
    "panel.js",
    "paste.js",
    "points.js",
    "print.js",
    "queries.js",
    "report.js",
    "rich.js",
    "sentences.js",
    "session.js",
    "settings.js",
    "share.js",
    "unsaved.js",
    "widths.js",
];
/// The stylesheet of all pages: its files in `assets/css/app`, in the order in which their rules hold.
const APP_STYLE: &[&str] = &[
    "base.css",
    "parts.css",
    "fields.css",
    "choices.css",
    "grids.css",
    "files.css",
    "shop.css",
    "linked.css",
    "frame.css",
    "form.css",
    "receipt.css",
    "cards.css",
    "media.css",
];
/// The stylesheet of signed-in pages, as `APP_STYLE` in `assets/css/console`.
const CONSOLE_STYLE: &[&str] = &[
    "frame.css",
    "entries.css",
    "settings.css",
    "lists.css",
    "bookings.css",
    "tables.css",
    "parts.css",
    "share.css",
    "report.css",
    "builder.css",
    "rich.css",
    "look.css",
    "logic.css",
    "queries.css",
];
/// Modules that signed-in pages share with others, so that they stand in both files.
const SHARED: &[&str] = &["copy.js", "password.js", "submit_once.js", "timezone.js"];
/// The file of the remaining modules, except imported ones.
const OTHERS: &str = "pages.js";
const LARGEST_WINDOW: i32 = 22;

/// Writes the files into the folder `assets` in `to`, and `bundles.rs` next to it, which lists the modules of files.
pub fn write(assets: &Path, to: &Path) {
    let made = to.join("assets");
    let _ = fs::remove_dir_all(&made);
    fs::create_dir_all(&made).expect("the folder can be written to");
    let mut files: Vec<(String, Vec<u8>)> = Vec::new();
    for folder in ["css", "icons", "other_sites"] {
        for (name, text) in texts(&assets.join(folder)) {
            let is_css = name.ends_with(".css");
            files.push((name, if is_css { shorter_css(&text) } else { text }.into_bytes()));
        }
    }
    for (folder, parts) in [("app", APP_STYLE), ("console", CONSOLE_STYLE)] {
        let mut rules = texts(&assets.join("css").join(folder));
        let missing = |part: &str| -> String { panic!("the stylesheet {folder} names {part}, which is not there") };
        let joined: String = parts.iter().map(|part| rules.remove(*part).unwrap_or_else(|| missing(part))).collect();
        assert!(rules.is_empty(), "the stylesheet {folder} does not name {:?}", rules.keys());
        files.push((format!("{folder}.css"), shorter_css(&joined).into_bytes()));
    }
    let font = fs::read(assets.join("fonts/caveat.ttf")).expect("the font of signatures");
    files.push(("caveat.ttf".to_owned(), font));
    let modules: BTreeMap<String, Module> =
        texts(&assets.join("js")).into_iter().map(|(name, text)| (name.clone(), Module::read(&name, &text))).collect();
    let bundles = bundles(&modules);
    for (bundle, entries) in &bundles {
        files.push(((*bundle).to_owned(), joined(entries, &modules).into_bytes()));
    }
    for (name, bytes) in files {
        for (ending, bytes) in [(".gz", gzip(&bytes)), (".br", brotli(&bytes))] {
            fs::write(made.join(format!("{name}{ending}")), bytes).expect("the folder can be written to");
        }
    }
    let bundles: String = bundles.iter().map(|(bundle, entries)| format!("({bundle:?}, &{entries:?}),")).collect();
    let bundles = format!("static BUNDLES: &[(&str, &[&str])] = &[{bundles}];");
    fs::write(to.join("bundles.rs"), bundles).expect("the folder can be written to");
}

/// The texts of a folder by name.
fn texts(folder: &Path) -> BTreeMap<String, String> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let read = |path: &Path| {
        let name = path.file_name()?.to_str()?.to_owned();
        Some((name, fs::read_to_string(path).ok()?))
    };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter_map(|path| read(&path)).collect()
}

/// The stylesheet without comments, and without blanks that separate nothing.
fn shorter_css(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        out.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    out.push_str(rest);
    assert!(!out.contains(['\'', '\\']), "the stylesheet: strings are in double quotes, without escapes");
    let lines = out.lines().map(str::trim).filter(|line| !line.is_empty());
    let joined = lines.collect::<Vec<_>>().join(" ");
    // Every second part is a string.
    let parts = joined.split('"').enumerate();
    let parts = parts.map(|(number, part)| match number % 2 {
        0 => BLANKS.iter().fold(part.to_owned(), |text, (from, to)| text.replace(from, to)),
        _ => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("\"")
}

/// What means the same in a stylesheet outside strings. (A blank before a colon is a descendant, one around a sign an
/// operator.)
const BLANKS: &[(&str, &str)] =
    &[(" {", "{"), ("{ ", "{"), ("; ", ";"), (";}", "}"), (" }", "}"), ("} ", "}"), (", ", ","), (": ", ":")];

/// Assigns modules to files, the smallest of those that share modules first. A page loads only one of those: a module
/// would run twice otherwise.
fn bundles(modules: &BTreeMap<String, Module>) -> Vec<(&'static str, Vec<&str>)> {
    let imported: BTreeSet<&str> =
        modules.values().flat_map(|module| module.imports.iter().map(String::as_str)).collect();
    let is_named = |name: &str| [FORM, CONTROLS, CONSOLE].iter().any(|named| named.contains(&name));
    let others = modules.keys().map(String::as_str);
    let others = others.filter(|name| !is_named(name) && !imported.contains(name));
    let all = [
        ("form.js", FORM.to_vec()),
        ("form_controls.js", [FORM, CONTROLS].concat()),
        (OTHERS, others.collect()),
        ("console.js", [CONSOLE, SHARED].concat()),
    ];
    let asked: Vec<&str> = all.iter().flat_map(|(_, entries)| entries.clone()).collect();
    for (bundle, entries) in &all {
        for name in with_imports(entries, modules) {
            let is_elsewhere = asked.contains(&name.as_str()) && !entries.contains(&name.as_str());
            assert!(!is_elsewhere, "{bundle} imports {name}, which runs in another file");
        }
    }
    all.into()
}

/// These modules and their imports, imports first.
fn with_imports(entries: &[&str], modules: &BTreeMap<String, Module>) -> Vec<String> {
    fn add(name: &str, modules: &BTreeMap<String, Module>, way: &mut Vec<String>, out: &mut Vec<String>) {
        assert!(!way.iter().any(|one| one == name), "{name} imports itself: {way:?}");
        if out.iter().any(|known| known == name) {
            return;
        }
        let module = modules.get(name).unwrap_or_else(|| panic!("no module {name}"));
        way.push(name.to_owned());
        for import in &module.imports {
            add(import, modules, way, out);
        }
        way.pop();
        out.push(name.to_owned());
    }
    let mut out = Vec::new();
    for entry in entries {
        add(entry, modules, &mut Vec::new(), &mut out);
    }
    out
}

/// Joins modules and their imports into one file. Each is a function with a scope of its own. Only modules that the
/// page asks for run, and a failing one does not affect the others.
fn joined(entries: &[&str], modules: &BTreeMap<String, Module>) -> String {
    let mut out = "const modules = {\n".to_owned();
    for name in with_imports(entries, modules) {
        let module = &modules[&name];
        let _ = writeln!(out, "{name:?}: () => {{\n{}\nreturn {{ {} }};\n}},", module.body, module.exports.join(", "));
    }
    out.push_str(
        "};
const made = {};
const load = (name) => made[name] ??= modules[name]();
for (const name of (document.body.dataset.modules ?? \"\").split(\" \")) {
try {
if (Object.hasOwn(modules, name)) load(name);
} catch (fault) {
reportError(fault);
}
}
",
    );
    out
}

/// A module as the body of a function.
struct Module {
    imports: Vec<String>,
    exports: Vec<String>,
    body: String,
}

impl Module {
    /// Parses the few supported forms of `import` and `export`, each on a line of its own.
    fn read(name: &str, text: &str) -> Self {
        let (mut imports, mut exports, mut lines) = (Vec::new(), Vec::new(), Vec::new());
        for line in text.lines().map(str::trim) {
            assert!(
                line.matches('`').count() % 2 == 0 && !line.starts_with("/*"),
                "{name}: a template or a comment of several lines: {line}"
            );
            if line.is_empty() || line.starts_with("//") {
                continue;
            }
            let unknown = || -> ! { panic!("{name}: can't read {line}") };
            if let Some(rest) = line.strip_prefix("import ") {
                let Some((names, from)) = rest.split_once('"') else { unknown() };
                let Some(from) = from.strip_prefix("./").and_then(|from| from.strip_suffix("\";")) else { unknown() };
                imports.push(from.to_owned());
                lines.push(match names.strip_suffix(" from ") {
                    Some(names) => {
                        format!("const {} = load({from:?});", names.replace(" as ", ": "))
                    }
                    None => format!("load({from:?});"),
                });
            } else if let Some(rest) = line.strip_prefix("export ") {
                if let Some(names) = rest.strip_prefix('{').and_then(|rest| rest.strip_suffix("};")) {
                    exports.extend(names.split(',').map(|name| name.trim().to_owned()));
                    continue;
                }
                let words = ["const ", "function ", "async function ", "class "];
                let Some(named) = words.iter().find_map(|word| rest.strip_prefix(word)) else { unknown() };
                let end = named.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
                exports.push(named[..end.unwrap_or(named.len())].to_owned());
                lines.push(rest.to_owned());
            } else {
                lines.push(line.to_owned());
            }
        }
        Self { imports, exports, body: lines.join("\n") }
    }
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).expect("memory takes it");
    encoder.finish().expect("memory takes it")
}

pub fn brotli(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let best = brotli::enc::BrotliEncoderParams {
        quality: 11,
        lgwin: LARGEST_WINDOW,
        size_hint: bytes.len(),
        ..Default::default()
    };
    brotli::BrotliCompress(&mut &bytes[..], &mut out, &best).expect("memory takes it");
    out
}
