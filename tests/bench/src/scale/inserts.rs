//! Bulk insertion, and building segments.

use std::time::{Duration, Instant};

use crate::scale::Scale;
use crate::table::Table;
use crate::{generate, load};

const CLIENTS: usize = 16;
/// The thread that builds segments.
const SEGMENT_THREAD: &str = "long-jobs";
const PATIENCE: Duration = Duration::from_secs(900);

impl Scale<'_> {
    pub(super) fn grow(&self, table: &mut Table) {
        let (server, rows) = (&self.subject.server, self.plan.rows);
        let begun = server.cpu_seconds();
        let rate = self.bulk(&self.subject.form, 4, rows, generate::values);
        let sealed_meanwhile = server.cpu_seconds_of(SEGMENT_THREAD);
        let ingest = server.cpu_seconds() - begun - sealed_meanwhile;
        table.note("entries by bulk, 4 connections", &format!("{rate:.0}/s"));

        // The last blocks are still without segments: the expensive moment, if there is one.
        let base = &server.base;
        let submission = self.submission();
        let seconds = self.observed_seconds();
        let before = self.unsealed();
        let sealing = server.cpu_seconds_of(SEGMENT_THREAD);
        let beside = load::run(base, CLIENTS, seconds, &[201], &submission);
        let after = self.unsealed();
        let sealed_beside = server.cpu_seconds_of(SEGMENT_THREAD) - sealing;
        let resting = server.cpu_seconds();
        self.wait_until_sealed();
        let sealed_alone = server.cpu_seconds() - resting;
        let all = sealed_meanwhile + sealed_beside + sealed_alone;
        table.at_most("processor for sealing", all, "s", "for taking the entries in", ingest, 0.2);
        let alone = load::run(base, CLIENTS, seconds, &[201], &submission);
        table.at_most("p99 of submissions beside sealing, 16 connections", beside.p99, "ms", "alone", alone.p99, 1.5);
        table.note("blocks to seal before and after those", &format!("{before} and {after}"));
        // As sent, with fields by name.
        let json = self.number(
            "SELECT sum(octet_length(\"values\") + length('field_') \
             * (SELECT count(*) FROM json_each(\"values\"))) FROM entries",
        );
        let json = json as f64 / 1048576.0;
        let file = std::fs::metadata(self.database()).expect("a file").len();
        table.at_most("size of the file", file as f64 / 1048576.0, "MB", "the JSON alone", json, 1.4);
        table.note(
            "memory after all entries",
            &format!("{:.0} MB, at most {:.0}", server.memory_mb(), server.peak_mb()),
        );
    }

    /// The number of full blocks without segments.
    fn unsealed(&self) -> i64 {
        self.number(
            "SELECT (SELECT sum(next_serial / 4096) FROM form_counters) \
             - (SELECT count(*) FROM segment_blocks WHERE length(live) > 0)",
        )
    }

    pub(super) fn wait_until_sealed(&self) {
        let begun = Instant::now();
        while self.unsealed() > 0 {
            assert!(begun.elapsed() < PATIENCE, "sealing takes too long");
            std::thread::sleep(Duration::from_millis(200));
        }
        // The segments of the last block follow it.
        std::thread::sleep(Duration::from_secs(2));
    }
}
