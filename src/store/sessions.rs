//! Sessions of signed-in browsers.
