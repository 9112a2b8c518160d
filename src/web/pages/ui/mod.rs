//! What all pages are made of: their frame, notices, colours and themes, QR codes.

pub mod colour;
pub mod layout;
pub mod notices;
pub mod qr;
pub mod theme;
