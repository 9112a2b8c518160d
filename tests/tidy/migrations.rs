//! Migrations are frozen: databases have been through them, and a changed one would leave those with other tables than
//! new ones.

use std::collections::BTreeMap;
use std::fs;

use sha2::{Digest as _, Sha256};

use super::{entries, none, root};

/// Every migration with the SHA-256 of its file. The line of a new one is added with it, and none is ever changed again
/// once it was released.
const RELEASED: &[(&str, &str)] = &[
    ("V1__first.sql", "3c4277f3506ace90a7532c7a1d6a0eb97ac97e0400946caa304032f0e607726c"),
    ("U1795872000__mail.sql", "22a9e2ee8e01750466f13df51d55523a295a1a27460440675f43c1f900a989d6"),
    ("U1795872871__folding.sql", "1c6af1db356570546f5e577017aca5622833b78a88bbd5c83a13629697960faf"),
    ("U1795876000__holds.sql", "bb4dba34c5d00f0cd2dabf4387959343d0cc1fff20ac718693e220a261c8db64"),
    ("U1795887000__phones.sql", "f9e59f7b7b328ab519c290eabfa69c575ba1a2647cc43c1afb9096c23e14efa5"),
    ("U1795888000__accounts.sql", "160710a2f8d6052815accbda1f3adcf3bc99bb052d8ef4eb80fc3ea91cbfdb55"),
    ("U1795932900__organizations.sql", "1a009da08d092920300a718473c7188e2380bfc631b4aa724a23606c21e7accc"),
    ("U1795960000__reminders.sql", "61258588caca1d75e8ad00783ac22e690bdf5c6cd3731ed7a9c5989b560deda6"),
    ("U1795965000__drafts.sql", "6d5aba569bd703a752680452baed3ba6c74d2f51134c827f95eecb4ba083b30f"),
    ("U1795968700__jobs.sql", "3e7e9aaa4aa3bc503d0625c396f7c2b11a1d44a2527c62da97f69cbb923890e1"),
    ("U1795974000__draft_parts.sql", "3c7a0b5c864a59a08e6cef15e50d3b6c00f82e1a864abf086a6c686570290e2d"),
    ("U1795975000__form_versions.sql", "c71eec07545ef32f699b9e14986f5bd3d4ce014a93e2e8f560a912e9d81e2285"),
    ("U1796030000__check_ins.sql", "7768d3a8655fb10c4535802514acbea251cc055fc6c19f8469b63d3d63bbe7d4"),
    ("U1796030100__preferences.sql", "678d101d9701a82c635cc6c1159ef19c7266fba78e7d803f17fdc28432d4e2c1"),
    ("U1796010000__saved_views.sql", "b462cadead193ec2d4e64c5c5564c8962b309dae07b35edaf4f738e7dbda6986"),
    ("U1797004000__failed_deliveries.sql", "2f11340be04858688291aceeb6d5f6cd41a03dd8a6d987abc2f8492c6888f95e"),
];

#[test]
fn released_migrations_never_change() {
    let mut found = BTreeMap::new();
    for path in entries(&root().join("migrations")) {
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.expect("a plain name").to_owned();
        let sum = Sha256::digest(fs::read(&path).expect("a readable file"));
        let sum: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
        found.insert(name, sum);
    }
    let mut faults = Vec::new();
    for (name, sum) in RELEASED {
        match found.remove(*name) {
            Some(now) if now == *sum => {}
            Some(now) => faults.push(format!(
                "migrations/{name} was released and must stay as it is: undo the change, and make it in a new file \
                 U<unix time>__<what>.sql (its SHA-256 is now {now})"
            )),
            None => faults.push(format!("migrations/{name} was released and must stay: bring it back")),
        }
    }
    for (name, sum) in found {
        faults.push(format!("migrations/{name} is new: add (\"{name}\", \"{sum}\") to tests/tidy/migrations.rs"));
    }
    none(&faults);
}
