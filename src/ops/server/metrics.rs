//! Metrics for operators: counters kept here and in the store, and figures looked up when the page is requested.
//! Nothing of users is in it, neither as a label nor as a value.

use std::fs;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::base::backup_target::BackupTarget;
use crate::base::clock::Time;
use crate::base::error::Result;
use crate::base::metrics::{Kind, Page};
use crate::ops::app::App;
use crate::ops::backups::{self, OpenTarget};
use crate::store::db::data_dir;
use crate::store::delivery::outbox;
use crate::store::files::blobs;

/// How long the sum over all blobs is kept.
const BLOBS_KEPT: Duration = Duration::from_secs(60);

/// Writes all figures of the operations and the layers below. Figures that can't be read now are left out.
pub fn draw(app: &App, page: &mut Page) {
    page.family("formsvc_build_info", Kind::Gauge, "The version of the program.")
        .add(&[("version", env!("CARGO_PKG_VERSION"))], 1.0);
    draw_writes(app, page);
    draw_deliveries(app, page);
    page.one("formsvc_event_streams", Kind::Gauge, "Open event streams.", app.delivery.streams.count());
    draw_storage(app, page);
    draw_backups(app, page);
    draw_process(app, page);
}

fn draw_writes(app: &App, page: &mut Page) {
    let writes = app.store.write_figures();
    page.one(
        "formsvc_entries_total",
        Kind::Counter,
        "Entries that were stored, without those of imports.",
        &writes.entries,
    );
    page.one("formsvc_write_queue", Kind::Gauge, "Writes that wait for the writer.", writes.waiting());
    page.one(
        "formsvc_writes_total",
        Kind::Counter,
        "Writes that were done; those of one batch share a commit.",
        &writes.jobs,
    );
    page.one(
        "formsvc_failed_commits_total",
        Kind::Counter,
        "Batches of writes that could not be committed.",
        &writes.failures,
    );
    page.family(
        "formsvc_commit_seconds",
        Kind::Histogram,
        "Time from the begin of a batch of writes until it is on disk.",
    )
    .add_histogram(&[], &writes.commits);
}

fn draw_deliveries(app: &App, page: &mut Page) {
    if let Ok((mails, webhooks)) = app.store.read(outbox::waiting) {
        let help = "Messages that wait for their delivery or their next attempt.";
        page.family("formsvc_outbox_waiting", Kind::Gauge, help)
            .add(&[("kind", "mail")], mails)
            .add(&[("kind", "webhook")], webhooks);
    }
    let help = "Attempts to deliver messages; put_off is tried again, failed is not.";
    let mut family = page.family("formsvc_deliveries_total", Kind::Counter, help);
    for (kind, outcomes) in [("mail", &app.server.mails), ("webhook", &app.server.webhooks)] {
        for (outcome, count) in
            [("delivered", &outcomes.delivered), ("put_off", &outcomes.put_off), ("failed", &outcomes.failed)]
        {
            family.add(&[("kind", kind), ("outcome", outcome)], count);
        }
    }
    page.one(
        "formsvc_mails_held_back_total",
        Kind::Counter,
        "Emails about forms that are never sent, because a limit was reached.",
        &app.delivery.outbox.held_back,
    );
}

fn draw_storage(app: &App, page: &mut Page) {
    let mut bytes = |name, help, value: u64| page.one(name, Kind::Gauge, help, value);
    if let Ok(space) = app.store.blobs().disk_space() {
        bytes("formsvc_disk_free_bytes", "Free space of the disk with the data dir.", space.free);
        bytes("formsvc_disk_bytes", "Size of the disk with the data dir.", space.total);
    }
    let (database, log) = data_dir::database_sizes(&app.config.data_dir);
    bytes("formsvc_database_bytes", "Size of the database.", database);
    bytes("formsvc_wal_bytes", "Size of the database's write-ahead log.", log);
    if let Ok((count, size)) = blobs(app) {
        bytes("formsvc_blobs_bytes", "Size of all uploaded files and images, counted once a minute.", size);
        page.one("formsvc_blobs", Kind::Gauge, "Uploaded files and images, counted once a minute.", count);
    }
}

/// The number of blobs and their size, which is kept for a while.
fn blobs(app: &App) -> Result<(u64, u64)> {
    let mut known = app.server.blobs.lock().unwrap_or_else(PoisonError::into_inner);
    match *known {
        Some((at, total)) if at.elapsed() < BLOBS_KEPT => Ok(total),
        _ => {
            let total = app.store.read(blobs::total)?;
            *known = Some((Instant::now(), total));
            Ok(total)
        }
    }
}

fn draw_backups(app: &App, page: &mut Page) {
    // A place that can't be read counts as empty, so that an alert on the age of the newest tells of it.
    let (count, newest) = backups_seen(app).unwrap_or_default();
    let awaited = app.config.backups.every_secs.map(|_| Time::from_millis(0));
    page.one("formsvc_backups", Kind::Gauge, "Backups where they are kept.", count);
    if let Some(newest) = newest.or(awaited) {
        page.one(
            "formsvc_newest_backup_timestamp_seconds",
            Kind::Gauge,
            "When the newest backup was made; 0 if none was and some should be.",
            seconds(newest),
        );
    }
}

/// The number of backups and when the newest was made. A store is not asked for them each time.
fn backups_seen(app: &App) -> Option<(usize, Option<Time>)> {
    let settings = &app.config.backups;
    if let Some(BackupTarget::Bucket(_)) = settings.to {
        let seen = app.server.stored_backups.lock();
        return *seen.unwrap_or_else(PoisonError::into_inner);
    }
    let target = OpenTarget::usual(&app.config.data_dir, settings).ok()?;
    let found = backups::list(&target).ok()?;
    Some((found.len(), found.first().map(|it| it.created_at)))
}

/// The process, by the names that dashboards expect.
fn draw_process(app: &App, page: &mut Page) {
    page.one("process_start_time_seconds", Kind::Gauge, "When the service started.", seconds(app.server.started_at));
    let used = clock_gettime(ClockId::ProcessCPUTime);
    page.one(
        "process_cpu_seconds_total",
        Kind::Counter,
        "Processor time that was used.",
        used.tv_sec as f64 + used.tv_nsec as f64 / 1e9,
    );
    if let Some(bytes) = resident_memory() {
        page.one("process_resident_memory_bytes", Kind::Gauge, "Memory in use.", bytes);
    }
    if let Ok(open) = fs::read_dir("/proc/self/fd") {
        page.one(
            "process_open_fds",
            Kind::Gauge,
            "Open file descriptors.",
            // The one that reads the folder is not counted.
            open.count().saturating_sub(1),
        );
    }
}

fn seconds(at: Time) -> f64 {
    at.millis() as f64 / 1e3
}

/// In bytes, where the system tells.
fn resident_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes << 10)
}
