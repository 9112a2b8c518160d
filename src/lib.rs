//! formsvc: collect forms from one static binary.
//!
//! # Code map
//! Two names find any line: the layer, which is a folder here, and the subject, which has the same name in every layer
//! and in the tests. `tests/tidy.rs` has the lists of both and checks them.
//!
//! Layers, the lowest first. A layer uses only layers above it in this list.
//! - [`base`]: errors, paths of faults, ids, clock, secrets. No domain, and no IO except the clock.
//! - [`media`]: images, sound, typesetting, handwriting. Pure.
//! - [`http`]: a server that knows no form: it accepts connections, encrypts them, reads requests and bodies.
//! - [`outbound`]: requests to other machines: receivers of webhooks, authorities for certificates, the backup store. No
//!   domain.
//! - [`model`]: the domain as plain data. No SQL, no HTTP.
//! - [`fields`]: the field kinds, definitions and values. Pure: no IO, no clock.
//! - [`store`]: SQLite and the blob directory. All SQL is here.
//! - [`query`]: finds entries: parsed forms, filters, plans, segments, scans. Decides no permission.
//! - [`ops`]: the operations: permissions and transactions.
//! - [`web`]: the way of a request, routes, the API, pages. No domain rules.
//! - [`jobs`]: background work.
//! - [`cli`]: the command line, the only reader of environment and flags.
//!
//! Subjects of `ops`, `store`, `web::api` and `tests/http`:
//! - `accounts`: users, organizations, members, collaborators, signing in, second factor, sessions, tokens, plans, audit
//!   log.
//! - `backups`: making, keeping, restoring.
//! - `capacity`: quotas, stock, bookings, holds, waiting lists.
//! - `checkup`: what `doctor` finds and repairs, and what is removed when it has expired.
//! - `delivery`: events, webhooks, streams of events, mail, the outbox.
//! - `entries`: submission, reading and changing, lists, bulk, trash, unique values, idempotency.
//! - `exams`: exams and evaluations, verification codes, certificates.
//! - `files`: uploads, the files of entries, images.
//! - `forms`: definition, settings, themes, rules, folders, the published form.
//! - `oauth`: the provider that lets other programs act for users.
//! - `queries`: public queries.
//! - `server`: addresses, certificate, metrics, room on the disk.
//! - `transfer`: imports and exports.
//!
//! # Invariants
//! - A write is on disk before it is answered: the answer is sent after the commit (`synchronous=FULL`).
//! - One thread writes. Serial numbers, uniqueness, limits and room are decided in it.
//! - The answers of a submission are read once (`ops::entries::answers`): the form's page is drawn from them and the write
//!   takes them, unless the form or the entry changed meanwhile.
//! - Data that is cached across transactions is keyed by a version that each transaction reads.
//! - Column segments are a cache of entries: whoever changes an entry notes it (`store::entries::segments`), and what
//!   they don't know is evaluated on the entries. `query` has a code map of all that finds entries.
//! - Faults of a request are data: all are reported at once, each with its path.
//! - SQL never carries client text; HTML is escaped by construction.
//!
//! # Decisions
//! What, instead of what, why; the latest first.
//! - 2026-11: reminders are found by the filters every minute, in the entries as they are, instead of being planned when
//!   an entry is stored. Whatever moves, cancels, imports or restores a booking needs no thought of them, and a form can
//!   switch them on for the bookings that it has. What is stored is only what was sent.
//! - 2026-11: a calendar file is written by our own hundred lines, instead of `icalendar`. It is an event of ten lines; the
//!   crate keeps its times in another library of dates (chrono) and brings a parser.
//! - 2026-11: forms show an organization's name once somebody has set it, instead of always. The first `user create` makes
//!   an organization that is called like its user, and a person's name is not put on public pages by default.
//! - 2026-11: the page of the organization compares what was typed with what it showed and patches the difference, instead
//!   of saving all of its inputs. What another owner saved meanwhile stays, and only the same setting is asked about.
//! - 2026-11: the layers are folders of one crate, instead of crates of a workspace. Tried with two: a changed line of
//!   `web` is checked in two seconds of a processor instead of five, but a program with it takes nine instead of eleven,
//!   since most of that is linking, and tests speak to a program. Twelve manifests are not worth it.
//! - 2026-11: images lose their metadata by our own parsers, instead of `img-parts`. It refuses what programs show,
//!   such as a PNG with a wrong checksum or cut off and a WebP with a wrong length. It keeps what stands behind the end
//!   of a JPEG, where telephones put a second picture or a film with the place.
//! - 2026-11: the length of a recording is read by our own two hundred lines, instead of `symphonia`. That refuses a
//!   WAV whose length was never filled in, holds an attachment within a recording in memory, and is nine crates and 600
//!   KB.
//! - 2026-11: a set of serial numbers is made of the bits of its blocks, instead of `roaring`. The answer to a filter
//!   comes block by block: for a million entries that takes up to 1,600 µs there and 14 µs here.
//! - 2026-11: encrypted backups are the crate `age` as it is, with 61 crates of which a passphrase needs a third. None
//!   of the others can be turned off, and its format by hand would be cryptography of our own.
//! - 2026-11: a stored value with members is decoded by a struct of its kind that borrows from the JSON, instead of by a
//!   blanket trait that gives every method a decoded value. The trait would repeat 23 methods of eleven traits, some of
//!   which return parts of the stored JSON, and decode values whole where a scan looks at one member.
//! - 2026-11: menus and dialogs of signed-in pages are the browser's `popover` and `<dialog>` with `commandfor`, instead of
//!   `<details>` and a module: keys, focus, a press outside and the layer above all else come with them, without a script.
//!   All parts of these pages are drawn into a page that stands among the tests, instead of at an address for tests only.
//! - 2026-11: workbooks are read by our own four hundred lines over `zip` and `quick-xml`, instead of calamine. That reads
//!   parts by fixed names and refuses a whole file for an error that it does not know, a dimension of whole columns or an
//!   extension in a cell; and it can't tell where it stopped. One pass now reads the cells and bounds what they unpack to.
//! - 2026-11: mail about forms is planned for an hour of the clock when it is queued, instead of held against a sliding
//!   window when it is sent. Planning counts in an index, and what waits is not looked at again before its hour.
//! - 2026-11: `secure_delete` is on, instead of `FAST`. What was deleted for good lay in free pages, which backups copy.
//! - 2026-11: a standby is Litestream beside the service, instead of replication of our own. It copies frames of the log
//!   that SQLite has checked, and what it copies is restored like a backup. All that is ours is to leave the log alone: a
//!   note in the database tells it to commands too, since one that closes the file last would empty the log. Nothing limits
//!   how far the log grows but the room that the disk must keep: refusing entries because a copy is late helps nobody.
//! - 2026-11: figures for operators are atomics where things happen, written by our own hundred lines, instead of a crate:
//!   those write OpenMetrics, whose names of counters the text format reads otherwise. Labels are `&'static str` of tables,
//!   so that no request can add one.
//! - 2026-11: the watchdog is told of a read and a write that another thread waited for, instead of a timer: what can't
//!   write for that long is better started again.
//! - 2026-11: with a base address that has a path, requests outside of it are 404, instead of answered all the same. What is
//!   beside it on that host is somebody else's, and a proxy that takes the path off is noticed at the first request.
//! - 2026-11: certificates by ACME are ordered with instant-acme and rcgen over our own few lines of HTTP, instead of
//!   rustls-acme. That brings thirty crates more, a second set of IO traits among them, and asks a refusing authority again
//!   within seconds. Account and certificate are files in `keys/` that no backup has: a restored service gets new ones
//!   within seconds, and a backup in the wrong hands lets nobody pose as the service's name.
//! - 2026-11: the backup store's client is `object_store` over our own hyper and rustls, instead of its reqwest. That would
//!   be a second HTTP client, HTTP/2 and a second library of cryptography.
//! - 2026-11: an encrypted backup is a file of age, whose key takes 128 MB to make, instead of as much as a second allows.
//!   The service makes it while it serves, and a fast machine may have little memory.
//! - 2026-11: an upload in parts leaves a note in the data dir while it lasts, instead of the store being asked for what is
//!   unfinished. The next backup ends what a crash left, and never what another service is sending.
//! - 2026-11: event streams read the table of events, each from where its reader is, instead of being handed events as they
//!   happen. One way serves those who stay and those who come back; a slow reader holds no memory, and the right is asked
//!   for in the snapshot that the events come from.
//! - 2026-11: the store notes each change of an entry where it stores it, and the writer turns what a job noted into events
//!   at the job's end, in its savepoint, instead of each operation writing its own. No way of changing an entry can forget
//!   them. Who wants events of a form is looked up once a batch, so forms without webhooks and streams pay nothing.
//! - 2026-11: an event's body is stored as it is sent, instead of drawn when it is sent: a redelivery days later is the same
//!   bytes. Its id is the form's number and a counter's, so that a form's events lie together in the order of commits; the
//!   public ids of events and deliveries are those numbers under a keyed permutation, without an index over random text.
//! - 2026-11: the events of an import are written in pieces after its entries can be seen, instead of with each piece that
//!   comes in. No receiver hears of an entry that it can't read yet, and no job writes a hundred thousand events. An entry that
//!   is changed before its turn has its creation told first.
//! - 2026-11: requests to webhooks are made by our own few files over hyper and rustls, instead of reqwest. They resolve a
//!   name once, judge every address and connect to a judged one; one allowance of bytes ends whatever answer is endless.
//! - 2026-11: a webhook's events go out one at a time in runs over one connection, many webhooks at once, instead of each
//!   delivery by itself. That keeps their order and settles a run in one write. Receivers that hang or fail share half of
//!   the places, and those that have not answered yet leave some to those known to be quick.
//! - 2026-11: deliveries to webhooks share the mail's outbox. A webhook that is deleted goes at once, its deliveries in
//!   pieces, since there may be a hundred thousand.
//! - 2026-11: a backup is a tar archive in Zstandard whose manifest comes first, and whose own hash stands in a frame at the
//!   end that other programs skip, instead of a format of our own. Any `tar` unpacks it, and a reader knows every name,
//!   size and hash before it unpacks anything.
//! - 2026-11: a restore unpacks within the data dir and renames one folder, after which whoever opens the data dir finishes
//!   it, instead of exchanging the data dir for one beside it. A data dir may be a mount point, or lie where its user may
//!   not write, and backups in it stay.
//! - 2026-11: what a visitor of a public query fills in becomes a filter like any other, with lists of clauses of which one
//!   must hold, instead of a search of its own. So one evaluator says what is found, and one row (`ops::queries`)
//!   what is shown of it, for page, JSON, files and exports alike.
//! - 2026-11: fields that public queries search exactly have keys in the unique index's table, under numbers of their own,
//!   built in the background; choices have none, since many entries share one. A search that such keys answer needs no plan
//!   and none of the threads for long searches.
//! - 2026-11: links to a result, its files, its certificate and its editing are signatures over query, entry and an hour,
//!   instead of rows in a table. They end with what they were given for: the query's rules and scope are asked again.
//! - 2026-11: what a query uses and a form no longer has finds nothing, instead of being left out of the search: a
//!   condition that disappears must not show more entries than its owner meant.
//! - 2026-11: a form's page keeps what was chosen by the post that checks it, instead of by requests of its own. So it
//!   does without a script too, from page to page; what rules hide is not kept, and what is full is said where it is
//!   chosen. What finds room is kept although something else finds none.
//! - 2026-11: the verification code of an entry that waits for room is not valid, and it has no certificate, instead of
//!   both from the start. They are tickets at the door.
//! - 2026-11: formulas that depend on the day are computed by whoever reads an entry, instead of by a job at midnight.
//!   There is no moment at which some entries show yesterday, nothing is rewritten, and a form's timezone may change. Such
//!   fields have no segments: a condition on one, or a keyword where one is a text, evaluates each entry that other
//!   conditions leave. Forms without such formulas pay nothing.
//! - 2026-11: what is taken of quotas, stock and places is one table of counts, instead of queries over the entries. A
//!   count is one row, whatever the form; a batch of submissions changes it in memory and writes it once. What a value
//!   takes follows from the value alone, so that an entry gives back what it took under whichever definition.
//! - 2026-11: verification codes are keys of the unique index under a number of their own, instead of a column with an
//!   index. The writer that draws a code sees at once whether it is taken, by an entry in the trash or a row of an import
//!   too, and whoever looks one up reads one row.
//! - 2026-11: certificates are laid out by our own few files over a shaper (harfrust) and a PDF writer (krilla), instead of
//!   a typesetting system. They are one page with a title and a text; a system would be 280 crates. krilla's own text
//!   layout needs crates that nobody maintains. Nothing is stored: the same entry gives the same bytes.
//! - 2026-11: mail is drawn in the writer's job that stores the entry, instead of when it is sent. It then says what was
//!   true at that moment, even if it goes out a day later; forms without notifications pay nothing.
//! - 2026-11: one connection for each mail, instead of a pool. Mail is few, and a connection that went bad concerns one.
//! - 2026-11: unique keys are one table of 16-byte keyed hashes, instead of sorted runs that merge in the background.
//!   The runs took a fifth off the time of a submission with five unique fields, and 2,800 lines. The hashes keep
//!   addresses and numbers out of the index in clear.
//! - 2026-11: parts of segments are compressed where that saves half, instead of as many as keep
//!   all below a share of the entries. Texts that are searched are not compressed, instead of in parts with marks of
//!   their letters: compressed as one, a search took three times as long. Columns are filled row by row, without batches
//!   and tables of repeated values. That is 1,500 lines less for what only the last percents of searches, reports and
//!   exports showed.
//! - 2026-11: a filtered request is read once, in the transaction that answers it, instead of once beforehand to refuse
//!   it early. A refusal waits in the same line; what was read never outlives its snapshot.
//! - 2026-11: the tail (entries of a block that is not full) has segments in memory, instead of being scanned. Most
//!   forms have fewer than 4,096 entries, all of them tail; a scan parses each of them at each request.
//! - 2026-11: reports have threads of their own, instead of what is expected to take long. The guess of a search's cost
//!   decided little; a report reads every entry, and many of them must not hold up the lists of others.
//! - 2026-11: jemalloc everywhere on Linux, instead of the system's allocator in debug builds. Its pages go back to the
//!   system, so that large answers which nobody takes cost memory once.
//! - 2026-11: column segments, instead of SQLite's FTS or an index per field. Any operator over any field answers from
//!   one format that can be thrown away and made again; a table of a million entries needs no declared index.
//! - 2026-11: a change whose form changed is prepared again in the writer's job, instead of running its request again.
//!   The job reads the form as it is, so nobody can come between. What takes the writer too long, or several of its jobs,
//!   such as heavy forms, edits of forms and imports, is run again by its operation.
//! - 2026-11: a request's reader is part of the `App` that its handler is given, instead of lent to its thread. What
//!   reads through the request's `App` sees one snapshot and never waits, and the types show which reads those are.
//! - 2026-11: imports appear at once, instead of row by row. Whoever reads while one comes in sees none of it or all,
//!   and a refused file leaves nothing to take back.
//! - 2026-10: an own gate before the HTTP server (`http::gate`), instead of hyper's reading alone. hyper takes a bare line
//!   feed and reconciles two lengths, which lets requests be smuggled past a proxy that reads otherwise.
//! - 2026-10: `memcpy` and its kin in C for the static program (`memory.c`), instead of musl's. Those took a seventh of
//!   the processor time of a submission; Rust can't replace them without `unsafe`, which this crate forbids.

pub mod base;
pub mod cli;
pub mod fields;
pub mod http;
pub mod jobs;
pub mod media;
pub mod model;
pub mod ops;
pub mod outbound;
pub mod query;
pub mod store;
pub mod web;

#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;
