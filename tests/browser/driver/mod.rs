//! Control of browsers: WebDriver, browsers that stay, and steps that several journeys take.

pub(crate) mod steps;
pub(crate) mod webdriver;
pub(crate) mod worker;
