//! What is linked in: from the public registry alone, at locked versions, under licences that allow it,
//! and nothing that is known to be unsafe (S90). Advisories are a matter of the day and are not asked
//! here: `cargo audit` does that where its database can be reached.

use std::process::Command;

use serde_json::Value;

const LICENCES: &[&str] = &[
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "Unicode-3.0",
    "MPL-2.0",
    "CDLA-Permissive-2.0",
    "Unlicense",
    "0BSD",
    "CC0-1.0",
    "BSL-1.0",
];

/// Weak copyleft, file by file: each is named in README.
const MPL: &[&str] = &["cssparser", "cssparser-macros", "dtoa-short", "option-ext"];

/// RSA has no constant-time decryption (RUSTSEC-2023-0071); the others would be a second TLS stack.
const BANNED: &[&str] = &[
    "rsa",
    "openssl-sys",
    "native-tls",
    "aws-lc-sys",
    "rustybuzz",
    "ttf-parser",
];

fn packages() -> Vec<Value> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let done = Command::new(cargo)
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--filter-platform",
        ])
        .arg("x86_64-unknown-linux-musl")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let data: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    data["packages"].as_array().expect("packages").clone()
}

fn name(package: &Value) -> &str {
    package["name"].as_str().expect("a name")
}

/// Whether one of the licences that are offered is allowed; all of those that are joined by `AND` must be.
fn is_allowed(expression: &str) -> bool {
    expression.replace('/', " OR ").split(" AND ").all(|part| {
        part.trim_matches(['(', ')', ' '])
            .split(" OR ")
            .any(|one| LICENCES.contains(&one.trim_matches(['(', ')', ' '])))
    })
}

#[test]
fn everything_comes_from_the_registry_under_licences_that_allow_it() {
    for package in packages() {
        let own = package["source"].is_null();
        if own {
            assert!(name(&package).starts_with("formsvc"), "{}", name(&package));
            continue;
        }
        let source = package["source"].as_str().expect("a source");
        assert!(
            source.starts_with("registry+"),
            "{}: {source}",
            name(&package)
        );
        let licence = package["license"].as_str().unwrap_or("none");
        assert!(is_allowed(licence), "{}: {licence}", name(&package));
        if licence == "MPL-2.0" {
            assert!(
                MPL.contains(&name(&package)),
                "{} is not named in README",
                name(&package)
            );
        }
        assert!(
            !BANNED.contains(&name(&package)),
            "{} is banned",
            name(&package)
        );
    }
}

#[test]
fn no_version_is_a_wildcard() {
    for package in packages()
        .iter()
        .filter(|package| package["source"].is_null())
    {
        for dependency in package["dependencies"].as_array().expect("a list") {
            assert_ne!(dependency["req"], "*", "{}", dependency["name"]);
        }
    }
}
