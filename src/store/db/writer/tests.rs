//! Jobs that panic, and more jobs than may wait.

use std::sync::mpsc::channel;

use super::*;
use crate::store::Store;
use crate::store::db::after_job::Nothing;
use crate::store::db::data_dir::DataDir;
use crate::store::server::service_address;

fn store() -> (Store, tempfile::TempDir) {
    let dir = tempfile::tempdir().expect("a folder");
    let data_dir = DataDir::create(dir.path()).expect("a data dir");
    (Store::open(data_dir, Checkpoints::Own, |_, _| Nothing).expect("opens").0, dir)
}

#[test]
fn a_job_that_panics_fails_alone_and_leaves_nothing() {
    let (store, _dir) = store();
    for round in 0..5 {
        // The first holds the thread, so that the others share a commit with it.
        let (go_on, told) = channel();
        let first = store.submit(move |tx| {
            told.recv().expect("the test goes on");
            service_address::set(tx, &format!("http://before-{round}"))
        });
        let panicking = store.submit::<()>(|tx| {
            service_address::set(tx, "http://never")?;
            panic!("as it should")
        });
        let seen = store.submit(service_address::get);
        go_on.send(()).expect("the job waits");
        first.wait().expect("it is kept");
        assert!(matches!(panicking.wait(), Err(Error::Internal(_))));
        let expected = Some(format!("http://before-{round}"));
        assert_eq!(seen.wait().expect("it reads"), expected);
        assert_eq!(store.read(service_address::get).expect("reads"), expected);
    }
    store.write(|tx| service_address::set(tx, "http://after")).expect("writes");
    assert!(!store.is_closed());
}

#[test]
fn only_so_many_jobs_may_wait() {
    let (store, _dir) = store();
    let (go_on, told) = channel::<()>();
    let (begin, begun) = channel();
    let first = store.submit(move |_| {
        begin.send(()).expect("the test waits");
        // Until the test lets go of it.
        let _ = told.recv();
        Ok(())
    });
    begun.recv().expect("it began");
    let waiting: Vec<_> = (0..QUEUE).map(|n| store.submit(move |_| Ok(n))).collect();
    for _ in 0..3 {
        let refused = store.submit(|_| Ok(())).wait();
        assert!(matches!(refused, Err(Error::Busy("too many writes are waiting", 1))));
    }
    drop(go_on);
    first.wait().expect("it is kept");
    for (n, ticket) in waiting.into_iter().enumerate() {
        assert_eq!(ticket.wait().expect("it is kept"), n);
    }
    store.write(|_| Ok(())).expect("there is room again");
}
