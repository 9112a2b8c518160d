//! The bench.

fn main() {}
