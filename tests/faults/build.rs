//! Compiles the calls of the system that stand before the C library's own.

fn main() {
    for source in ["clock.c", "disk.c"] {
        println!("cargo:rerun-if-changed={source}");
    }
    cc::Build::new()
        .files(["clock.c", "disk.c"])
        .link_lib_modifier("+whole-archive")
        .warnings_into_errors(true)
        .compile("faults");
}
