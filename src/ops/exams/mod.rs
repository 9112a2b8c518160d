//! Exams and evaluations: time and scores, verification codes, certificates.

pub mod certificates;
pub(in crate::ops) mod rescoring;
pub mod state;
pub mod time;
pub mod verification;
