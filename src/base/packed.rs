//! Files in the program that the build packs with Brotli.

use std::io::Read as _;

use brotli_decompressor::Decompressor;

const BUFFER: usize = 1 << 16;

/// A packed file's bytes.
pub fn unpacked(packed: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    Decompressor::new(packed, BUFFER).read_to_end(&mut bytes).expect("the build packed it");
    bytes
}

/// A packed text.
pub fn text(packed: &[u8]) -> String {
    String::from_utf8(unpacked(packed)).expect("the build packed a text")
}
