//! Measures formsvc against minimal programs (the ceilings) and against PocketBase, in one run on one machine: compare
//! the ratios, not the absolute numbers.

mod attacks;
mod backups;
mod bulk_work;
mod ceilings;
mod desk;
mod features;
mod files;
mod generate;
mod load;
mod pages;
mod peer;
mod process;
mod rows;
mod scale;
mod sign_in_attack;
mod standby;
mod streams;
mod subject;
mod table;
mod webhooks;

use std::path::PathBuf;

use clap::{ArgGroup, Parser};

#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// Debian's path.
const NGINX: &str = "/usr/sbin/nginx";

/// Measure formsvc beside small programs that do as little as possible and beside PocketBase. Compare the ratios, not
/// the absolute numbers.
#[derive(Parser)]
#[command(name = "formsvc-bench", group = ArgGroup::new("what").args(["scale", "console", "files", "attacks", "webhooks", "streams", "standby", "backup", "bulk"]))]
pub struct Plan {
    /// The formsvc program
    #[arg(long, value_name = "PATH")]
    pub program: PathBuf,
    /// The PocketBase program to measure beside it
    #[arg(long, value_name = "PATH")]
    pub pocketbase: Option<PathBuf>,
    /// How long one measurement takes
    #[arg(long, value_name = "N", default_value_t = 4.0)]
    pub seconds: f64,
    /// Entries of the form that is read from
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub entries: usize,
    /// Measure one form of many entries instead
    #[arg(long)]
    scale: bool,
    /// Measure the pages of owners instead: 10,000 forms, and one of many entries and thirty questions
    #[arg(long)]
    console: bool,
    /// Entries of that form
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub rows: u64,
    /// Measure uploads and downloads instead
    #[arg(long)]
    files: bool,
    /// The nginx program to measure beside these [default: the one of Debian, if it is installed]
    #[arg(long, value_name = "PATH")]
    pub nginx: Option<PathBuf>,
    /// Measure what others notice of attacks instead
    #[arg(long)]
    attacks: bool,
    /// Measure webhooks instead
    #[arg(long)]
    webhooks: bool,
    /// Measure event streams instead
    #[arg(long)]
    streams: bool,
    /// Measure what a standby by Litestream costs instead
    #[arg(long, requires = "litestream")]
    standby: bool,
    /// The Litestream program
    #[arg(long, value_name = "PATH")]
    pub litestream: Option<PathBuf>,
    /// Measure backups of a form of --rows entries and of 10,000 files instead
    #[arg(long)]
    backup: bool,
    /// Measure imports and moves of many entries beside respondents instead
    #[arg(long)]
    bulk: bool,
    /// With --bulk: 200,000 entries, of which 100,000 go to the trash and back
    #[arg(long, requires = "bulk")]
    pub full: bool,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    // The bench starts itself with this argument.
    if args.first().map(String::as_str) == Some("ceiling") {
        ceilings::run(&args[1], args.get(2).map(PathBuf::from));
        return;
    }
    let mut plan = Plan::parse();
    let nginx = plan.nginx.take().unwrap_or_else(|| NGINX.into());
    plan.nginx = Some(nginx).filter(|path| path.exists());
    if plan.scale {
        scale::measure(&plan).print();
    } else if plan.console {
        scale::console::measure(&plan).print();
    } else if plan.attacks {
        attacks::measure(&plan).print();
    } else if plan.webhooks {
        webhooks::measure(&plan).print();
    } else if plan.streams {
        streams::measure(&plan).print();
    } else if plan.standby {
        standby::measure(&plan).print();
    } else if plan.backup {
        backups::measure(&plan).print();
    } else if plan.bulk {
        bulk_work::measure(&plan).print();
    } else if plan.files {
        files::measure(&plan).print();
    } else {
        rows::measure(&plan).print();
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;
    use clap::error::ErrorKind;

    use super::*;

    #[test]
    fn help_is_printed_and_what_is_unknown_refused() {
        Plan::command().debug_assert();
        for (args, kind) in [
            (&["--help"][..], ErrorKind::DisplayHelp),
            (&[], ErrorKind::MissingRequiredArgument),
            (&["--program", "x", "--fly"], ErrorKind::UnknownArgument),
            (&["--program", "x", "--scale", "--files"], ErrorKind::ArgumentConflict),
        ] {
            let args = ["formsvc-bench"].iter().chain(args);
            let refused = Plan::try_parse_from(args).err().map(|fault| fault.kind());
            assert_eq!(refused, Some(kind));
        }
        let plan = Plan::try_parse_from(["formsvc-bench", "--program", "x"]);
        let plan = plan.unwrap_or_else(|fault| panic!("{fault}"));
        assert_eq!((plan.entries, plan.rows), (100_000, 1_000_000));
    }
}
