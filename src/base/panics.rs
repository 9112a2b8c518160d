//! Reports panics, and catches those of libraries that parse untrusted bytes.

use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe, PanicHookInfo};

thread_local! {
    /// Whether this thread runs code whose panics are caught and not reported.
    static IS_EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Passes one line on each panic to `report`, without directories of the build machine. Panics caught by [`catch`]
/// are not reported.
pub fn report_to(report: impl Fn(&str) + Send + Sync + 'static) {
    panic::set_hook(Box::new(move |info| {
        if !IS_EXPECTED.get() {
            report(&line(info));
        }
    }));
}

/// Runs code of a library that panics on some untrusted bytes. `None` if it panicked.
pub fn catch<T>(f: impl FnOnce() -> T) -> Option<T> {
    let before = IS_EXPECTED.replace(true);
    let out = panic::catch_unwind(AssertUnwindSafe(f));
    IS_EXPECTED.set(before);
    out.ok()
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
            (
                "/home/ada/.cargo/registry/src/index-1949cf8c/calamine-0.38.0/src/xlsx/mod.rs",
                "calamine-0.38.0/src/xlsx/mod.rs",
            ),
            ("/rustc/4a4ef493/library/core/src/num/mod.rs", "core/src/num/mod.rs"),
            ("src/web/conn.rs", "src/web/conn.rs"),
            ("build.rs", "build.rs"),
        ] {
            assert_eq!(place(file), shown);
        }
    }

    #[test]
    fn expected_panics_are_caught_one_by_one() {
        assert_eq!(catch(|| 1), Some(1));
        assert_eq!(catch(|| -> u8 { panic!("as it should") }), None);
        assert!(!IS_EXPECTED.get());
    }
}
