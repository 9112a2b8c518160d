//! Measures formsvc beside small programs that do as little as possible (the ceilings) and beside
//! PocketBase, all in one run on one machine: read the ratios, not the figures.
//!
//! `formsvc-bench --program PATH [--pocketbase PATH] [--seconds N] [--entries N]`, and with `--scale
//! [--rows N]` what a million entries of one form come to, with `--files [--nginx PATH]` files in and out, with
//! `--attacks` what others notice of attacks.

mod attack;
mod attacks;
mod ceilings;
mod files;
mod generate;
mod load;
mod pages;
mod peer;
mod process;
mod rows;
mod scale;
mod subject;
mod table;

use std::path::PathBuf;

#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// What the command line asks for.
pub struct Plan {
    /// The formsvc program.
    pub program: PathBuf,
    /// The PocketBase program, where there is one.
    pub pocketbase: Option<PathBuf>,
    /// How long one measurement takes.
    pub seconds: f64,
    /// How many entries the form has that is read from.
    pub entries: usize,
    /// How many the great form has.
    pub rows: u64,
    /// The nginx program, where there is one.
    pub nginx: Option<PathBuf>,
}

/// Where Debian has it, unless another is named.
const NGINX: &str = "/usr/sbin/nginx";

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args.first().map(String::as_str) == Some("ceiling") {
        ceilings::run(&args[1], args.get(2).map(PathBuf::from));
        return;
    }
    let value = |flag: &str| {
        let at = args.iter().position(|arg| arg == flag)?;
        args.get(at + 1).cloned()
    };
    let plan = Plan {
        program: value("--program").expect("--program PATH").into(),
        pocketbase: value("--pocketbase").map(PathBuf::from),
        seconds: value("--seconds").map_or(4.0, |n| n.parse().expect("a number")),
        entries: value("--entries").map_or(100_000, |n| n.parse().expect("a number")),
        nginx: value("--nginx")
            .or_else(|| Some(NGINX.to_owned()))
            .map(PathBuf::from)
            .filter(|path| path.exists()),
        rows: value("--rows").map_or(1_000_000, |n| n.parse().expect("a number")),
    };
    if args.iter().any(|arg| arg == "--scale") {
        scale::measure(&plan).print();
    } else if args.iter().any(|arg| arg == "--attacks") {
        attacks::measure(&plan).print();
    } else if args.iter().any(|arg| arg == "--files") {
        files::measure(&plan).print();
    } else {
        rows::measure(&plan).print();
    }
}
