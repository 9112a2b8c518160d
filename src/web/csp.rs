//! The Content-Security-Policy headers (S9).

use std::borrow::Cow;

/// The policy of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Csp {
    Json,
    /// Pages; the nonce is for the theme's `<style>`.
    Page {
        /// 128 random bits, if the page has such a block.
        nonce: Option<String>,
    },
    /// A page that shows another of our pages in a frame.
    Framing {
        /// 128 random bits, if the page has such a block.
        nonce: Option<String>,
    },
    /// A page in a frame of another of our pages.
    Framed {
        /// 128 random bits, if the page has such a block.
        nonce: Option<String>,
    },
    /// A form page in another site's frame.
    Embedded {
        /// 128 random bits, if the page has such a block.
        nonce: Option<String>,
    },
    /// The consent page and the sign-in page before it, without `form-action`: their forms redirect to the client.
    Consent,
    /// Uploaded files.
    Files,
}

impl Csp {
    /// The header's value.
    pub fn text(&self) -> Cow<'static, str> {
        match self {
            Self::Json => Cow::Borrowed("default-src 'none'; frame-ancestors 'none'"),
            Self::Files => "default-src 'none'; form-action 'none'; base-uri 'none'; \
                            frame-ancestors 'none'; sandbox"
                .into(),
            Self::Page { nonce } => page(nonce.as_deref(), " form-action 'self';", "'none'").into(),
            Self::Framing { nonce } => {
                page(nonce.as_deref(), " frame-src 'self'; form-action 'self';", "'none'").into()
            }
            Self::Framed { nonce } => page(nonce.as_deref(), " form-action 'self';", "'self'").into(),
            Self::Embedded { nonce } => page(nonce.as_deref(), " form-action 'self';", "*").into(),
            Self::Consent => page(None, "", "'none'").into(),
        }
    }
}

/// `more` are the directives that vary.
fn page(nonce: Option<&str>, more: &str, ancestors: &str) -> String {
    let nonce = nonce.map_or_else(String::new, |nonce| format!(" 'nonce-{nonce}'"));
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self'{nonce}; img-src 'self' blob:; \
         font-src 'self'; media-src 'self' blob:; connect-src 'self';{more} \
         base-uri 'none'; frame-ancestors {ancestors}; require-trusted-types-for 'script'; trusted-types 'none'"
    )
}
