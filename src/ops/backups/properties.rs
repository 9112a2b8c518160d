//! Properties of the reader: it reads the writer's output, and for any other input it reports the fault and hands on
//! nothing that the manifest does not announce.

use std::io::{Cursor, Read, Write as _};
use std::path::Path;

use proptest::prelude::*;
use sha2::{Digest as _, Sha256};

use crate::base::cases::cases;
use crate::base::clock::Time;
use crate::ops::backups::format::{BackupPart, FORMAT, Head, Kind, TRAILER_HEAD};
use crate::ops::backups::reader::{self, Bad, Sink};
use crate::ops::backups::writer::Writer;

/// Keeps all.
#[derive(Default)]
struct KeptParts {
    bytes: u64,
    parts: Vec<BackupPart>,
    contents: Vec<Vec<u8>>,
}

impl Sink for KeptParts {
    type Fault = ();

    fn begin(&mut self, _: &Head, bytes: u64) -> Result<(), Bad<()>> {
        self.bytes = bytes;
        Ok(())
    }

    fn part(&mut self, part: &BackupPart, content: &mut dyn Read) -> Result<(), ()> {
        let mut bytes = Vec::new();
        let read = content.read_to_end(&mut bytes);
        assert!(bytes.len() as u64 <= part.size);
        self.contents.push(bytes);
        read.map(drop).map_err(drop)
    }

    fn whole(&mut self, part: &BackupPart) -> Result<(), ()> {
        self.parts.push(part.clone());
        Ok(())
    }
}

fn part(kind: Kind, content: &[u8]) -> BackupPart {
    let sha256 = Sha256::digest(content).into();
    let kind = match kind {
        Kind::Blob(_) => Kind::Blob(sha256),
        kind => kind,
    };
    BackupPart { kind, size: content.len() as u64, sha256 }
}

fn parts_of(database: &[u8], blobs: &[Vec<u8>]) -> Vec<(BackupPart, Vec<u8>)> {
    let key = vec![7; 32];
    let mut parts =
        vec![(part(Kind::Key("instance".to_owned()), &key), key), (part(Kind::Database, database), database.to_vec())];
    let blobs = blobs.iter();
    parts.extend(blobs.map(|blob| (part(Kind::Blob([0; 32]), blob), blob.clone())));
    parts.sort_by(|a, b| a.0.kind.cmp(&b.0.kind));
    parts.dedup_by(|a, b| a.0 == b.0);
    parts
}

fn written(parts: &[(BackupPart, Vec<u8>)]) -> Vec<u8> {
    let head = Head {
        format: FORMAT,
        program: "0.1.0".to_owned(),
        schema: 1,
        created_at: Time::from_millis(0),
        parts: parts.len() as u64,
        lost_files: 0,
    };
    let listed: Vec<BackupPart> = parts.iter().map(|(part, _)| part.clone()).collect();
    let mut writer = Writer::new(Vec::new(), &head, &listed).expect("memory");
    for (part, content) in parts {
        let hash = writer.add(part, &mut content.as_slice()).expect("memory");
        assert_eq!(hash, part.sha256);
    }
    writer.finish().expect("memory")
}

fn sample() -> Vec<u8> {
    written(&parts_of(&[3; 5000], &[vec![1; 700], b"abc".to_vec()]))
}

fn read(bytes: &[u8]) -> (Result<Head, Bad<()>>, KeptParts) {
    let mut kept = KeptParts::default();
    let read = reader::read(Cursor::new(bytes), Path::new("."), &mut kept);
    (read, kept)
}

/// Bytes with the frame at the end that belongs to them.
fn sealed(body: &[u8]) -> Vec<u8> {
    let mut bytes = body.to_vec();
    bytes.extend(TRAILER_HEAD);
    let hash = Sha256::digest(&bytes);
    bytes.extend(hash);
    bytes
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn what_was_written_is_read(
        database in prop::collection::vec(any::<u8>(), 0..2000),
        blobs in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..900), 0..5),
    ) {
        let parts = parts_of(&database, &blobs);
        let bytes = written(&parts);
        let (head, kept) = read(&bytes);
        prop_assert_eq!(head.map(|head| head.parts).ok(), Some(parts.len() as u64));
        let (listed, contents): (Vec<BackupPart>, Vec<Vec<u8>>) = parts.into_iter().unzip();
        prop_assert_eq!(kept.bytes, listed.iter().map(|part| part.size).sum::<u64>());
        prop_assert_eq!(kept.parts, listed);
        prop_assert_eq!(kept.contents, contents);
    }

    #[test]
    fn a_flipped_bit_is_found(at in any::<prop::sample::Index>(), bit in 0_u8..8) {
        let mut bytes = sample();
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        prop_assert!(read(&bytes).0.is_err(), "bit {bit} of byte {at}");
    }

    #[test]
    fn an_end_that_is_cut_off_or_added_is_found(
        at in any::<prop::sample::Index>(),
        more in prop::collection::vec(any::<u8>(), 1..100),
    ) {
        let mut bytes = sample();
        prop_assert!(read(&bytes[..at.index(bytes.len())]).0.is_err());
        bytes.extend(more);
        prop_assert!(read(&bytes).0.is_err());
    }

    #[test]
    fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(read(&bytes).0.is_err());
        prop_assert!(read(&sealed(&bytes)).0.is_err());
        // Behind the compression too.
        let packed = zstd::encode_all(bytes.as_slice(), 1).expect("memory");
        prop_assert!(read(&sealed(&packed)).0.is_err());
    }

    #[test]
    fn an_altered_archive_hands_on_nothing_else(
        at in any::<prop::sample::Index>(),
        bytes in prop::collection::vec(any::<u8>(), 1..20),
    ) {
        let body = sample();
        let body = &body[..body.len() - TRAILER_HEAD.len() - 32];
        let mut archive = zstd::decode_all(body).expect("ours");
        let at = at.index(archive.len() - bytes.len());
        let was = archive[at..at + bytes.len()].to_vec();
        archive[at..at + bytes.len()].copy_from_slice(&bytes);
        let packed = zstd::encode_all(archive.as_slice(), 1).expect("memory");
        let (read, kept) = read(&sealed(&packed));
        if read.is_ok() {
            for (part, content) in kept.parts.iter().zip(&kept.contents) {
                prop_assert_eq!(&<[u8; 32]>::from(Sha256::digest(content)), &part.sha256);
            }
        } else {
            prop_assert_ne!(was, bytes);
        }
    }

    #[test]
    fn any_line_of_a_manifest_names_a_part_or_none(name in "(keys|blobs|formsvc.db)?/?[./a-z0-9-]{0,12}", size: u64) {
        let hash = "00".repeat(32);
        let line = format!("{{\"name\":\"{name}\",\"size\":{size},\"sha256\":\"{hash}\"}}");
        if let Some(part) = BackupPart::read(&line) {
            prop_assert_eq!(part.name(), name.clone());
            prop_assert!(!name.contains("..") && !name.starts_with('/') && name.matches('/').count() < 3);
        }
    }
}

/// A file that unpacks to more than it may.
#[test]
fn a_bomb_behind_the_last_part_is_not_unpacked() {
    let body = sample();
    let body = &body[..body.len() - TRAILER_HEAD.len() - 32];
    let archive = zstd::decode_all(body).expect("ours");
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).expect("memory");
    encoder.write_all(&archive).expect("memory");
    let zeros = vec![0; 1 << 20];
    for _ in 0..512 {
        encoder.write_all(&zeros).expect("memory");
    }
    let bomb = sealed(&encoder.finish().expect("memory"));
    assert!(matches!(read(&bomb).0, Err(Bad::Damaged(_))));
}
