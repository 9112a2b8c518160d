//! Sees to it that there is a certificate from an authority that speaks ACME: takes the kept one, orders the first one,
//! and renews it when a third of its lifetime is left. A thread of its own. The authority is asked less and less often
//! while it refuses, and never sooner than it says.

use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use rustls::sign::CertifiedKey;
use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::time::sleep;

use crate::base::clock::{self, Time};
use crate::base::config::Acme;
use crate::base::served_certificate::ServedCertificate;
use crate::base::validity::Validity;
use crate::ops::server::acme::{self, Account, Certificate};
use crate::outbound::acme::{AcmeFault, Authority, Issued, usable};

/// How often it looks at the clock, which may be set.
const TICK: Duration = Duration::from_secs(1);
/// The pause after the first failure; each one is twice as long. So there are five attempts in the first hour, as many as
/// Let's Encrypt allows to fail.
const FIRST_PAUSE_SECS: i64 = 120;
const LONGEST_PAUSE_SECS: i64 = 12 * 3600;
/// The longest wait that an authority may ask for.
const LONGEST_WAIT_SECS: u64 = 7 * 24 * 3600;
/// The pause after a new certificate, even if the clock says that it is to be renewed already.
const SETTLED_SECS: std::ops::RangeInclusive<i64> = 60..=3600;

/// The thread that sees to it.
pub struct Worker {
    stop: watch::Sender<()>,
    thread: JoinHandle<()>,
}

impl Worker {
    /// Takes the kept certificate into use, and starts the thread.
    pub fn start(data_dir: PathBuf, acme: Acme, served: Arc<ServedCertificate>) -> std::io::Result<Self> {
        let mut keeper = Keeper {
            data_dir,
            acme,
            served,
            in_use: None,
            is_wanted: true,
            failures: 0,
            pause: Pause { begun: clock::now(), secs: 0 },
        };
        keeper.take_kept();
        let runtime = Builder::new_current_thread().enable_all().build()?;
        let (stop, mut stopped) = watch::channel(());
        let thread = std::thread::Builder::new().name("acme".to_owned()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    _ = stopped.changed() => {}
                    () = keeper.work() => {}
                }
            });
            // A name that is being resolved is not waited for.
            runtime.shutdown_background();
        })?;
        Ok(Self { stop, thread })
    }

    /// Ends the thread. An order that is underway is given up.
    pub fn stop(self) {
        drop(self.stop);
        if self.thread.join().is_err() {
            tracing::error!("the thread of ACME had panicked");
        }
    }
}

/// A time in which nothing is tried.
struct Pause {
    begun: Time,
    secs: i64,
}

impl Pause {
    fn is_over(&self, now: Time) -> bool {
        // A clock that was put back must not make it longer.
        let passed = now.secs_since(self.begun);
        passed < 0 || passed >= self.secs
    }
}

struct Keeper {
    data_dir: PathBuf,
    acme: Acme,
    served: Arc<ServedCertificate>,
    /// Validity of the certificate in use.
    in_use: Option<Validity>,
    /// Another certificate than the one in use is wanted, whether or not that is still valid.
    is_wanted: bool,
    failures: u32,
    pause: Pause,
}

impl Keeper {
    fn take_kept(&mut self) {
        let names = self.acme.names();
        match acme::certificate(&self.data_dir) {
            Ok(Some(kept)) => {
                let all = usable(&kept.chain, &kept.key, &self.acme.domains);
                self.is_wanted = all.is_err() || kept.directory != self.acme.directory;
                // A certificate for some of the names is better than none.
                match all.or_else(|_| usable(&kept.chain, &kept.key, &[])) {
                    Ok((certificate, validity)) => {
                        self.served.exchange(certificate);
                        self.in_use = Some(validity);
                        tracing::info!("the kept certificate is in use, valid until {}", validity.not_after);
                    }
                    Err(fault) => tracing::error!("the kept certificate is of no use: {fault}"),
                }
            }
            Ok(None) => {}
            Err(fault) => tracing::error!("the kept certificate can't be read: {fault}"),
        }
        if self.in_use.is_none() {
            tracing::warn!(
                "there is no certificate for {names} yet: connections are refused until {} has issued one",
                self.acme.directory
            );
        }
    }

    async fn work(&mut self) {
        loop {
            if self.is_due(clock::now()) {
                self.attempt().await;
            }
            sleep(TICK).await;
        }
    }

    fn is_due(&self, now: Time) -> bool {
        let is_old = self.in_use.is_none_or(|validity| now >= validity.renew_at());
        (self.is_wanted || is_old) && self.pause.is_over(now)
    }

    async fn attempt(&mut self) {
        let issued = self.issue().await;
        self.served.clear_challenges();
        let now = clock::now();
        match issued {
            Ok((certificate, validity)) => {
                self.served.exchange(certificate);
                let left = validity.not_after.secs_since(now);
                self.pause = Pause { begun: now, secs: (left / 3).clamp(*SETTLED_SECS.start(), *SETTLED_SECS.end()) };
                self.failures = 0;
                self.is_wanted = false;
                self.in_use = Some(validity);
                tracing::info!(
                    "a new certificate for {} is in use, valid until {}",
                    self.acme.names(),
                    validity.not_after
                );
                if now >= validity.renew_at() {
                    tracing::error!(
                        "by the clock of this machine the new certificate is almost or quite over: set the clock"
                    );
                }
            }
            Err(fault) => {
                let secs = pause_after(self.failures, &fault);
                self.failures = self.failures.saturating_add(1);
                self.pause = Pause { begun: now, secs };
                let still = match self.in_use {
                    Some(validity) => {
                        format!("the one in use is valid until {}", validity.not_after)
                    }
                    None => "connections are refused until then".to_owned(),
                };
                tracing::error!(
                    "there is no new certificate for {} from {}: {}; the next attempt is in {}; {still}",
                    self.acme.names(),
                    self.acme.directory,
                    fault.text,
                    duration_text(secs),
                );
            }
        }
    }

    async fn issue(&self) -> Result<(Arc<CertifiedKey>, Validity), AcmeFault> {
        let with_kept = async {
            let authority = match self.kept_account().await? {
                Some(authority) => authority,
                None => self.register().await?,
            };
            self.order(&authority).await
        };
        let issued = match with_kept.await {
            // The account was removed there, or never existed: test authorities forget.
            Err(fault) if fault.account_is_unknown => self.order(&self.register().await?).await,
            issued => issued,
        }?;
        let (certificate, validity) = usable(&issued.chain, &issued.key, &self.acme.domains)
            .map_err(|fault| plain(format!("what it issued is of no use: {fault}")))?;
        if validity.has_ended(clock::now()) {
            let text = format!("what it issued was valid until {}", validity.not_after);
            return Err(plain(text));
        }
        let kept = Certificate::new(&self.acme, issued);
        if let Err(fault) = acme::keep_certificate(&self.data_dir, &kept) {
            tracing::error!("the new certificate can't be kept for the next start: {fault}");
        }
        Ok((certificate, validity))
    }

    async fn order(&self, authority: &Authority) -> Result<Issued, AcmeFault> {
        let answer = |name: &str, answer| self.served.add_challenge(name, answer);
        authority.issue(&self.acme.domains, answer).await
    }

    /// The kept account, if it is one with this authority.
    async fn kept_account(&self) -> Result<Option<Authority>, AcmeFault> {
        let kept = acme::account(&self.data_dir).unwrap_or_else(|fault| {
            tracing::error!("the kept account can't be read, a new one is made: {fault}");
            None
        });
        let Some(mut kept) = kept.filter(|kept| kept.directory == self.acme.directory) else {
            return Ok(None);
        };
        let authority = Authority::with_account(&self.acme, &kept.credentials).await?;
        if kept.email != self.acme.email {
            authority.update_contact(&self.acme).await?;
            kept.email.clone_from(&self.acme.email);
            self.keep(&kept);
        }
        Ok(Some(authority))
    }

    async fn register(&self) -> Result<Authority, AcmeFault> {
        let (authority, credentials) = Authority::register(&self.acme).await?;
        self.keep(&Account { directory: self.acme.directory.clone(), email: self.acme.email.clone(), credentials });
        Ok(authority)
    }

    fn keep(&self, account: &Account) {
        if let Err(fault) = acme::keep_account(&self.data_dir, account) {
            tracing::error!("the account can't be kept: {fault}");
        }
    }
}

fn plain(text: String) -> AcmeFault {
    AcmeFault { text, wait: None, account_is_unknown: false }
}

fn pause_after(failures: u32, fault: &AcmeFault) -> i64 {
    let own = FIRST_PAUSE_SECS.saturating_mul(1 << failures.min(20)).min(LONGEST_PAUSE_SECS);
    let asked = fault.wait.map_or(0, |wait| wait.as_secs().min(LONGEST_WAIT_SECS));
    own.max(asked.cast_signed())
}

/// A pause as a reader of the log wants it.
fn duration_text(secs: i64) -> String {
    match secs {
        ..120 => format!("{secs} seconds"),
        120..7200 => format!("{} minutes", secs / 60),
        _ => format!("{} hours", secs / 3600),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asking(secs: Option<u64>) -> AcmeFault {
        AcmeFault { wait: secs.map(Duration::from_secs), ..plain(String::new()) }
    }

    #[test]
    fn pauses_double_and_heed_the_authority() {
        let own: Vec<_> = (0..5).map(|failures| pause_after(failures, &asking(None))).collect();
        assert_eq!(own, [120, 240, 480, 960, 1920]);
        assert_eq!(pause_after(40, &asking(None)), LONGEST_PAUSE_SECS);
        assert_eq!(pause_after(0, &asking(Some(60))), 120);
        assert_eq!(pause_after(0, &asking(Some(100_000))), 100_000);
        assert_eq!(pause_after(0, &asking(Some(u64::MAX))), LONGEST_WAIT_SECS.cast_signed());
    }

    #[test]
    fn a_pause_ends_when_the_clock_is_put_back() {
        let begun = Time::from_millis(1_800_000_000_000);
        let pause = Pause { begun, secs: 120 };
        assert!(!pause.is_over(begun) && !pause.is_over(begun.plus_secs(119)));
        assert!(pause.is_over(begun.plus_secs(120)) && pause.is_over(begun.minus_secs(10)));
    }
}
