//! The time in which a certificate is valid (RFC 5280, section 4.1.2.5), and the times derived from it: when it is
//! renewed, and when its end is near.

use yasna::tags::{TAG_GENERALIZEDTIME, TAG_UTCTIME};
use yasna::{ASN1Error, ASN1ErrorKind, ASN1Result, BERReader, Tag};

use crate::base::clock::Time;

/// A certificate with automatic renewal is renewed well before this: with so little time left it needs attention.
const NEAR_END_SECS: i64 = 14 * 24 * 3600;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    pub not_before: Time,
    pub not_after: Time,
}

impl Validity {
    /// The validity of a certificate in DER; `None` if it can't be read.
    pub fn of(certificate: &[u8]) -> Option<Self> {
        yasna::parse_der(certificate, |reader| {
            reader.read_sequence(|certificate| {
                let validity = certificate.next().read_sequence(|fields| {
                    fields
                        .read_optional(|version| version.read_tagged(Tag::context(0), |version| version.read_u8()))?;
                    // The serial number, the algorithm and the issuer.
                    for _ in 0..3 {
                        fields.next().read_der()?;
                    }
                    let validity = fields.next().read_sequence(|times| {
                        Ok(Self { not_before: time(times.next())?, not_after: time(times.next())? })
                    })?;
                    while fields.read_optional(|rest| rest.read_der())?.is_some() {}
                    Ok(validity)
                })?;
                while certificate.read_optional(|rest| rest.read_der())?.is_some() {}
                Ok(validity)
            })
        })
        .ok()
    }

    /// When a third of its lifetime is left.
    pub fn renew_at(self) -> Time {
        self.not_after.minus_secs(self.lifetime() / 3)
    }

    /// Whether less than two weeks are left, or less than a quarter of a short lifetime.
    pub fn is_near_end(self, now: Time) -> bool {
        self.not_after.secs_since(now) < NEAR_END_SECS.min(self.lifetime() / 4)
    }

    pub fn has_ended(self, now: Time) -> bool {
        now > self.not_after
    }

    fn lifetime(self) -> i64 {
        self.not_after.secs_since(self.not_before)
    }
}

fn time(reader: BERReader) -> ASN1Result<Time> {
    let at = match reader.lookahead_tag()? {
        TAG_UTCTIME => *reader.read_utctime()?.datetime(),
        TAG_GENERALIZEDTIME => *reader.read_generalized_time()?.datetime(),
        _ => return Err(ASN1Error::new(ASN1ErrorKind::Invalid)),
    };
    Ok(Time::from_millis(at.unix_timestamp().saturating_mul(1000)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{CertificateParams, KeyPair, date_time_ymd};

    fn made(from: (i32, u8, u8), to: (i32, u8, u8)) -> Vec<u8> {
        let mut params = CertificateParams::new(vec!["a.example".to_owned()]).expect("a name");
        params.not_before = date_time_ymd(from.0, from.1, from.2);
        params.not_after = date_time_ymd(to.0, to.1, to.2);
        let key = KeyPair::generate().expect("a key");
        params.self_signed(&key).expect("signed").der().to_vec()
    }

    #[test]
    fn both_forms_of_times_are_read() {
        let at = |text| Time::parse(text).expect("a time");
        let short = Validity::of(&made((2026, 1, 1), (2026, 4, 1))).expect("a certificate");
        assert_eq!(short.not_before, at("2026-01-01T00:00:00Z"));
        assert_eq!(short.not_after, at("2026-04-01T00:00:00Z"));
        assert_eq!(short.renew_at(), at("2026-03-02T00:00:00Z"));
        // Years from 2050 on are written otherwise.
        let long = Validity::of(&made((1975, 1, 1), (4096, 1, 1))).expect("a certificate");
        assert_eq!(long.not_after, at("4096-01-01T00:00:00Z"));
        assert!(!long.has_ended(at("2026-01-01T00:00:00Z")));
        assert_eq!(Validity::of(b"none"), None);
        assert_eq!(Validity::of(&[]), None);
        let cut = made((2026, 1, 1), (2026, 4, 1));
        assert_eq!(Validity::of(&cut[..cut.len() - 1]), None);
    }

    #[test]
    fn the_end_is_near_by_the_lifetime() {
        let at = |text| Time::parse(text).expect("a time");
        let of = |from, to| Validity { not_before: at(from), not_after: at(to) };
        let quarter = of("2026-01-01T00:00:00Z", "2026-04-01T00:00:00Z");
        assert!(!quarter.is_near_end(at("2026-03-17T00:00:00Z")));
        assert!(quarter.is_near_end(at("2026-03-18T00:00:01Z")));
        let week = of("2026-01-01T00:00:00Z", "2026-01-09T00:00:00Z");
        assert!(!week.is_near_end(at("2026-01-07T00:00:00Z")));
        assert!(week.is_near_end(at("2026-01-07T00:00:01Z")));
        assert!(!week.has_ended(at("2026-01-09T00:00:00Z")));
        assert!(week.has_ended(at("2026-01-09T00:00:01Z")));
    }
}
