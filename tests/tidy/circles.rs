//! Circles of files: files of which each needs all others, so that none can be read alone. A file needs those that its
//! imports and paths name; a re-exported name counts for the file that declares it.

use std::collections::{BTreeMap, BTreeSet};

use super::{Source, none, sources};

/// Files that a circle may have.
const MOST: usize = 20;

/// `["store", "forms"]` of `src/store/forms.rs`.
type Module = Vec<String>;

#[test]
fn no_circle_of_files_is_large() {
    let mut faults = Vec::new();
    let mut largest: BTreeMap<String, usize> = BTreeMap::new();
    for circle in circles(&needs(&sources("src"))) {
        let layer = circle[0].first().map_or("", String::as_str);
        let size = largest.entry(layer.to_owned()).or_default();
        *size = circle.len().max(*size);
        if circle.len() > MOST {
            let names: Vec<String> = circle.iter().map(|module| module.join("/")).collect();
            let (size, names) = (circle.len(), names.join(" "));
            faults.push(format!("{size} files in a circle: {names}"));
        }
    }
    eprintln!("largest circles: {largest:?}");
    none(&faults);
}

#[test]
fn circles_are_found_through_imports_paths_and_re_exports() {
    let source = |path: &str, text: &str| Source { path: format!("src/{path}.rs"), text: text.to_owned() };
    let found = circles(&needs(&[
        source("ops/mod", "mod a;\nmod b;\npub use a::{One, more::Two as Three};"),
        source("ops/a", "use crate::ops::{b::{self, X}, d}; // crate::ops::e"),
        source("ops/a/more", "fn f() { super::g() }"),
        source("ops/b", "use super::One;\nfn f() { crate::ops::c::g() }"),
        source("ops/c", "#[cfg(test)]\nmod tests {\nuse crate::ops::a; }"),
        source("ops/d", "pub(in crate::ops) fn f() {}"),
    ]));
    let found: Vec<String> = found.iter().map(|circle| circle.concat().join(" ")).collect();
    assert_eq!(found, ["ops a ops b"]);
}

/// The modules that each module needs.
fn needs(sources: &[Source]) -> BTreeMap<Module, BTreeSet<Module>> {
    let texts: BTreeMap<Module, Vec<String>> =
        sources.iter().map(|source| (module(&source.path), words(source))).collect();
    let mut exports = BTreeMap::new();
    let mut named = Vec::new();
    for (own, words) in &texts {
        for (path, is_export) in paths(words) {
            let Some((target, rest)) = resolve(&texts, own, &path) else {
                continue;
            };
            match path.last() {
                Some(name) if is_export => {
                    exports.insert((own.clone(), name.clone()), target);
                }
                _ => named.push((own, target, rest)),
            }
        }
    }
    let mut needs: BTreeMap<Module, BTreeSet<Module>> =
        texts.keys().map(|own| (own.clone(), BTreeSet::new())).collect();
    for (own, mut target, rest) in named {
        if let Some(name) = rest {
            while let Some(next) = exports.get(&(target.clone(), name.clone())) {
                if *next == target {
                    break;
                }
                target.clone_from(next);
            }
        }
        if target != *own {
            needs.entry(own.clone()).or_default().insert(target);
        }
    }
    needs
}

fn module(path: &str) -> Module {
    let path = path.trim_start_matches("src/").trim_end_matches(".rs");
    let mut module: Module = path.split('/').map(str::to_owned).collect();
    if ["mod", "lib", "main"].map(Some).contains(&module.last().map(String::as_str)) {
        module.pop();
    }
    module
}

/// Names and signs of the code, without that of tests; `::` is one sign.
fn words(source: &Source) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut is_test = false;
    for (_, line) in source.code() {
        if is_test && line.starts_with("mod ") && line.ends_with('{') {
            break;
        }
        is_test = line.starts_with("#[cfg(test)]");
        let mut is_apart = true;
        for c in line.replace("::", "\u{2237}").chars() {
            let is_name = c.is_alphanumeric() || c == '_';
            match words.last_mut() {
                Some(word) if is_name && !is_apart => word.push(c),
                _ if !c.is_whitespace() => words.push(c.to_string()),
                _ => {}
            }
            is_apart = !is_name;
        }
    }
    words
}

fn is_name(word: &str) -> bool {
    word == "*" || word.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// Paths of more than one name, and imports, with whether they are exported again.
fn paths(words: &[String]) -> Vec<(Vec<String>, bool)> {
    let mut paths = Vec::new();
    let mut at = 0;
    while at < words.len() {
        if words[at] == "use" {
            // Behind `pub`, or `pub(crate)` and its like.
            let is_export = at > 0 && ["pub", ")"].contains(&words[at - 1].as_str());
            let end = words[at..].iter().position(|word| word == ";");
            let end = at + end.unwrap_or(words.len() - at);
            imports(&words[at + 1..end], &[], &mut |path| paths.push((path, is_export)));
            at = end;
        } else if is_name(&words[at]) {
            let (begin, mut path) = (at, vec![words[at].clone()]);
            while words.get(at + 1).is_some_and(|word| word == "\u{2237}")
                && words.get(at + 2).is_some_and(|word| is_name(word))
            {
                path.push(words[at + 2].clone());
                at += 2;
            }
            let is_visibility = begin > 1 && words[begin - 1] == "in" && words[begin - 2] == "(";
            if path.len() > 1 && !is_visibility {
                paths.push((path, false));
            }
        }
        at += 1;
    }
    paths
}

/// Each path of a tree such as `crate::store::{forms, Tx as T}`.
fn imports(words: &[String], before: &[String], found: &mut dyn FnMut(Vec<String>)) {
    let mut path = before.to_vec();
    let mut at = 0;
    while at < words.len() && words[at] != "as" {
        if words[at] == "{" {
            let (mut depth, mut begin) = (0, at + 1);
            for (end, word) in words.iter().enumerate().skip(at) {
                match word.as_str() {
                    "{" => depth += 1,
                    "}" => depth -= 1,
                    _ => {}
                }
                let is_last = depth == 0 && word == "}";
                if is_last || depth == 1 && word == "," {
                    if begin < end {
                        imports(&words[begin..end], &path, found);
                    }
                    begin = end + 1;
                }
            }
            return;
        }
        if is_name(&words[at]) {
            path.push(words[at].clone());
        }
        at += 1;
    }
    found(path);
}

/// The file that a path leads to, and the name in it.
fn resolve(files: &BTreeMap<Module, Vec<String>>, own: &Module, path: &[String]) -> Option<(Module, Option<String>)> {
    let mut base = own.clone();
    let mut rest = path;
    match path.first()?.as_str() {
        "crate" => {
            base.clear();
            rest = &rest[1..];
        }
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|name| name == "super") {
                base.pop();
                rest = &rest[1..];
            }
        }
        child => {
            base.push(child.to_owned());
            if !files.contains_key(&base) {
                return None;
            }
            rest = &rest[1..];
        }
    }
    let mut rest = rest.iter();
    for name in rest.by_ref() {
        base.push(name.clone());
        if !files.contains_key(&base) {
            base.pop();
            return Some((base, Some(name.clone())));
        }
    }
    files.contains_key(&base).then_some((base, None))
}

/// Sets of modules that all need each other (Tarjan), each of more than one.
fn circles(needs: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<Vec<Module>> {
    let mut search = Search::default();
    for module in needs.keys() {
        if !search.lowest.contains_key(module) {
            search.visit(needs, module);
        }
    }
    search.circles
}

#[derive(Default)]
struct Search<'n> {
    /// The number of each module that was visited, and at last the lowest one that it leads back to.
    lowest: BTreeMap<&'n Module, usize>,
    path: Vec<&'n Module>,
    circles: Vec<Vec<Module>>,
}

impl<'n> Search<'n> {
    fn visit(&mut self, needs: &'n BTreeMap<Module, BTreeSet<Module>>, module: &'n Module) -> usize {
        let number = self.lowest.len();
        let mut lowest = number;
        self.lowest.insert(module, number);
        self.path.push(module);
        for next in needs.get(module).into_iter().flatten() {
            match self.lowest.get(next) {
                None => lowest = lowest.min(self.visit(needs, next)),
                Some(other) if self.path.contains(&next) => lowest = lowest.min(*other),
                Some(_) => {}
            }
        }
        self.lowest.insert(module, lowest);
        if lowest == number {
            let begin = self.path.iter().position(|other| *other == module);
            let circle = self.path.split_off(begin.expect("it is on the path"));
            if circle.len() > 1 {
                let mut circle: Vec<Module> = circle.into_iter().cloned().collect();
                circle.sort();
                self.circles.push(circle);
            }
        }
        lowest
    }
}
