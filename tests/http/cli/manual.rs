//! The program's own documentation: completions for shells, manual pages, and licenses.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use support::{PROGRAM, means, text};

fn run(args: &[&str]) -> Output {
    let mut command = Command::new(&*PROGRAM);
    command.env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.args(args).output().expect("the program runs")
}

fn printed(args: &[&str]) -> String {
    let done = run(args);
    assert!(done.status.success(), "{args:?}: {}", text(&done.stderr));
    assert_eq!(text(&done.stderr), "");
    String::from_utf8(done.stdout).expect("text")
}

/// Each command that help lists, and its commands; first the program's own, which has no words.
fn commands() -> Vec<Vec<String>> {
    let mut found = vec![Vec::new()];
    let mut next = 0;
    while next < found.len() {
        let words = found[next].clone();
        let help = help(&words);
        let listed = help.split("\nCommands:\n").nth(1).unwrap_or_default();
        let listed = listed.lines().take_while(|line| !line.is_empty());
        for line in listed.filter(|line| line.starts_with("  ") && !line.starts_with("   ")) {
            let name = line.split_whitespace().next().expect("a name");
            if name != "help" {
                found.push([&words[..], &[name.to_owned()]].concat());
            }
        }
        next += 1;
    }
    found
}

fn help(words: &[String]) -> String {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    printed(&[&words[..], &["--help"]].concat())
}

/// The completions of bash for the last of these words.
fn offered(script: &Path, words: &[&str]) -> BTreeSet<String> {
    let typed = words.join("' '");
    let last = words.len() - 1;
    let program = format!(
        "source '{}'; COMP_WORDS=('{typed}'); COMP_CWORD={last}; \
         {} formsvc \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD - 1]}}\"; \
         printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        script.display(),
        "\"$(complete -p formsvc | sed -E 's/.*-F ([^ ]+).*/\\1/')\"",
    );
    let done = Command::new("bash").args(["--norc", "-c", &program]).output().expect("bash runs");
    assert_eq!(text(&done.stderr), "", "{words:?}");
    let offered = text(&done.stdout);
    offered.lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_options_and_values() {
    if !means::has(&["bash"]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("formsvc.bash");
    fs::write(&script, printed(&["completions", "bash"])).expect("written");
    for (words, expected) in [
        (&["formsvc", "se"][..], &["serve", "setup-link"][..]),
        (&["formsvc", "user", "set-"], &["set-password", "set-role"]),
        (&["formsvc", "serve", "--max-c"], &["--max-connections", "--max-connections-per-address"]),
        (&["formsvc", "backup", "prune", "--k"], &["--keep"]),
        (&["formsvc", "completions", "z"], &["zsh"]),
    ] {
        let expected: BTreeSet<String> = expected.iter().map(|word| (*word).to_owned()).collect();
        assert_eq!(offered(&script, words), expected, "{words:?}");
    }
    // A folder's name is completed as one.
    fs::create_dir(folder.path().join("forms-data")).expect("a folder");
    let begun = folder.path().join("forms-d").display().to_string();
    assert_eq!(
        offered(&script, &["formsvc", "serve", "--data-dir", &begun]),
        BTreeSet::from([folder.path().join("forms-data").display().to_string()])
    );
}

#[test]
fn every_shell_has_a_script_that_it_can_read() {
    let commands = commands();
    for (shell, check) in [
        ("bash", Some("-n")),
        ("zsh", Some("-n")),
        ("fish", Some("--no-execute")),
        ("elvish", None),
        ("powershell", None),
    ] {
        let script = printed(&["completions", shell]);
        assert_eq!(script, printed(&["completions", shell]), "{shell}");
        for word in commands.iter().flatten() {
            assert!(script.contains(word), "{shell} lacks {word}");
        }
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("script");
        fs::write(&file, &script).expect("written");
        // bash is everywhere, the others are asked where they are.
        if let Some(check) = check
            && let Ok(done) = Command::new(shell).arg(check).arg(&file).output()
        {
            assert!(done.status.success(), "{shell}: {}", text(&done.stderr));
            assert_eq!(text(&done.stderr), "", "{shell}");
        }
    }
    let refused = run(&["completions", "tcsh"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("zsh"));
}

/// The text of a page with its formatting taken out.
fn plain(page: &str) -> String {
    let mut plain = page.replace("\\-", "-").replace("\\.", ".").replace('"', "");
    for font in ["\\fB", "\\fI", "\\fR"] {
        plain = plain.replace(font, "");
    }
    plain
}

fn section<'p>(page: &'p str, name: &str) -> &'p str {
    let begin = page.split_once(&format!(".SH {name}\n"));
    let rest = begin.unwrap_or_else(|| panic!("no {name} in {page}")).1;
    rest.split(".SH ").next().expect("a section")
}

#[test]
fn every_command_has_a_page_with_all_of_its_options() {
    let folder = tempfile::tempdir().expect("a folder");
    let dir = folder.path().join("man/man1");
    let named = dir.to_str().expect("a plain name");
    let printed_names = printed(&["man", named, "--json"]);
    let listed: Value = serde_json::from_str(&printed_names).expect("one document");
    let listed: BTreeSet<String> = serde_json::from_value(listed["pages"].clone()).expect("names of pages");
    let pages = pages(&dir);
    assert_eq!(listed, pages.iter().map(|(name, _)| name.clone()).collect());
    let commands = commands();
    assert!(commands.len() > 40, "{commands:?}");
    let expected: BTreeSet<String> = commands
        .iter()
        .map(|words| format!("{}.1", [&["formsvc".to_owned()], &words[..]].concat().join("-")))
        .collect();
    assert_eq!(listed, expected);
    for words in &commands {
        let name = format!("{}.1", [&["formsvc".to_owned()], &words[..]].concat().join("-"));
        let page = &pages.iter().find(|(one, _)| *one == name).expect("a page").1;
        let options = help(words);
        let options = options.split([' ', ',', '\n', '[', ']']).filter(|word| word.starts_with("--") && word.len() > 2);
        for option in options {
            assert!(page.contains(option), "{name} lacks {option}");
        }
        assert!(section(page, "ENVIRONMENT").contains("\nFORMSVC_DATA_DIR\n"));
    }
}

/// Name and text of each page in a folder.
fn pages(dir: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(dir).expect("a folder");
    let mut pages: Vec<_> = entries
        .map(|entry| {
            let entry = entry.expect("an entry");
            let name = entry.file_name().into_string().expect("a plain name");
            let page = fs::read_to_string(entry.path()).expect("a page");
            (name, plain(&page))
        })
        .collect();
    pages.sort();
    pages
}

#[test]
fn pages_say_which_variables_files_and_exit_codes_there_are() {
    let folder = tempfile::tempdir().expect("a folder");
    printed(&["man", folder.path().to_str().expect("a plain name")]);
    let pages = pages(folder.path());
    let page = |name: &str| &pages.iter().find(|(one, _)| *one == name).expect("a page").1;
    // Every setting has its variable on the pages of the program and of the service.
    let shown = printed(&["config", "show", "--json", "--data-dir", "/nowhere"]);
    let settings: Value = serde_json::from_str(&shown).expect("one document");
    let settings = settings.as_object().expect("settings by name");
    assert!(settings.len() > 20, "{settings:?}");
    // A password is a setting of the commands that ask for one.
    for name in settings.keys().filter(|name| *name != "password") {
        let variable = format!("\nFORMSVC_{}\n", name.replace('-', "_").to_uppercase());
        for one in ["formsvc.1", "formsvc-serve.1", "formsvc-config-show.1"] {
            assert!(section(page(one), "ENVIRONMENT").contains(&variable), "{one}: {variable}");
        }
    }
    for one in ["formsvc.1", "formsvc-serve.1"] {
        assert!(section(page(one), "FILES").contains("/etc/formsvc/formsvc.toml"));
        assert!(section(page(one), "ENVIRONMENT").contains("\nFORMSVC_SMTP_PASSWORD_FILE\n"));
    }
    let create = section(page("formsvc-user-create.1"), "ENVIRONMENT");
    assert!(create.contains("\nFORMSVC_PASSWORD\n") && !create.contains("FORMSVC_SMTP"));
    for one in ["formsvc.1", "formsvc-restore.1", "formsvc-user-create.1"] {
        let codes = section(page(one), "EXIT STATUS");
        for code in 0..=7 {
            assert!(codes.contains(&format!("\n{code}\n")), "{one}: {code}");
        }
    }
    assert!(section(page("formsvc-user-create.1"), "SEE ALSO").contains("formsvc-user(1)"));
    let refused = run(&["man", "/proc/nowhere"]);
    assert_eq!(refused.status.code(), Some(1));
    let said = text(&refused.stderr);
    assert!(said.contains("/proc/nowhere") && said.lines().count() == 1, "{said}");
}

#[test]
fn pages_are_well_formed_and_always_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let both = ["a", "b"].map(|name| folder.path().join(name));
    for dir in &both {
        printed(&["man", dir.to_str().expect("a plain name")]);
    }
    let names: Vec<_> = pages(&both[0]).into_iter().map(|(name, _)| name).collect();
    for name in &names {
        let [one, other] = [0, 1].map(|n: usize| fs::read(both[n].join(name)).expect("a page"));
        assert!(one == other, "{name}");
    }
    if !means::has(&["mandoc"]) {
        return;
    }
    let done = Command::new("mandoc")
        .args(["-T", "lint", "-W", "warning"])
        .args(names.iter().map(|name| both[0].join(name)))
        .output()
        .expect("mandoc runs");
    // They have no date, on purpose.
    let said = text(&done.stdout) + &text(&done.stderr);
    let faults: Vec<&str> = said.lines().filter(|line| !line.contains("missing date")).collect();
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(said.contains("missing date"), "mandoc looked at nothing");
}

#[test]
fn licenses_of_all_parts_are_printed_with_their_texts() {
    let document: Value = serde_json::from_str(&printed(&["licenses", "--json"])).expect("JSON");
    let shown = printed(&["licenses"]);
    let parts = document["parts"].as_array().expect("parts");
    let texts = document["texts"].as_object().expect("texts");
    assert!(parts.len() > 300 && texts.len() > 100);
    assert_eq!(parts[0]["name"], "formsvc");
    assert_eq!(parts[0]["version"], env!("CARGO_PKG_VERSION"));
    let (list, bodies) = shown.split_once("\n---").expect("a list, then texts");
    for part in parts {
        let [name, version, license] = ["name", "version", "license"].map(|key| part[key].as_str().expect("text"));
        let title = format!("{name} {version}");
        let line = list.lines().find(|line| line.starts_with(title.trim_end()));
        assert!(line.is_some_and(|line| line.contains(license)), "{title}");
        let keys = part["texts"].as_array().expect("keys");
        assert!(!keys.is_empty(), "{title}");
        let mut longest = 0;
        for key in keys {
            let body = texts[key.as_str().expect("a key")].as_str().expect("a text");
            assert!(bodies.contains(body), "{title}");
            longest = longest.max(body.len());
        }
        // Some only say where to look, beside the license itself.
        assert!(longest > 200, "{title}");
    }
    for (name, words) in [
        ("SQLite", "May you do good and not evil."),
        ("jemalloc", "Jason Evans"),
        ("Zstandard", "Meta Platforms"),
        ("musl", "Rich Felker"),
        ("Rust standard library", "Permission is hereby granted"),
        ("Caveat", "SIL OPEN FONT LICENSE"),
        ("Droid Sans Fallback", "Apache License"),
    ] {
        let part = parts.iter().find(|part| part["name"] == name);
        let keys = part.unwrap_or_else(|| panic!("{name} is missing"))["texts"].as_array();
        let says = |key: &Value| texts[key.as_str().expect("a key")].as_str().expect("text").contains(words);
        assert!(keys.expect("keys").iter().any(says), "{name}");
    }
}
