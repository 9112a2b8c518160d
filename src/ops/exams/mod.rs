//! Exams and evaluations: time and scores, verification codes, certificates.

pub mod certificates;
pub mod check_in;
pub(in crate::ops) mod rescoring;
pub mod state;
pub mod time;
pub mod verification;
