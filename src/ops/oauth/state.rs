//! In-memory state of the OAuth provider.

use crate::base::rate::RateTable;
use crate::ops::oauth::access::Signatures;
use crate::ops::oauth::keys::Signer;

/// Of the OAuth provider, between requests.
#[derive(Default)]
pub struct OauthState {
    /// Failed authentications of clients, by client and address.
    pub(in crate::ops) client_failures: RateTable,
    /// Cached signatures of verified access tokens.
    pub(in crate::ops) signatures: Signatures,
    /// The key that signs access tokens.
    pub(in crate::ops) signer: Signer,
}
