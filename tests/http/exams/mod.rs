//! Exams, evaluations, verification codes and certificates.

pub mod certificates;
pub mod checkin;
pub mod evaluations;
pub mod in_the_builder;
pub mod scores;
pub mod time;
pub mod verification;
