//! The formsvc program.

fn main() {}
