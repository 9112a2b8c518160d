//! Formulas: their faults and results in the builder, and their values whenever their inputs or the day change.

mod changes;
mod days;
mod help;
