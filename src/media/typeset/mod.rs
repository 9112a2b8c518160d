//! Text on paper: fonts, shaping, lines, and the PDF that they are written to. Text is Unicode in any script: letters
//! are joined and placed as the fonts say, and lines run in the direction of their letters. Pure: fonts other than the
//! program's own come from the caller.

pub mod fonts;
mod itemize;
pub mod paragraph;
pub mod pdf;
