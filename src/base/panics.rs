//! Reports panics.

use std::panic::{self, PanicHookInfo};

/// Passes one line on each panic to `report`, without directories of the build machine.
pub fn report_to(report: impl Fn(&str) + Send + Sync + 'static) {
    panic::set_hook(Box::new(move |info| report(&line(info))));
}

fn line(info: &PanicHookInfo) -> String {
    let thread = std::thread::current();
    let place = info
        .location()
        .map_or_else(String::new, |location| format!(" at {}:{}", place(location.file()), location.line()));
    format!(
        "thread {} panicked{place}: {}",
        thread.name().unwrap_or("without a name"),
        info.payload_as_str().unwrap_or("no text")
    )
}

/// The path of a source file within its crate's directory, without where that was built.
fn place(file: &str) -> &str {
    let above = file.rfind("/src/").map_or("", |at| &file[..at]);
    let begin = above.rfind('/').map_or(0, |at| at + 1);
    &file[begin..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_name_no_folder_of_the_building_machine() {
        for (file, shown) in [
            ("/home/ada/.cargo/registry/src/index-1949cf8c/zip-9.4.1/src/read/mod.rs", "zip-9.4.1/src/read/mod.rs"),
            ("/rustc/4a4ef493/library/core/src/num/mod.rs", "core/src/num/mod.rs"),
            ("src/web/conn.rs", "src/web/conn.rs"),
            ("build.rs", "build.rs"),
        ] {
            assert_eq!(place(file), shown);
        }
    }
}
