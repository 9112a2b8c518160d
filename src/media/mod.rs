//! Images, sound, typesetting and handwriting: bytes in, bytes out. Pure.

pub mod audio_duration;
pub mod handwriting;
pub mod image;
pub mod shrink;
pub mod typeset;
