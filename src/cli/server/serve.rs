//! `formsvc serve`: opens the data dir and the sockets, prints the addresses, and serves until a signal stops it.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::base::config::{Config, Tls};
use crate::base::listen_on::ListenOn;
use crate::cli::config::args::ServeCommand;
use crate::cli::config::settings::{Cx, Service};
use crate::cli::failure::{Exit, Failure};
use crate::cli::output;
use crate::cli::server::notify::Notifier;
use crate::cli::server::{activation, addresses, demo, log, process};
use crate::http::conn::{self, Listeners};
use crate::http::listen::{Inherited, ListenError};
use crate::http::tls::{self, CertificateSource};
use crate::jobs::{Runner, acme};
use crate::ops::accounts::setup;
use crate::ops::app::App;
use crate::ops::app::opening::LockedDir;
use crate::ops::checkup::{CheckState, environment_check};
use crate::ops::server::demo::{EMAIL, Example};
use crate::ops::server::service_address;
use crate::outbound::addresses::is_public;
use crate::web::http_handler;
use crate::web::metrics::{self, Sources};

const WORKERS: usize = 2;
const BLOCKING_THREADS: usize = 64;
/// The longest wait for blocking threads at the end.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);
/// The time between two attempts of the first proof that the service answers.
const PROOF_PAUSE: Duration = Duration::from_millis(100);

pub fn serve(cx: &Cx, flags: &ServeCommand) -> Result<(), Failure> {
    let mut service = cx.service(&flags.settings)?;
    // Before anything starts a thread.
    let sockets = activation::take()?;
    refuse_acme_without_tcp(&service, &sockets)?;
    log::start(service.log_format, service.log_level);
    let notifier = Notifier::from_env();
    notifier.status("Opening the data dir");
    // Removed with its content when the service has ended.
    let _folder = match flags.demo {
        true => demo::place(cx, &mut service.config)?,
        false => None,
    };
    service.config.data_dir = process::become_owner(service.config.data_dir)?;
    let dir = LockedDir::of(&service.config)?;
    let runtime = Builder::new_multi_thread()
        .worker_threads(std::thread::available_parallelism().map_or(WORKERS, |n| WORKERS.max(n.get())))
        .max_blocking_threads(BLOCKING_THREADS)
        .enable_all()
        .build()
        .map_err(|e| Failure::failed("the service can't start its threads", e))?;
    let bound = runtime.block_on(async {
        match sockets.is_empty() {
            true => conn::bind(&service.transport).await,
            false => conn::inherit(sockets, &service.transport).await,
        }
    });
    if let Some(on) = service.metrics.as_ref().filter(|on| is_open_to_all(on)) {
        tracing::warn!(
            "anyone who can reach {on} can read the metrics: give --metrics-listen a loopback or private address"
        );
    }
    let metrics = service.metrics.map(metrics::transport);
    let watched = match &metrics {
        Some(transport) => runtime.block_on(conn::bind(transport)).map(Some),
        None => Ok(None),
    };
    let listeners = Open {
        public: bound.map_err(|fault| refusal(&fault, "--listen"))?,
        metrics: watched.map_err(|fault| refusal(&fault, "--metrics-listen"))?,
    };
    if service.config.base_url.is_empty() {
        service.config.base_url = addresses::base_url(&listeners.public.urls());
    }
    let app = App::serve(dir, service.config)?;
    // Last, so that a data dir stays empty where the service can't start.
    let example = match flags.demo {
        true => Some(demo::fill(&app).inspect_err(|_| app.close())?),
        false => None,
    };
    let certificates = (service.tls, service.transport.tls);
    let outcome = run(cx, app, &runtime, listeners, certificates, notifier, example.as_ref());
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    outcome
}

/// A certificate by ACME is validated over TCP, and is shown to nobody else.
fn refuse_acme_without_tcp(service: &Service, passed: &[Inherited]) -> Result<(), Failure> {
    let mut listen = service.transport.listen.iter();
    let (has_tcp, remedy) = match passed.is_empty() {
        true => (listen.any(|on| matches!(on, ListenOn::Tcp(_))), "with --listen 0.0.0.0:443"),
        false => {
            (passed.iter().any(|it| matches!(it, Inherited::Tcp(_))), "with ListenStream=443 in the socket's unit")
        }
    };
    match service.tls {
        Tls::Acme(_) if !has_tcp => Err(Failure::configuration(format!(
            "acme-domain needs an address that port 443 of the name leads to, and the service listens only on unix \
             sockets: add one, for example {remedy}, or leave acme-domain out"
        ))),
        _ => Ok(()),
    }
}

/// Whether an address is neither of this machine nor of a private network. Listening on all addresses is listening on
/// the public ones.
fn is_open_to_all(on: &ListenOn) -> bool {
    match on {
        ListenOn::Tcp(address) => address.ip().is_unspecified() || is_public(address.ip()),
        ListenOn::Unix(_) => false,
    }
}

/// The open sockets.
struct Open {
    public: Listeners,
    metrics: Option<Listeners>,
}

impl Open {
    /// The address of the figures.
    fn metrics_url(&self) -> Option<String> {
        let url = self.metrics.as_ref()?.urls().into_iter().next()?;
        Some(match url.starts_with("unix:") {
            true => url,
            false => url + metrics::PATH,
        })
    }
}

fn run(
    cx: &Cx,
    app: App,
    runtime: &Runtime,
    open: Open,
    (tls, source): (Tls, Option<CertificateSource>),
    notifier: Notifier,
    demo: Option<&Example>,
) -> Result<(), Failure> {
    let urls = open.public.urls();
    // Before anybody hears that the service runs.
    let signals = {
        let _inside = runtime.enter();
        Signals::new().map_err(|e| Failure::failed("signals can't be waited for", e))?
    };
    let app = Arc::new(app);
    if let Err(fault) = service_address::note(&app, addresses::listening(&urls, &tls)) {
        tracing::warn!("commands beside this server won't know its address: {fault:?}");
    }
    warn_of_surroundings(&app.config);
    announce(cx, &app, &urls, open.metrics_url(), demo)?;
    let runner = Runner::start(&app).map_err(|e| Failure::failed("the background jobs can't start", e))?;
    let supervision = Arc::new(Supervision { notifier, status: format!("Listening on {}", urls.join(", ")) });
    runtime.spawn(prove(Arc::clone(&supervision), Arc::clone(&app)));
    let (handler, requests) = http_handler(&app);
    if let Some(metrics) = open.metrics {
        let sources = Sources { app: Arc::clone(&app), requests, connections: open.public.caps() };
        // To the end, so that it can be watched.
        runtime.spawn(metrics.serve(metrics::handler(sources), std::future::pending()));
    }
    let acme = match (tls, source) {
        (Tls::Acme(acme), Some(CertificateSource::Served(served))) => {
            let worker = acme::Worker::start(app.config.data_dir.clone(), acme, served);
            Some(worker.map_err(|e| Failure::failed("the thread of ACME can't start", e))?)
        }
        _ => None,
    };
    let files = open.public.tls().filter(|tls| tls.has_files());
    let stop = until_stopped(signals, supervision, files);
    let cut_off = runtime.block_on(open.public.serve(handler, stop));
    if let Some(acme) = acme {
        acme.stop();
    }
    if cut_off > 0 {
        tracing::warn!(connections = cut_off, "some requests took too long to finish");
    }
    runner.stop(&app);
    Ok(())
}

/// Logs the problems that `doctor` would report for the surroundings of the data dir.
fn warn_of_surroundings(config: &Config) {
    let found = environment_check::examine(&config.data_dir, config.min_free_mb, config.checkpoints);
    for finding in found.iter().filter(|it| it.state != CheckState::Ok) {
        tracing::warn!("{}", finding.text);
    }
}

/// Prints the addresses and, while there is no account, a link to create the first one; of an example, who signs in
/// with which password.
fn announce(
    cx: &Cx,
    app: &App,
    urls: &[String],
    metrics: Option<String>,
    demo: Option<&Example>,
) -> Result<(), Failure> {
    let link = setup::new_link(app)?.map(|(link, _)| addresses::setup(&app.config.base_url, &link));
    let text = if cx.out.json {
        let demo = demo.map(|example| {
            let sign_in = addresses::sign_in(&app.config.base_url);
            let query_page = format!("{}{}", app.config.base_url, example.query_page);
            let certificate = format!("{}{}", app.config.base_url, example.certificate);
            json!({
                "sign_in": sign_in, "email": EMAIL, "password": example.password.reveal(), "query_page": query_page,
                "certificate": certificate, "colleagues": example.colleagues,
            })
        });
        json!({"listening": urls, "metrics": metrics, "setup_link": link, "demo": demo}).to_string()
    } else {
        let listening = urls.iter().map(|url| format!("formsvc listening on {url}"));
        let link = link.map(|link| format!("create the first account within 30 minutes at {link}"));
        let metrics = metrics.map(|url| format!("metrics for Prometheus at {url}"));
        let demo = demo.map(|example| {
            let base = &app.config.base_url;
            let (sign_in, password) = (addresses::sign_in(base), example.password.reveal());
            format!(
                "sign in at {sign_in} as {EMAIL} with the password {password}\n\
                 the same password is that of {}\n\
                 look entries up as a visitor does at {base}{}\n\
                 a certificate is at {base}{}",
                example.colleagues.join(" and "),
                example.query_page,
                example.certificate
            )
        });
        listening.chain(metrics).chain(link).chain(demo).collect::<Vec<_>>().join("\n")
    };
    // A closed stdout does not prevent serving.
    if let Err(fault) = output::write(&text) {
        tracing::warn!("the address can't be printed: {fault}");
    }
    Ok(())
}

fn refusal(fault: &ListenError, flag: &str) -> Failure {
    match fault {
        ListenError::Bind { .. } => {
            Failure::new(Exit::Failed, format!("{fault}: stop what listens there, or choose another place with {flag}"))
        }
        ListenError::Inherited(_) => Failure::failed("the service can't listen", fault),
        ListenError::Tls(_) => {
            Failure::configuration(format!("{fault}: name the files of one certificate with --tls-cert and --tls-key"))
        }
    }
}

/// Notifications of the supervisor.
struct Supervision {
    notifier: Notifier,
    /// State of the service while it answers requests.
    status: String,
}

/// Tells the supervisor that the service answers, and, if it wants, proves it from then on: a thread of the runtime
/// gets another one to read and to write.
async fn prove(supervision: Arc<Supervision>, app: Arc<App>) {
    let answers = async || {
        let app = Arc::clone(&app);
        let done = spawn_blocking(move || app.ready()).await;
        done.is_ok_and(|ready| ready.is_ok())
    };
    while !answers().await {
        sleep(PROOF_PAUSE).await;
    }
    supervision.notifier.ready(&supervision.status);
    let Some(limit) = supervision.notifier.watchdog() else {
        return;
    };
    let mut due = interval(limit / 3);
    due.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        due.tick().await;
        if answers().await {
            supervision.notifier.alive();
        }
    }
}

/// Waits for SIGTERM or SIGINT, and reads the certificate again at each SIGHUP until then. The next SIGTERM or SIGINT
/// ends the process at once: confirmed data is on disk.
async fn until_stopped(mut signals: Signals, supervision: Arc<Supervision>, files: Option<Arc<tls::Tls>>) {
    loop {
        tokio::select! {
            _ = signals.terminate.recv() => break,
            _ = signals.interrupt.recv() => break,
            _ = signals.hangup.recv() => {
                supervision.notifier.reloading();
                reload(files.as_deref());
                supervision.notifier.ready(&supervision.status);
            }
        }
    }
    tracing::info!("stopping");
    supervision.notifier.stopping();
    tokio::spawn(async move {
        tokio::select! {
            _ = signals.terminate.recv() => {}
            _ = signals.interrupt.recv() => {}
        }
        tracing::warn!("stopping at once: open requests are cut off");
        std::process::exit(Exit::Failed as i32);
    });
}

fn reload(files: Option<&tls::Tls>) {
    match files.map(tls::Tls::reload) {
        None => {}
        Some(Ok(())) => tracing::info!("the certificate has been reloaded"),
        Some(Err(fault)) => tracing::error!("{fault}; the old certificate stays in use"),
    }
}

/// The signals that the service waits for.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
}

impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }
}
