//! Listening sockets, opened before anything is printed and named by the address they are bound to.

use std::fmt;
use std::fs::{self, Metadata, Permissions};
use std::io;
use std::net::{self, SocketAddr};
use std::os::unix;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use thiserror::Error;
use tokio::net::{TcpListener, TcpSocket, TcpStream, UnixListener, UnixStream};
use tokio_util::either::Either;

use crate::base::listen_on::ListenOn;
use crate::http::tls::TlsError;

/// Connections that the kernel queues while none is accepted.
const BACKLOG: u32 = 4096;

/// A unix socket accepts its owner and its group.
const SOCKET_MODE: u32 = 0o660;

/// An open listening socket.
#[derive(Debug)]
pub struct Listener {
    socket: Opened,
    address: BoundAddr,
    /// Removes the socket's file on drop.
    _file: Option<SocketFile>,
}

#[derive(Debug)]
enum Opened {
    Tcp(TcpListener),
    Unix(UnixListener),
}

/// A listening socket opened by the process that started the service.
#[derive(Debug)]
pub enum Inherited {
    Tcp(net::TcpListener),
    Unix(unix::net::UnixListener),
}

/// A connection before TLS.
pub type RawStream = Either<TcpStream, UnixStream>;

/// An address that is being listened on; displayed as a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BoundAddr {
    Http(SocketAddr),
    Https(SocketAddr),
    Unix(PathBuf),
}

/// Why the service can't listen.
#[derive(Debug, Error)]
pub enum ListenError {
    /// An address or a socket's path can't be bound.
    #[error("can't listen on {on}: {source}")]
    Bind { on: ListenOn, source: io::Error },
    /// A socket that is open already can't be used.
    #[error("a socket that was passed in can't be used: {0}")]
    Inherited(io::Error),
    #[error(transparent)]
    Tls(#[from] TlsError),
}

impl Listener {
    pub async fn open(on: &ListenOn, has_tls: bool) -> Result<Listener, ListenError> {
        let opened = match on {
            ListenOn::Tcp(address) => open_tcp(*address, has_tls),
            ListenOn::Unix(path) => open_unix(path).await,
        };
        opened.map_err(|source| ListenError::Bind { on: on.clone(), source })
    }

    /// Takes over a socket. Its file, if it has one, stays when the service ends: it belongs to the process that opened
    /// it.
    pub fn inherit(socket: Inherited, has_tls: bool) -> Result<Listener, ListenError> {
        let inherited = match socket {
            Inherited::Tcp(socket) => inherit_tcp(socket, has_tls),
            Inherited::Unix(socket) => inherit_unix(socket),
        };
        inherited.map_err(ListenError::Inherited)
    }

    pub fn address(&self) -> &BoundAddr {
        &self.address
    }

    /// Accepts the next connection, with its peer's address if it has one.
    pub async fn accept(&self) -> io::Result<(RawStream, Option<SocketAddr>)> {
        match &self.socket {
            Opened::Tcp(listener) => {
                let (stream, mut peer) = listener.accept().await?;
                // Without Nagle's delay between the parts of an answer. If this fails, the connection will too.
                let _ = stream.set_nodelay(true);
                peer.set_ip(peer.ip().to_canonical());
                Ok((Either::Left(stream), Some(peer)))
            }
            Opened::Unix(listener) => Ok((Either::Right(listener.accept().await?.0), None)),
        }
    }
}

impl fmt::Display for BoundAddr {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BoundAddr::Http(address) => write!(out, "http://{address}"),
            BoundAddr::Https(address) => write!(out, "https://{address}"),
            BoundAddr::Unix(path) => write!(out, "unix:{}", path.display()),
        }
    }
}

fn open_tcp(address: SocketAddr, has_tls: bool) -> io::Result<Listener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    tcp(socket.listen(BACKLOG)?, has_tls)
}

fn inherit_tcp(socket: net::TcpListener, has_tls: bool) -> io::Result<Listener> {
    socket.set_nonblocking(true)?;
    tcp(TcpListener::from_std(socket)?, has_tls)
}

fn tcp(listener: TcpListener, has_tls: bool) -> io::Result<Listener> {
    let bound = listener.local_addr()?;
    Ok(Listener {
        socket: Opened::Tcp(listener),
        address: if has_tls { BoundAddr::Https(bound) } else { BoundAddr::Http(bound) },
        _file: None,
    })
}

fn inherit_unix(socket: unix::net::UnixListener) -> io::Result<Listener> {
    socket.set_nonblocking(true)?;
    let address = socket.local_addr()?;
    // A socket without a file is shown as one without a name.
    let path = address.as_pathname().unwrap_or(Path::new("@"));
    Ok(Listener {
        address: BoundAddr::Unix(path.to_owned()),
        socket: Opened::Unix(UnixListener::from_std(socket)?),
        _file: None,
    })
}

async fn open_unix(path: &Path) -> io::Result<Listener> {
    if let Ok(existing) = fs::symlink_metadata(path) {
        remove_stale(path, &existing).await?;
    }
    let listener = UnixListener::bind(path)?;
    let file = SocketFile::new(path)?;
    fs::set_permissions(path, Permissions::from_mode(SOCKET_MODE))?;
    Ok(Listener { socket: Opened::Unix(listener), address: BoundAddr::Unix(path.to_owned()), _file: Some(file) })
}

/// Removes the socket of a server that was killed, and nothing else.
async fn remove_stale(path: &Path, existing: &Metadata) -> io::Result<()> {
    if !existing.file_type().is_socket() {
        let text = "the file that is there is not a socket";
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
    }
    match UnixStream::connect(path).await {
        Err(fault) if fault.kind() == io::ErrorKind::ConnectionRefused => fs::remove_file(path),
        Err(fault) => Err(fault),
        Ok(_) => Err(io::Error::new(io::ErrorKind::AddrInUse, "another server answers there")),
    }
}

/// The file of a unix socket, removed on drop if it is still ours.
#[derive(Debug)]
struct SocketFile {
    path: PathBuf,
    device: u64,
    inode: u64,
}

impl SocketFile {
    fn new(path: &Path) -> io::Result<SocketFile> {
        let metadata = fs::symlink_metadata(path)?;
        Ok(SocketFile { path: path.to_owned(), device: metadata.dev(), inode: metadata.ino() })
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let is_ours =
            fs::symlink_metadata(&self.path).is_ok_and(|found| found.dev() == self.device && found.ino() == self.inode);
        if is_ours {
            // A file that stays is removed as stale at the next start.
            let _ = fs::remove_file(&self.path);
        }
    }
}
