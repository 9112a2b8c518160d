//! `formsvc events`: prints the events of a form as they come.

use std::io::stdout;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::base::error::Error;
use crate::cli::config::args::{Events, Tail};
use crate::cli::config::settings::Cx;
use crate::cli::failure::{Exit, Failure};
use crate::cli::{output, with_app};
use crate::model::event::Event;
use crate::ops::delivery::event_streams::{self, PIECE};
use crate::ops::transfer::exports;

/// How often new events are looked for: the server that writes them is another process.
const LOOK: Duration = Duration::from_millis(250);

pub fn run(cx: &Cx, command: Events) -> Result<(), Failure> {
    match command {
        Events::Tail(flags) => tail(cx, &flags),
    }
}

fn tail(cx: &Cx, flags: &Tail) -> Result<(), Failure> {
    with_app(cx, |app| {
        let mut pause = Pause::new().map_err(|e| Failure::failed("signals can't be heard", e))?;
        let (form, after) = (flags.form.as_str(), flags.after.as_deref());
        let owner = exports::owner_of(app, form)?;
        let mut stream = event_streams::open(app, &owner, form, after).map_err(refusal)?;
        cx.out.note("events are printed as they happen: press Ctrl-C to stop");
        loop {
            // Again each time, since a form may get another owner.
            let owner = exports::owner_of(app, form)?;
            let events = event_streams::read(app, &owner, stream.cursor(), PIECE)?;
            if !events.is_empty() {
                let lines: Vec<String> = events.iter().map(|event| line(event, cx)).collect();
                output::print(&lines.join("\n"))?;
                stream.sent(&events);
            }
            let nap = match events.is_empty() {
                true => LOOK,
                false => Duration::ZERO,
            };
            if pause.take(nap) {
                return Ok(());
            }
            if has_no_reader() {
                return Err(Failure::silent());
            }
        }
    })
}

fn refusal(error: Error) -> Failure {
    match error {
        Error::BadRequest(_) => Failure::usage("--after must be the id of an event, such as --json prints"),
        Error::Gone(_) => {
            Failure::new(Exit::NotFoundOrExists, "the events after this one are no longer stored: leave out --after")
        }
        other => other.into(),
    }
}

/// Time, kind and serial number, or the document that webhooks get.
fn line(event: &Event, cx: &Cx) -> String {
    if cx.out.json {
        return String::from_utf8_lossy(&event.body).into_owned();
    }
    let serial = event.serial.unwrap_or_default();
    format!("{}  {:14}  {serial}", event.created_at, event.kind.name())
}

/// Sleeps that a signal ends.
struct Pause {
    runtime: Runtime,
    interrupt: Signal,
    terminate: Signal,
}

impl Pause {
    fn new() -> std::io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let within = runtime.enter();
        let interrupt = signal(SignalKind::interrupt())?;
        let terminate = signal(SignalKind::terminate())?;
        drop(within);
        Ok(Self { runtime, interrupt, terminate })
    }

    /// Sleeps for `nap`; true if the command should end.
    fn take(&mut self, nap: Duration) -> bool {
        let (interrupt, terminate) = (&mut self.interrupt, &mut self.terminate);
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                _ = interrupt.recv() => true,
                _ = terminate.recv() => true,
                () = tokio::time::sleep(nap) => false,
            }
        })
    }
}

/// Whether standard output is a pipe that nobody reads from any more. A write would tell, but there may be none for long.
fn has_no_reader() -> bool {
    let out = stdout();
    let mut asked = [PollFd::new(&out, PollFlags::empty())];
    let found = poll(&mut asked, Some(&Timespec::default()));
    found.is_ok_and(|found| found > 0) && asked[0].revents().intersects(PollFlags::ERR | PollFlags::HUP)
}
