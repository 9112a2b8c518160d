//! Copies several contents at a time: a store answers slowly, but many at once.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::base::backup_fault::BackupFault;

const AT_ONCE: usize = 3;

/// Progress of the copying of an item.
enum CopyProgress<R> {
    Bytes(u64),
    End(Result<R, BackupFault>),
}

/// Copies each item with `copy`, which reports the bytes it has done. `show` is told the bytes of all items, and `end`
/// the result of each, in no particular order.
///
/// # Errors
/// The first error ends it.
pub fn each<T: Sync, R: Send>(
    items: &[T],
    copy: impl Fn(&T, &mut dyn FnMut(u64)) -> Result<R, BackupFault> + Sync,
    show: &mut dyn FnMut(u64),
    mut end: impl FnMut(R),
) -> Result<(), BackupFault> {
    let queue = Mutex::new(items.iter());
    let (tell, told) = channel();
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = |tell: Sender<CopyProgress<R>>| {
        while let Some(item) = next() {
            // Where the receiver has gone, another one failed.
            let copied = copy(item, &mut |bytes| drop(tell.send(CopyProgress::Bytes(bytes))));
            if tell.send(CopyProgress::End(copied)).is_err() {
                return;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..AT_ONCE.min(items.len()) {
            let tell = tell.clone();
            scope.spawn(|| work(tell));
        }
        drop(tell);
        let mut done = 0;
        for it in told {
            match it {
                CopyProgress::Bytes(bytes) => {
                    done += bytes;
                    show(done);
                }
                CopyProgress::End(copied) => end(copied?),
            }
        }
        Ok(())
    })
}
