//! Listening sockets that a supervisor opened and passed in (`sd_listen_fds(3)`).

use std::os::fd::AsFd;

use listenfd::ListenFd;
use rustix::net::sockopt::socket_acceptconn;

use crate::cli::failure::Failure;
use crate::http::listen::Inherited;

/// The first descriptor that is passed in.
const FIRST: usize = 3;

/// Takes the sockets out of the environment, so that no child process inherits them. Must be called before the first
/// thread starts.
pub fn take() -> Result<Vec<Inherited>, Failure> {
    // Sockets without a number of a process may be meant for any.
    let named = std::env::var("LISTEN_PID").ok();
    let is_ours = named.and_then(|pid| pid.parse().ok()) == Some(std::process::id());
    let mut sockets = ListenFd::from_env();
    let count = if is_ours { sockets.len() } else { 0 };
    (0..count).map(|at| socket(&mut sockets, at)).collect()
}

fn socket(sockets: &mut ListenFd, at: usize) -> Result<Inherited, Failure> {
    let socket = match sockets.take_tcp_listener(at) {
        Ok(Some(socket)) => Some(Inherited::Tcp(socket)),
        // `take_tcp_listener` leaves sockets of other types in place.
        _ => match sockets.take_unix_listener(at) {
            Ok(socket) => socket.map(Inherited::Unix),
            Err(_) => None,
        },
    };
    let listens = |socket: &Inherited| match socket {
        Inherited::Tcp(socket) => socket_acceptconn(socket.as_fd()),
        Inherited::Unix(socket) => socket_acceptconn(socket.as_fd()),
    };
    socket.filter(|socket| listens(socket).unwrap_or(false)).ok_or_else(|| {
        Failure::configuration(format!(
            "the file descriptor {} from LISTEN_FDS is not a listening TCP or unix stream socket: set \
                 ListenStream= and Accept=no in the socket's unit",
            FIRST + at
        ))
    })
}
