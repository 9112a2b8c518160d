//! How many cases the property tests try (S92). Nothing but tests uses it.

use proptest::prelude::ProptestConfig;

/// 2,000 cases, or as many as `PROPTEST_CASES` says: the long run asks for 100,000.
pub fn cases() -> ProptestConfig {
    // The default is what the variable says, or 256.
    let asked = ProptestConfig::default();
    ProptestConfig {
        cases: if asked.cases == 256 {
            2000
        } else {
            asked.cases
        },
        // What is found becomes a case in words, not a file of seeds.
        failure_persistence: None,
        ..asked
    }
}
