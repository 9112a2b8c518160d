//! The data dir: crashes, power loss, full and failing disks, damage.

pub mod crash;
pub mod crash_many;
pub mod damage;
pub mod data_dir;
pub mod disk;
pub mod power;
