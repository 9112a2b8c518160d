//! Delivers the outbox, mail here and events in `webhooks`: a thread of its own that sleeps until something is queued
//! or due. Several messages are sent at once, so that a hanging server does not delay the others for long.

use std::cell::Cell;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use futures_util::future::join_all;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::base::clock;
use crate::base::error::{Error, Result};
use crate::jobs::smtp::Mailer;
use crate::jobs::webhooks::Lane;
use crate::model::outbox::{ClaimedMessage, DeliveryFault, MailLane};
use crate::ops::app::App;
use crate::ops::delivery::mail_deliveries::{self, Attempt, Due, LONGEST_ATTEMPT_SECS};

/// Commands of other processes may have queued something.
const LONGEST_SLEEP: Duration = Duration::from_secs(60);
const AFTER_FAILURE: Duration = Duration::from_secs(10);
/// How long messages that are being sent are waited for at the end.
const GRACE: Duration = Duration::from_secs(5);

/// The thread that delivers.
pub struct Worker {
    stop: watch::Sender<()>,
    thread: JoinHandle<()>,
}

impl Worker {
    /// Starts the thread.
    pub fn start(app: &Arc<App>) -> std::io::Result<Self> {
        let mailer = mailer(app);
        let (stop, stopped) = watch::channel(());
        let app = Arc::clone(app);
        let runtime = runtime()?;
        let thread = std::thread::Builder::new().name("deliveries".to_owned()).spawn(move || {
            if let Err(fault) = mail_deliveries::release(&app) {
                tracing::warn!("messages of the last server wait for a while: {fault:?}");
            }
            let mail = async {
                if let Some(mailer) = &mailer {
                    let lanes = MailLane::ALL.map(|lane| work(&app, mailer, lane, until_end(stopped.clone())));
                    join_all(lanes).await;
                }
            };
            let is_stopping = Cell::new(false);
            let webhooks = Lane::new(&app, &is_stopping);
            let webhooks = webhooks.work(until_end(stopped.clone()));
            runtime.block_on(async { tokio::join!(mail, webhooks) });
        })?;
        Ok(Self { stop, thread })
    }

    /// Ends the thread. Messages that are being sent are waited for.
    pub fn stop(self) {
        drop(self.stop);
        if self.thread.join().is_err() {
            tracing::error!("the thread of the deliveries had panicked");
        }
    }
}

/// Comes when the other end is dropped.
async fn until_end(mut stopped: watch::Receiver<()>) {
    while stopped.changed().await.is_ok() {}
}

/// Delivers due messages and returns how many succeeded.
pub fn run(app: &App) -> Result<usize> {
    let runtime = runtime().map_err(Error::internal)?;
    runtime.block_on(async {
        let is_stopping = Cell::new(false);
        let webhooks = Lane::new(app, &is_stopping).run();
        let (mail, webhooks) = tokio::join!(send_mail(app), webhooks);
        Ok(mail? + webhooks?)
    })
}

async fn send_mail(app: &App) -> Result<usize> {
    let Some(mailer) = mailer(app) else {
        return Ok(0);
    };
    let mut delivered = 0;
    for lane in MailLane::ALL {
        loop {
            let due = mail_deliveries::claim(app, lane, lane.places()).await?;
            if due.messages.is_empty() {
                break;
            }
            let attempts = join_all(due.messages.iter().map(|message| attempt(app, &mailer, message))).await;
            for (message, attempt) in due.messages.iter().zip(attempts) {
                settle(app, message, attempt).await;
                delivered += usize::from(attempt == Attempt::Delivered);
            }
        }
    }
    Ok(delivered)
}

fn mailer(app: &App) -> Option<Arc<Mailer>> {
    let mail = app.config.mail.as_ref()?;
    let mailer = Mailer::new(mail, &app.config.base_url);
    if mailer.is_none() {
        tracing::error!("no mail is sent: the sender's address or the certificates can't be used");
    }
    mailer.map(Arc::new)
}

fn runtime() -> std::io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

async fn work(app: &Arc<App>, mailer: &Arc<Mailer>, lane: MailLane, stopped: impl Future<Output = ()>) {
    tokio::pin!(stopped);
    let mut underway = JoinSet::new();
    loop {
        let free = lane.places().saturating_sub(underway.len());
        let nap = if free > 0 {
            match mail_deliveries::claim(app, lane, free).await {
                Ok(Due { messages, next }) => {
                    for message in messages {
                        let (app, mailer) = (Arc::clone(app), Arc::clone(mailer));
                        underway.spawn(async move {
                            let attempt = attempt(&app, &mailer, &message).await;
                            settle(&app, &message, attempt).await;
                        });
                    }
                    next.map_or(LONGEST_SLEEP, |next| {
                        let millis = next.millis() - clock::now().millis();
                        Duration::from_millis(u64::try_from(millis).unwrap_or_default())
                    })
                    .min(LONGEST_SLEEP)
                }
                Err(fault) => {
                    tracing::warn!("messages can't be read: {fault:?}");
                    AFTER_FAILURE
                }
            }
        } else {
            LONGEST_SLEEP
        };
        let has_room = underway.len() < lane.places();
        tokio::select! {
            () = &mut stopped => break,
            Some(_) = underway.join_next() => {}
            () = mail_deliveries::queued(app, lane), if has_room => {}
            () = sleep(nap), if has_room => {}
        }
    }
    let rest = async { while underway.join_next().await.is_some() {} };
    if timeout(GRACE, rest).await.is_err() {
        tracing::warn!("messages that were being sent are sent again after the next start");
    }
}

async fn attempt(app: &App, mailer: &Mailer, message: &ClaimedMessage) -> Attempt {
    let mail = match mail_deliveries::open(app, message) {
        Ok(Some(mail)) => mail,
        Ok(None) => return Attempt::Failed(DeliveryFault::Unreadable),
        Err(fault) => {
            tracing::warn!(id = message.id, "a message can't be read: {fault:?}");
            return Attempt::PutOff(DeliveryFault::Unreadable);
        }
    };
    let longest = Duration::from_secs(LONGEST_ATTEMPT_SECS);
    mailer.send(message, mail, longest).await
}

async fn settle(app: &App, message: &ClaimedMessage, attempt: Attempt) {
    let (id, kind) = (message.id, message.kind.name());
    match attempt {
        Attempt::Delivered => tracing::debug!(id, kind, "message delivered"),
        Attempt::PutOff(fault) | Attempt::Failed(fault) => {
            tracing::warn!(id, kind, "message not delivered: {}", fault.name());
        }
    }
    if let Err(fault) = mail_deliveries::settle(app, message, attempt).await {
        tracing::warn!(id, "what became of a message could not be noted: {fault:?}");
    }
}
