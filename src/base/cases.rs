//! The number of cases in property tests (S92).

use proptest::prelude::ProptestConfig;

/// 2,000 cases, or the number in `PROPTEST_CASES`: the long run sets 100,000.
pub fn cases() -> ProptestConfig {
    // The default reads the variable and falls back to 256.
    let default = ProptestConfig::default();
    ProptestConfig {
        cases: if default.cases == 256 { 2000 } else { default.cases },
        // A failing case becomes a test of its own, not a file of seeds.
        failure_persistence: None,
        ..default
    }
}
