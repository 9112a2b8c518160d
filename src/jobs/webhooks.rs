//! Delivers events to webhooks: one webhook's in order, those of many at once. Slots are shared so that receivers that
//! hang or fail do not delay others.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::time::{Instant, sleep, timeout};

use crate::base::clock::{self, Time};
use crate::base::error::Result;
use crate::base::id::{FormToken, WebhookToken};
use crate::model::webhook::{ClaimedDelivery, WaitingWebhook};
use crate::ops::app::App;
use crate::ops::delivery::event_deliveries::{self, Attempt, Claim, Run};
use crate::outbound::request_slots::{ALL, RequestSlot};
use crate::outbound::target::RequestTarget;

/// Commands of other processes may have written events.
const LONGEST_SLEEP: Duration = Duration::from_secs(60);
const AFTER_FAILURE: Duration = Duration::from_secs(10);
/// How long deliveries that are underway are waited for at the end.
const GRACE: Duration = Duration::from_secs(5);
/// A run ends after this time, so that its results become visible.
const LONGEST_RUN: Duration = Duration::from_secs(5);
/// A receiver that takes longer to answer is not quick.
const SLOW: Duration = Duration::from_secs(1);
/// Slots for receivers that are not known to be quick. The others are for quick ones.
const FOR_OTHERS: usize = ALL * 9 / 10;
/// Attempts to store the results of a run.
const SETTLE_TRIES: u32 = 5;
const SETTLE_WAIT: Duration = Duration::from_secs(2);
/// Webhooks that are remembered as quick.
const MOST_QUICK: usize = 100_000;

/// Result of a run.
struct Done {
    webhook: i64,
    is_quick: bool,
    /// Whether the webhook was known to be quick when the run began.
    was_quick: bool,
    delivered: usize,
    /// The webhook's next due time, if it waits again.
    next: Option<WaitingWebhook>,
}

type Underway<'a> = FuturesUnordered<Pin<Box<dyn Future<Output = Done> + 'a>>>;

/// The webhooks that wait, by the time when they are due.
#[derive(Default)]
struct Queue {
    due: BTreeMap<(Time, i64), String>,
    times: HashMap<i64, Time>,
}

impl Queue {
    fn add(&mut self, webhook: WaitingWebhook) {
        let (id, at) = (webhook.id, webhook.next_attempt_at);
        if let Some(before) = self.times.insert(id, at) {
            self.due.remove(&(before, id));
        }
        self.due.insert((at, id), webhook.url);
    }

    fn remove(&mut self, id: i64) {
        if let Some(at) = self.times.remove(&id) {
            self.due.remove(&(at, id));
        }
    }

    fn clear(&mut self) {
        self.due.clear();
        self.times.clear();
    }
}

/// Deliveries to webhooks.
pub struct Lane<'a> {
    app: &'a App,
    queue: Queue,
    busy: HashSet<i64>,
    /// Busy ones that got another event meanwhile.
    told: HashSet<i64>,
    /// Webhooks whose receivers answered well and at once the last time.
    quick: HashSet<i64>,
    /// How many others are underway.
    others: usize,
    is_stopping: &'a Cell<bool>,
}

impl<'a> Lane<'a> {
    pub fn new(app: &'a App, is_stopping: &'a Cell<bool>) -> Self {
        Self {
            app,
            queue: Queue::default(),
            busy: HashSet::new(),
            told: HashSet::new(),
            quick: HashSet::new(),
            others: 0,
            is_stopping,
        }
    }

    /// Delivers until `stopped` comes.
    pub async fn work(mut self, stopped: impl Future<Output = ()>) {
        let mut underway = Underway::new();
        tokio::pin!(stopped);
        let mut look_at = Instant::now();
        loop {
            if look_at <= Instant::now() {
                look_at = Instant::now() + self.look();
            }
            self.start_due(&mut underway);
            let nap = self.nap();
            tokio::select! {
                () = &mut stopped => break,
                Some(done) = underway.next() => self.end(done),
                told = event_deliveries::told(self.app) => match told {
                    Ok(waiting) => waiting.into_iter().for_each(|it| self.add(it)),
                    // All are looked at instead.
                    Err(_) => look_at = Instant::now() + AFTER_FAILURE,
                },
                () = sleep(nap) => {}
                () = tokio::time::sleep_until(look_at) => {}
            }
        }
        self.is_stopping.set(true);
        let rest = async { while underway.next().await.is_some() {} };
        if timeout(GRACE, rest).await.is_err() {
            tracing::warn!("events that were being delivered are sent again after the next start");
        }
    }

    /// Delivers due events and returns how many succeeded.
    pub async fn run(mut self) -> Result<usize> {
        let mut underway = Underway::new();
        let mut delivered = 0;
        for waiting in event_deliveries::waiting(self.app)? {
            self.add(waiting);
        }
        loop {
            self.start_due(&mut underway);
            let Some(done) = underway.next().await else {
                return Ok(delivered);
            };
            delivered += done.delivered;
            self.end(done);
        }
    }

    /// Looks which webhooks wait; the time until the next look.
    fn look(&mut self) -> Duration {
        match event_deliveries::waiting(self.app) {
            Ok(waiting) => {
                self.queue.clear();
                waiting.into_iter().for_each(|it| self.add(it));
                LONGEST_SLEEP
            }
            Err(fault) => {
                tracing::warn!("deliveries can't be read: {fault:?}");
                AFTER_FAILURE
            }
        }
    }

    fn add(&mut self, webhook: WaitingWebhook) {
        if self.busy.contains(&webhook.id) {
            self.told.insert(webhook.id);
        } else {
            self.queue.add(webhook);
        }
    }

    /// The time until the next webhook is due that is not due yet.
    fn nap(&self) -> Duration {
        let now = clock::now();
        let next = self.queue.due.range((now, i64::MAX)..).next();
        let millis = next.map(|((at, _), _)| at.millis() - now.millis());
        let nap = millis.and_then(|millis| u64::try_from(millis).ok());
        nap.map_or(LONGEST_SLEEP, |millis| Duration::from_millis(millis + 1)).min(LONGEST_SLEEP)
    }

    /// Starts the due runs, as far as there are slots.
    fn start_due(&mut self, underway: &mut Underway<'a>) {
        let mut started = Vec::new();
        for ((_, id), url) in self.queue.due.range(..=(clock::now(), i64::MAX)) {
            if underway.len() + started.len() >= ALL {
                break;
            }
            let is_quick = self.quick.contains(id);
            if !is_quick && self.others >= FOR_OTHERS {
                continue;
            }
            let target = RequestTarget::parse(url).ok();
            let host = target.map_or_else(String::new, |target| target.host());
            let Some(place) = self.app.delivery.request_slots.take(&host) else {
                continue;
            };
            self.others += usize::from(!is_quick);
            started.push((*id, url.clone(), is_quick, place));
        }
        for (id, url, is_quick, place) in started {
            self.queue.remove(id);
            self.busy.insert(id);
            let run = deliver(self.app, id, url, is_quick, place, self.is_stopping);
            underway.push(Box::pin(run));
        }
    }

    fn end(&mut self, done: Done) {
        let id = done.webhook;
        self.others -= usize::from(!done.was_quick);
        self.busy.remove(&id);
        if self.quick.len() >= MOST_QUICK {
            self.quick.clear();
        }
        if done.is_quick {
            self.quick.insert(id);
        } else {
            self.quick.remove(&id);
        }
        let was_told = self.told.remove(&id);
        match done.next {
            Some(next) => self.queue.add(next),
            // The event may have come after the run had looked.
            None if was_told => match event_deliveries::waiting_for(self.app, id) {
                Ok(waiting) => waiting.into_iter().for_each(|it| self.add(it)),
                Err(fault) => tracing::warn!("deliveries wait for a minute: {fault:?}"),
            },
            None => {}
        }
    }
}

/// Delivers a run of a webhook's events.
async fn deliver(
    app: &App,
    webhook: i64,
    url: String,
    was_quick: bool,
    place: RequestSlot,
    is_stopping: &Cell<bool>,
) -> Done {
    let done = |is_quick, delivered, next| Done { webhook, is_quick, was_quick, delivered, next };
    // Postpones the webhook after an error.
    let later = |url: &str| {
        Some(WaitingWebhook {
            id: webhook,
            url: url.to_owned(),
            next_attempt_at: clock::now().plus_secs(AFTER_FAILURE.as_secs().cast_signed()),
        })
    };
    let run = match event_deliveries::claim(app, webhook, url.clone()).await {
        Ok(Claim::Run(run)) => run,
        Ok(Claim::Nothing(next)) => return done(was_quick, 0, next),
        Err(fault) => {
            tracing::warn!("deliveries can't be taken out: {fault:?}");
            return done(was_quick, 0, later(&url));
        }
    };
    let names = (run.webhook.clone(), run.form.clone());
    let (tried, rest) = try_run(app, run, is_stopping).await;
    drop(place);
    let last = tried.last().map(|(_, attempt)| *attempt);
    let is_quick = last.map_or(was_quick, |last| last.fault.is_none() && last.took < SLOW);
    let is_ok = |(_, attempt): &&(ClaimedDelivery, Attempt)| attempt.fault.is_none();
    let delivered = tried.iter().filter(is_ok).count();
    let mut tries = 0;
    let settled = loop {
        match event_deliveries::settle(app, webhook, tried.clone(), rest.clone()).await {
            Ok(settled) => break settled,
            Err(fault) => {
                tracing::warn!(
                    webhook = %names.0,
                    form = %names.1,
                    "what became of deliveries could not be noted: {fault:?}"
                );
                tries += 1;
                if tries == SETTLE_TRIES || is_stopping.get() {
                    return done(is_quick, delivered, later(&url));
                }
                sleep(SETTLE_WAIT).await;
            }
        }
    };
    if let Some(last) = settled.fails_upto {
        tracing::warn!(webhook = %names.0, form = %names.1, "webhook disabled, since its receiver is gone");
        while let Ok(true) = event_deliveries::fail_some(app, webhook, last).await {}
    }
    done(is_quick, delivered, settled.next)
}

/// Tries a run up to its first failure. Returns the attempts, and the ids of the deliveries that were not tried.
async fn try_run(app: &App, run: Run, is_stopping: &Cell<bool>) -> (Vec<(ClaimedDelivery, Attempt)>, Vec<i64>) {
    let begun = Instant::now();
    let mut connection = None;
    let mut tried: Vec<(ClaimedDelivery, Attempt)> = Vec::new();
    let Run { webhook, form, receiver, deliveries } = run;
    let mut rest = Vec::new();
    let mut all = deliveries.into_iter();
    for delivery in all.by_ref() {
        let body = match event_deliveries::body(app, &delivery) {
            Ok(Some(body)) => body,
            // The delivery ended meanwhile: its webhook was disabled, or its form is gone.
            Ok(None) => continue,
            Err(fault) => {
                tracing::warn!("an event can't be read: {fault:?}");
                rest.push(delivery.id);
                break;
            }
        };
        let event = &delivery.event_token;
        let attempt = event_deliveries::attempt(app, &receiver, event, body, &mut connection).await;
        log(&webhook, &form, &delivery, attempt);
        tried.push((delivery, attempt));
        if attempt.fault.is_some() || begun.elapsed() >= LONGEST_RUN || is_stopping.get() {
            break;
        }
    }
    rest.extend(all.map(|delivery| delivery.id));
    (tried, rest)
}

/// The log has neither bodies nor addresses (S72). It has a status if the receiver answered.
fn log(webhook: &WebhookToken, form: &FormToken, delivery: &ClaimedDelivery, attempt: Attempt) {
    let (delivery, status) = (&delivery.token, attempt.status);
    match attempt.fault {
        None => tracing::debug!(%form, %webhook, %delivery, status, "event delivered"),
        Some(fault) => {
            tracing::info!(%form, %webhook, %delivery, status, "event not delivered: {}", fault.name());
        }
    }
}
