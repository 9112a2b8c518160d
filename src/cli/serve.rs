//! `formsvc serve`: opens the data dir and the sockets, prints the addresses, and serves until a signal stops it.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};

use crate::base::config::{Config, Tls};
use crate::cli::args::Serve;
use crate::cli::failure::{Exit, Failure};
use crate::cli::settings::Cx;
use crate::cli::{addresses, log, output, process};
use crate::jobs::{Runner, acme};
use crate::ops::checkup::State;
use crate::ops::{App, events, service_address, setup, surroundings, waiting};
use crate::web::conn::{self, Listeners};
use crate::web::http_handler;
use crate::web::listen::ListenError;
use crate::web::tls::CertificateSource;

const WORKERS: usize = 2;
const BLOCKING_THREADS: usize = 64;
/// The longest wait for blocking threads at the end.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);

pub fn serve(cx: &Cx, flags: Serve) -> Result<(), Failure> {
    let mut service = cx.service(flags)?;
    log::start(service.log_format, service.log_level);
    service.config.data_dir = process::become_owner(service.config.data_dir)?;
    let app = App::serve(service.config)?;
    let runtime = Builder::new_multi_thread()
        .worker_threads(
            std::thread::available_parallelism().map_or(WORKERS, |n| WORKERS.max(n.get())),
        )
        .max_blocking_threads(BLOCKING_THREADS)
        .enable_all()
        .build()
        .map_err(|e| Failure::failed("the service can't start its threads", e))?;
    let bound = runtime.block_on(conn::bind(&service.transport));
    let listeners = match bound {
        Ok(listeners) => listeners,
        Err(fault) => {
            app.close();
            return Err(refusal(&fault));
        }
    };
    let outcome = run(
        cx,
        app,
        &runtime,
        listeners,
        service.transport.tls,
        service.tls,
    );
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    outcome
}

fn run(
    cx: &Cx,
    mut app: App,
    runtime: &Runtime,
    listeners: Listeners,
    source: Option<CertificateSource>,
    tls: Tls,
) -> Result<(), Failure> {
    let urls = listeners.urls();
    if app.config.base_url.is_empty() {
        app = app.with_base_url(addresses::base_url(&urls));
    }
    waiting::attach(&app);
    events::attach(&app);
    let app = Arc::new(app);
    if let Err(fault) = service_address::note(&app) {
        tracing::warn!("commands beside this server won't know its address: {fault:?}");
    }
    warn_of_surroundings(&app.config);
    announce(cx, &app, &urls)?;
    let runner =
        Runner::start(&app).map_err(|e| Failure::failed("the background jobs can't start", e))?;
    let has_files = matches!(tls, Tls::Files(_));
    let acme = match (tls, source) {
        (Tls::Acme(acme), Some(CertificateSource::Served(served))) => {
            let worker = acme::Worker::start(app.config.data_dir.clone(), acme, served);
            Some(worker.map_err(|e| Failure::failed("the thread of ACME can't start", e))?)
        }
        _ => None,
    };
    let cut_off = runtime.block_on(listeners.serve(http_handler(&app), stop_signal(has_files)));
    if let Some(acme) = acme {
        acme.stop();
    }
    if cut_off > 0 {
        tracing::warn!(
            connections = cut_off,
            "some requests took too long to finish"
        );
    }
    runner.stop(&app);
    Ok(())
}

/// Logs the problems that `doctor` would report for the surroundings of the data dir.
fn warn_of_surroundings(config: &Config) {
    let found = surroundings::examine(&config.data_dir, config.min_free_mb);
    for finding in found.iter().filter(|it| it.state != State::Ok) {
        tracing::warn!("{}", finding.text);
    }
}

/// Prints the addresses and, while there is no account, a link to create the first one.
fn announce(cx: &Cx, app: &App, urls: &[String]) -> Result<(), Failure> {
    let link = setup::new_link(app)?.map(|(link, _)| addresses::setup(&app.config.base_url, &link));
    let text = if cx.out.json {
        json!({"listening": urls, "setup_link": link}).to_string()
    } else {
        let listening = urls.iter().map(|url| format!("formsvc listening on {url}"));
        let link = link.map(|link| format!("make the first account within 30 minutes at {link}"));
        listening.chain(link).collect::<Vec<_>>().join("\n")
    };
    // A closed stdout does not prevent serving.
    if let Err(fault) = output::write(&text) {
        tracing::warn!("the address can't be printed: {fault}");
    }
    Ok(())
}

fn refusal(fault: &ListenError) -> Failure {
    match fault {
        ListenError::Bind { .. } => Failure::new(
            Exit::Failed,
            format!("{fault}: stop what listens there, or choose another place with --listen"),
        ),
        ListenError::Tls(_) => Failure::configuration(format!(
            "{fault}: name the files of one certificate with --tls-cert and --tls-key"
        )),
    }
}

/// Waits for SIGTERM or SIGINT. SIGHUP reloads the certificate's files; without them it is ignored.
async fn stop_signal(has_files: bool) {
    let wait = async |kind| match signal(kind) {
        Ok(mut signals) => {
            signals.recv().await;
        }
        Err(e) => {
            tracing::warn!("a signal can't be waited for: {e}");
            pending().await
        }
    };
    let ignore = async |kind| loop {
        wait(kind).await;
    };
    tokio::select! {
        () = wait(SignalKind::terminate()) => {}
        () = wait(SignalKind::interrupt()) => {}
        () = ignore(SignalKind::hangup()), if !has_files => {}
    }
    tracing::info!("stopping");
}
