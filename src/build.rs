//! The build script: packs the assets and texts, and writes the states and provinces into one text, a code and a name
//! per line (the crate's tables would be ten times as large in the binary). For the static program it compiles the
//! memory copies and sets linker options.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use rust_iso3166::iso3166_2::SUBDIVISION_MAP;

mod build_assets;

fn main() {
    println!("cargo::rerun-if-changed=src/build.rs");
    println!("cargo::rerun-if-changed=src/build_assets.rs");
    println!("cargo::rerun-if-changed=assets");
    build_assets::write(Path::new("assets"), &out_dir());
    licenses();
    locales();
    copies();
    relocations();
    states();
}

/// The licenses of all parts, compressed. `assets/licenses/make` writes them.
fn licenses() {
    let parts = fs::read("assets/licenses/parts.json").expect("the licenses");
    pack("licenses.json.br", &parts);
}

/// The texts in each language.
fn locales() {
    for locale in ["en", "zh-CN"] {
        let texts = fs::read(format!("assets/locales/{locale}.ftl")).expect("the texts");
        pack(&format!("{locale}.br"), &texts);
    }
    let phrases = fs::read("assets/locales/phrases.zh-CN.txt").expect("the phrases");
    pack("phrases.zh-CN.br", &phrases);
}

fn pack(name: &str, bytes: &[u8]) {
    fs::write(out_dir().join(name), build_assets::brotli(bytes)).expect("the folder can be written to");
}

/// Unpacked relocations would be a twentieth of the static program. The linker of builds for arm64, zig's, has no such
/// option.
fn relocations() {
    if is_static_x86() {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

fn is_static_x86() -> bool {
    let target = |part: &str| env::var(format!("CARGO_CFG_TARGET_{part}")).unwrap_or_default();
    target("ENV") == "musl" && target("ARCH") == "x86_64"
}

/// Replaces musl's `memcpy` and similar functions, which are only slow on this processor.
fn copies() {
    println!("cargo::rerun-if-changed=src/memory.c");
    if is_static_x86() {
        cc::Build::new()
            .file("src/memory.c")
            .opt_level(3)
            // Otherwise the compiler recognises these loops and calls the functions they implement.
            .flag("-fno-builtin")
            .flag("-fno-tree-loop-distribute-patterns")
            .compile("memory");
    }
}

fn states() {
    let all: Vec<_> = SUBDIVISION_MAP.values().collect();
    let mut counts: HashMap<(&str, &str), usize> = HashMap::new();
    for state in &all {
        *counts.entry((state.country_code, state.name)).or_default() += 1;
    }
    let mut lines: Vec<(&str, String, &str)> = all
        .iter()
        .map(|state| {
            // A county may have the name of the city in it.
            let stands_twice = counts[&(state.country_code, state.name)] > 1;
            let name = if stands_twice {
                format!("{} ({})", state.name, state.subdivision_type)
            } else {
                state.name.to_owned()
            };
            (state.country_code, name, state.code)
        })
        .collect();
    lines.sort();
    let text: String = lines.iter().map(|(_, name, code)| format!("{code}\t{name}\n")).collect();
    pack("states.br", text.as_bytes());
}

fn out_dir() -> PathBuf {
    PathBuf::from(env::var_os("OUT_DIR").expect("cargo names the folder"))
}
