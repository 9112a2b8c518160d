//! The logo of the organization that gives a certificate.

use std::io::Read as _;

use crate::base::error::{Error, Result};
use crate::media::image;
use crate::media::shrink::{self, Pixels};
use crate::model::user::OrganizationSettings;
use crate::ops::app::App;
use crate::ops::exams::certificates::design::LOGO_PIXELS;
use crate::ops::files::images;

/// The pixels of the organization's logo. `None` if it has none, or one that can't be drawn: the certificate is valid
/// without it.
pub fn logo(app: &App, organization: &OrganizationSettings) -> Option<Pixels> {
    let logo = organization.logo.as_ref()?;
    let bytes = bytes(app, &logo.image).ok()?;
    let (width, height) = LOGO_PIXELS;
    shrink::pixels(&image::strip(&bytes)?, width, height)
}

fn bytes(app: &App, image: &str) -> Result<Vec<u8>> {
    let width = LOGO_PIXELS.0.to_string();
    let mut bytes = Vec::new();
    let mut served = images::open(app, image, Some(&width))?;
    served.readable.file.read_to_end(&mut bytes).map_err(Error::internal)?;
    Ok(bytes)
}
