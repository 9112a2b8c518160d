//! Rules about the source text that no compiler checks: which layer may name which, what lives where,
//! and that tables and folders agree. It reads lines.

#[path = "tidy/circles.rs"]
mod circles;
#[path = "tidy/migrations.rs"]
mod migrations;
#[path = "tidy/phrases.rs"]
mod phrases;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What each layer may name, itself left out; lowest first.
const LAYERS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("media", &["base"]),
    ("http", &["base"]),
    ("outbound", &["base"]),
    ("model", &["base"]),
    ("fields", &["base", "media", "model"]),
    ("store", &["base", "model", "fields"]),
    ("query", &["base", "model", "fields", "store"]),
    ("ops", &["base", "media", "outbound", "model", "fields", "store", "query"]),
    ("web", &["base", "http", "model", "fields", "ops"]),
    ("jobs", &["base", "outbound", "model", "ops"]),
    ("cli", &["base", "http", "outbound", "model", "ops", "web", "jobs"]),
];

/// What the service is about. Each has a folder or a file of its name wherever it has code or tests.
const SUBJECTS: &[&str] = &[
    "accounts", "backups", "capacity", "checkup", "delivery", "entries", "exams", "files", "forms", "oauth", "queries",
    "server", "transfer",
];

/// Folders that are divided by subject, and what else they have.
const BY_SUBJECT: &[(&str, &[&str])] = &[
    ("src/store", &["db"]),
    ("src/ops", &["app"]),
    ("src/web/api", &["health", "openapi", "routes"]),
    ("tests/http", &["api", "cli", "fields", "form_page", "main", "store", "tables"]),
];

/// Files side by side in one folder, and the folders that may have more: one for each kind.
const MOST_FILES: usize = 25;
const LARGE_FOLDERS: &[&str] = &["src/fields/kinds"];

/// Surfaces of `web` that know nothing of each other.
const SURFACES: &[&str] = &["api", "oauth", "pages"];

/// Words of code, and the only places they may stand in.
const HOMES: &[(&[&str], &[&str])] = &[
    (&["rusqlite", "r2d2", "refinery"], &["src/store/"]),
    (&["warp"], &["src/web/", "src/http/"]),
    (&["jsonwebtoken"], &["src/base/jwt.rs"]),
    (&["lettre"], &["src/jobs/smtp.rs"]),
    (&["std::env", "env::var", "env::args"], &["src/cli/", "src/build.rs"]),
    // The time of day; an `Instant` tells none.
    (&["SystemTime", "UNIX_EPOCH", "Timestamp::now", "Zoned::now"], &["src/base/clock.rs"]),
    (&["\"SELECT ", "\"INSERT INTO ", "\"UPDATE ", "\"DELETE FROM ", "\"PRAGMA ", "\"CREATE TABLE "], &["src/store/"]),
];

const LONG: usize = 500;

/// A file of Rust, with its path from the root of the repository.
struct Source {
    path: String,
    text: String,
}

impl Source {
    /// Lines of code with their numbers: comments are left out.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.text.lines().enumerate();
        lines
            .map(|(i, line)| (i + 1, line.split("//").next().unwrap_or_default()))
            .filter(|(_, line)| !line.trim().is_empty())
    }

    /// `store` of `src/store/forms.rs`; none for what stands beside the layers.
    fn layer(&self) -> Option<&str> {
        self.path.strip_prefix("src/")?.split_once('/').map(|p| p.0)
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository").to_owned()
}

fn sources(folder: &str) -> Vec<Source> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = fs::read_to_string(&path).expect("a readable file");
                let path = path.strip_prefix(root()).expect("below the root");
                let path = path.to_str().expect("a plain name").to_owned();
                found.push(Source { path, text });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(!found.is_empty(), "{folder} holds no source");
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    listed.map(|entry| entry.expect("an entry").path()).collect()
}

/// The names that follow `prefix` in a text: `store` of `crate::store::forms`.
fn names_after<'t>(text: &'t str, prefix: &'t str) -> impl Iterator<Item = &'t str> {
    text.match_indices(prefix).map(move |(at, _)| {
        let rest = &text[at + prefix.len()..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        &rest[..end.unwrap_or(rest.len())]
    })
}

fn none(faults: &[String]) {
    assert!(faults.is_empty(), "\n{}\n", faults.join("\n"));
}

#[test]
fn layers_name_only_lower_ones() {
    let mut faults = Vec::new();
    for source in sources("src") {
        let Some(own) = source.layer() else { continue };
        let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == own) else {
            faults.push(format!("{}: {own} is no layer", source.path));
            continue;
        };
        for (number, line) in source.code() {
            let at = format!("{}:{number}", source.path);
            for named in names_after(line, "crate::") {
                if named != own && !allowed.contains(&named) {
                    faults.push(format!("{at}: {own} names {named}"));
                }
            }
            if line.contains("super::super") || line.contains("crate::{") {
                faults.push(format!("{at}: imports are `use crate::module::Item;`"));
            }
        }
    }
    none(&faults);
}

#[test]
fn neighbours_do_not_name_each_other() {
    let mut faults = Vec::new();
    for source in sources("src/web") {
        let Some(own) = SURFACES.iter().find(|own| source.path.starts_with(&format!("src/web/{own}/"))) else {
            continue;
        };
        // An import may list several modules over several lines: read it to its end.
        for statement in source.text.split(';') {
            for other in SURFACES.iter().filter(|other| *other != own) {
                let listed = statement
                    .split_once("crate::web::{")
                    .is_some_and(|(_, list)| list.split(&['{', ',', '}', ' ', '\n']).any(|name| name == *other));
                if listed || names_after(statement, "crate::web::").any(|name| name == *other) {
                    faults.push(format!("{}: {own} names {other}", source.path));
                }
            }
        }
    }
    for source in sources("src/fields/kinds") {
        if source.path.ends_with("/mod.rs") {
            continue;
        }
        // What a kind of several files names of itself.
        let own = source.path.split('/').nth(3).unwrap_or_default();
        let own = format!("fields::kinds::{own}::");
        for (number, line) in source.code() {
            if line.contains("fields::kinds") && !line.contains(&own)
                || (line.contains("super::") && !line.contains("use super::*"))
            {
                faults.push(format!("{}:{number}: a kind names another", source.path));
            }
        }
    }
    none(&faults);
}

#[test]
fn subjects_have_one_name_everywhere() {
    let names = |folder: &str| -> BTreeSet<String> {
        let paths = entries(&root().join(folder));
        let stems = paths.iter().filter_map(|path| path.file_stem()?.to_str());
        stems.filter(|name| *name != "mod").map(str::to_owned).collect()
    };
    let mut faults = Vec::new();
    for (folder, rooms) in BY_SUBJECT {
        let found = names(folder);
        let unknown = found.iter().filter(|name| !SUBJECTS.contains(&name.as_str()) && !rooms.contains(&name.as_str()));
        faults.extend(unknown.map(|name| format!("{folder}/{name} is no subject")));
        faults.extend(rooms.iter().filter(|room| !found.contains(**room)).map(|room| format!("no {folder}/{room}")));
    }
    for folder in ["src/ops", "tests/http"] {
        let found = names(folder);
        let missing = SUBJECTS.iter().filter(|subject| !found.contains(**subject));
        faults.extend(missing.map(|subject| format!("no {folder}/{subject}")));
    }
    none(&faults);
}

#[test]
fn folders_are_small_and_modules_stand_in_one_way() {
    let mut files = BTreeMap::<PathBuf, usize>::new();
    let mut faults = Vec::new();
    for source in ["src", "tests"].into_iter().flat_map(sources) {
        let path = Path::new(&source.path);
        *files.entry(path.parent().expect("a folder").to_owned()).or_default() += 1;
        // The root of a test program stands beside its folder.
        if root().join(path.with_extension("")).is_dir() && source.path != "tests/tidy.rs" {
            faults.push(format!("{} stands beside its folder: it is the folder's mod.rs", source.path));
        }
    }
    for (folder, count) in files {
        if count > MOST_FILES && !LARGE_FOLDERS.iter().any(|large| folder == Path::new(large)) {
            faults.push(format!("{} has {count} files side by side", folder.display()));
        }
    }
    none(&faults);
}

#[test]
fn everything_has_its_home() {
    let mut faults = Vec::new();
    for source in sources("src") {
        for (words, homes) in HOMES {
            if homes.iter().any(|home| source.path.starts_with(home)) {
                continue;
            }
            for (number, line) in source.code() {
                for word in words.iter().filter(|word| stands_in(line, word)) {
                    faults.push(format!("{}:{number}: {word} belongs to {homes:?}", source.path));
                }
            }
        }
    }
    none(&faults);
}

/// Whether the word stands in the line as a word of its own: `warp` but not `warped`.
fn stands_in(line: &str, word: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back().is_some_and(is_letter);
        let after = line[at + word.len()..].chars().next().is_some_and(is_letter);
        !(before && word.starts_with(is_letter) || after && word.ends_with(is_letter))
    })
}

#[test]
fn the_top_level_has_no_more_than_it_should() {
    let known = [
        "CHANGELOG.md",
        "Cargo.lock",
        "Cargo.toml",
        "LICENSE",
        "README.md",
        "SECURITY.md",
        "assets",
        "migrations",
        "packaging",
        "src",
        "target",
        "tests",
    ];
    let faults: Vec<String> = entries(&root())
        .iter()
        .filter_map(|path| path.file_name()?.to_str())
        .filter(|name| !name.starts_with('.') && !known.contains(name))
        .map(|name| format!("{name} does not belong at the top"))
        .collect();
    none(&faults);
}

#[test]
fn every_file_says_what_it_is() {
    let mut faults = Vec::new();
    for source in ["src", "tests"].into_iter().flat_map(sources) {
        if !source.text.starts_with("//! ") {
            faults.push(format!("{} does not begin with //!", source.path));
        }
        let lines = source.text.lines().count();
        if lines > LONG {
            eprintln!("{} has {lines} lines: is it one subject?", source.path);
        }
    }
    none(&faults);
}

#[test]
fn every_kind_is_in_the_table() {
    let table = fs::read_to_string(root().join("src/fields/kinds/mod.rs")).expect("the table");
    let mut faults = Vec::new();
    for path in entries(&root().join("src/fields/kinds")) {
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a plain name");
        if name == "mod" {
            continue;
        }
        for needed in [format!("mod {name};"), format!("&{name}::KIND,")] {
            if !table.contains(&needed) {
                faults.push(format!("src/fields/kinds/mod.rs lacks `{needed}`"));
            }
        }
    }
    none(&faults);
}

/// The text with every `{name}` as `{}`.
fn unnamed(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        out.push('{');
        rest = after;
        if let Some((name, behind)) = after.split_once('}')
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        {
            out.push('}');
            rest = behind;
        }
    }
    out + rest
}

#[test]
fn every_route_has_a_test_that_names_its_path() {
    let tests = ["tests/http", "tests/browser", "tests/support"];
    let tests: String = tests.into_iter().flat_map(sources).map(|source| unnamed(&source.text)).collect();
    let rows: BTreeSet<String> = sources("src/web")
        .iter()
        .flat_map(Source::code)
        .filter_map(|(_, line)| line.trim().split_once("(\"/"))
        // A row is `Route::get("/path", …`.
        .filter(|(constructor, _)| constructor.starts_with("Route::"))
        .filter_map(|(_, rest)| rest.split_once("\","))
        .map(|(path, _)| format!("/{path}"))
        .collect();
    assert!(rows.len() > 20, "{rows:?}");
    let named = |path: &str| {
        let path = unnamed(path);
        // Most tests have a form's address at hand and write `{}/settings`.
        let behind_form = path.strip_prefix("/api/v1/forms/{}/").or_else(|| path.strip_prefix("/f/{}/"));
        tests.contains(&format!("{path}\""))
            || tests.contains(&format!("{path}?"))
            || behind_form.is_some_and(|rest| tests.contains(&format!("\"{{}}/{rest}\"")))
    };
    let faults: Vec<String> =
        rows.iter().filter(|path| !named(path)).map(|path| format!("no test names {path}")).collect();
    none(&faults);
}

#[test]
fn migrations_are_well_named() {
    let mut faults = Vec::new();
    for path in entries(&root().join("migrations")) {
        let name = path.file_name().and_then(|name| name.to_str()).expect("a plain name");
        let well_formed =
            name.strip_suffix(".sql").and_then(|stem| stem.split_once("__")).is_some_and(|(number, what)| {
                let snake = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_';
                let is_time = |text: &str| text.len() == 10 && text.bytes().all(|b| b.is_ascii_digit());
                (number == "V1" || number.strip_prefix('U').is_some_and(is_time))
                    && !what.is_empty()
                    && what.bytes().all(snake)
            });
        if !well_formed {
            faults.push(format!("migrations/{name} is not V1__first.sql or U<unix time>__<what>.sql"));
        }
    }
    none(&faults);
}

#[test]
fn the_rules_see_what_they_should() {
    assert_eq!(names_after("use crate::store::x; crate::web", "crate::").collect::<Vec<_>>(), ["store", "web"]);
    assert!(stands_in("use warp::http;", "warp") && !stands_in("warped", "warp"));
    assert!(stands_in("let a = \"SELECT 1\";", "\"SELECT "));
    assert_eq!(unnamed("/f/{form}/x {json!({})} {"), "/f/{}/x {json!({})} {");
}

/// What turns text into markup or code: a script of ours writes text and nothing else (S53), and
/// listens to no other page (S57).
const SINKS: &[&str] = &[
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "createContextualFragment",
    "document.write",
    "parseFromString",
    "srcdoc",
    // The type of an answer that is parsed past trusted types.
    "\"document\"",
    "eval(",
    "new Function",
    "javascript:",
    "\"message\"",
    "onmessage",
    ".setAttribute(\"on",
    "setAttribute(\"style\"",
];

#[test]
fn scripts_write_text_and_listen_to_nobody() {
    let mut faults = Vec::new();
    // A page of another site hears how high its frames are.
    let hears = |path: &Path| path.ends_with("assets/other_sites/embed.js");
    for path in ["assets/js", "assets/other_sites"].into_iter().flat_map(|folder| entries(&root().join(folder))) {
        let text = fs::read_to_string(&path).expect("a script");
        for (number, line) in text.lines().enumerate() {
            let sinks = SINKS.iter().filter(|sink| !(hears(&path) && **sink == "\"message\""));
            for sink in sinks.filter(|sink| line.contains(**sink)) {
                faults.push(format!("{}:{}: {sink}", path.display(), number + 1));
            }
            // A timer takes a function, never text.
            if line.contains("setTimeout(\"") || line.contains("setTimeout('") {
                faults.push(format!("{}:{}: setTimeout", path.display(), number + 1));
            }
        }
        if !text.starts_with("// ") {
            faults.push(format!("{} does not say what it is", path.display()));
        }
    }
    none(&faults);
}

/// Pages of the console are made of the parts of `pages/ui`: no element of their own has a class.
#[test]
fn console_pages_are_made_of_parts() {
    const TAGS: [&str; 12] =
        ["a.", "button.", "details.", "div.", "form.", "h1.", "h2.", "input.", "p.", "section.", "span.", "ul."];
    let is_styled = |element: &str| {
        let class = TAGS.iter().find_map(|tag| element.trim_start().strip_prefix(tag));
        class.and_then(|class| class.split_once(' ')).is_some_and(|(class, _)| !class.contains(['(', ')', ',', ';']))
    };
    let mut faults = Vec::new();
    for source in sources("src/web/pages/console") {
        for (number, line) in source.code() {
            if line.contains(" class=") || line.split("{ ").any(is_styled) {
                faults.push(format!("{}:{number}: {}", source.path, line.trim()));
            }
        }
    }
    none(&faults);
}

/// Types of fields that are also words of HTML, of JSON or of definitions.
const COMMON_TYPES: &[&str] = &[
    "address",
    "audio",
    "booking",
    "checkbox",
    "date",
    "description",
    "email",
    "name",
    "number",
    "radio",
    "signature",
    "time",
    "url",
];

/// What is particular to a kind stands in its file or its row: nothing asks for it by name. Definitions of samples
/// name types under `type`, and a row those that its fields may become.
#[test]
fn no_kind_is_matched_by_name() {
    let mut kinds = Vec::new();
    for source in sources("src/fields/kinds") {
        if let Some((_, row)) = source.text.split_once("pub static KIND: KindRow") {
            let name = row.split('"').nth(1).expect("a name").to_owned();
            let own = source.path.trim_end_matches(".rs").trim_end_matches("/mod");
            kinds.push((name, own.to_owned()));
        }
    }
    assert!(kinds.len() > 30, "rows are written otherwise");
    let mut faults = Vec::new();
    for source in sources("src") {
        if source.path.ends_with("tests.rs") || source.path == "src/fields/properties.rs" {
            continue;
        }
        let end = source.text.find("#[cfg(test)]\nmod tests");
        let lines = end.map_or(usize::MAX, |end| source.text[..end].lines().count());
        for (number, line) in source.code().take_while(|(number, _)| *number <= lines) {
            if line.contains("becomes: ") {
                continue;
            }
            let asks = line.contains("row.name ==") || line.contains("row.name !=");
            for (name, own) in &kinds {
                // A sample's type, or the role of an element.
                let named = line.replace(&format!("\"type\": \"{name}\""), "");
                let named = named.replace(&format!("role=\"{name}\""), "");
                let is_common = COMMON_TYPES.contains(&name.as_str()) && !asks;
                if named.contains(&format!("\"{name}\"")) && !is_common && !source.path.starts_with(own.as_str()) {
                    faults.push(format!("{}:{number}: names the kind {name}", source.path));
                }
            }
            let matches = line.contains("match ") || line.contains("matches!(");
            if matches && line.contains("row.name") {
                faults.push(format!("{}:{number}: matches a kind by name", source.path));
            }
        }
    }
    none(&faults);
}
