//! Webhooks as receivers see them: the requests, their order, their outcomes, and addresses that get none (handbook:
//! webhooks.md; contract section 9; S71 to S74).

mod again;
mod crashes;
mod delivery;
mod failures;
mod places;
mod refused;
mod resolving;
mod schedule;
mod verified;
mod writers;

const NOT_PUBLIC: &str = "the receiver's address is not public";
const UNREACHABLE: &str = "the receiver can't be reached";
