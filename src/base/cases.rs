//! How many cases the property tests try (S92). Nothing but tests uses it.

use proptest::prelude::ProptestConfig;

/// 2,000 cases, or as many as `PROPTEST_CASES` says: the long run asks for 100,000.
pub fn cases() -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES");
    let asked = asked.ok().and_then(|count| count.parse().ok());
    ProptestConfig {
        cases: asked.unwrap_or(2000),
        // What is found becomes a case in words, not a file of seeds.
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}
