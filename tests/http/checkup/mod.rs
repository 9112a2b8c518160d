//! What `doctor` finds and repairs.

mod doctor;
