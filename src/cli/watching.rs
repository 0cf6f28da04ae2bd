//! Shows a run to browsers: the page and the socket that feeds it.

use super::Failure;
use super::view::Folder;
use crate::link::{
    Address, Connection, LinkError, Listener, Listening, Message, Page, Pages, Routes, Taker,
    Target, Token,
};
use crate::view::{Clients, Next, asset};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Path of the socket that a page is fed by.
const WATCH: &str = "/watch";

/// How long a message is waited for before it is looked whether the page has gone.
const PATIENCE: Duration = Duration::from_millis(200);

/// Waits until a page is open, or until `interrupted` is raised.
pub fn wait_for_somebody(clients: &Clients, interrupted: &AtomicBool) {
    while clients.count() == 0 && !interrupted.load(Ordering::Relaxed) {
        std::thread::sleep(LOOK);
    }
}

/// Waits until no page is open any more, or until `interrupted` is raised.
pub fn stay_open(clients: &Clients, interrupted: &AtomicBool) {
    while clients.count() > 0 && !interrupted.load(Ordering::Relaxed) {
        std::thread::sleep(LOOK);
    }
}

/// How often it is looked whether somebody watches.
pub const LOOK: Duration = Duration::from_millis(50);

/// The page's own files.
pub struct OwnFiles;

impl Pages for OwnFiles {
    fn page(&self, path: &str, _: &str) -> Option<Page> {
        let found = asset(path.strip_prefix('/')?)?;
        let (content_type, bytes) = (found.content_type.into(), found.text.into());
        Some(Page { content_type, bytes })
    }
}

/// Listens for browsers that want to watch a run; the token is drawn at random where none is
/// given.
pub fn serve(
    clients: Arc<Clients>,
    address: &Address,
    token: Option<&str>,
) -> Result<Served, Failure> {
    open(of_run(clients), Box::new(OwnFiles), address, token)
}

/// Listens for browsers that want to see a folder of runs, likewise.
pub fn serve_folder(
    folder: Folder,
    address: &Address,
    token: Option<&str>,
) -> Result<Served, Failure> {
    let folder = Arc::new(folder);
    let pages = FolderPages(folder.clone());
    open(move |target| folder.clients(target), Box::new(pages), address, token)
}

/// Pages are served, until it is dropped.
pub struct Served {
    _listening: Listening,
    /// What to open in a browser.
    pub url: String,
}

/// Finds those who watch a run by the path of its socket.
pub fn of_run(clients: Arc<Clients>) -> impl Fn(&Target) -> Option<Arc<Clients>> + Send + Sync {
    move |target| (target.path == WATCH).then(|| clients.clone())
}

/// Sessions of the link, sockets of those who watch, and pages.
pub fn routes(
    link: impl Fn(Connection) + Send + Sync + 'static,
    find: impl Fn(&Target) -> Option<Arc<Clients>> + Send + Sync + 'static,
    pages: Box<dyn Pages>,
) -> Routes {
    let web_socket = move |target: &Target| -> Option<Taker> {
        let clients = find(target)?;
        Some(Box::new(move |connection| watch(connection, &clients)))
    };
    Routes { link: Box::new(link), web_socket: Box::new(web_socket), pages, foxglove: None }
}

/// What to open in a browser.
pub fn url(address: &Address, token: &str) -> String {
    format!("http://{address}/?token={token}")
}

/// A folder's pages.
struct FolderPages(Arc<Folder>);

impl Pages for FolderPages {
    fn page(&self, path: &str, query: &str) -> Option<Page> {
        self.0.page(path, query)
    }
}

/// Serves pages, and the sockets of those that are found by their address.
fn open(
    find: impl Fn(&Target) -> Option<Arc<Clients>> + Send + Sync + 'static,
    pages: Box<dyn Pages>,
    address: &Address,
    token: Option<&str>,
) -> Result<Served, Failure> {
    let refused = |error: LinkError| {
        let (subject, cause) = (address.to_string(), error.to_string());
        Failure::Input { subject, cause }
    };
    let Address::Tcp(_) = address else {
        let cause = "browsers connect by HOST:PORT alone".into();
        return Err(Failure::Input { subject: address.to_string(), cause });
    };
    let token = token.map_or_else(Token::random, Token::fixed).map_err(refused)?;
    let revealed = token.reveal().to_string();
    let listener = Listener::bind(address, token).map_err(refused)?;
    let url = url(listener.address(), &revealed);
    let link = |connection: Connection| connection.outgoing.close();
    let listening = listener.open(routes(link, find, pages)).map_err(refused)?;
    Ok(Served { _listening: listening, url })
}

/// Feeds a page for as long as it is open.
fn watch(connection: Connection, clients: &Arc<Clients>) {
    let Connection { mut incoming, outgoing, .. } = connection;
    let client = clients.join();
    let gone = Arc::new(AtomicBool::new(false));
    let (to, left) = (outgoing.clone(), gone.clone());
    let feed = std::thread::Builder::new().name("feed".into()).spawn(move || {
        while !left.load(Ordering::Relaxed) {
            match client.next(PATIENCE) {
                Next::Message(message) if to.binary(&message).is_ok() => {}
                Next::NoneYet => {}
                Next::Message(_) | Next::Over => break,
            }
        }
        to.close();
    });
    // the system starts no thread
    let Ok(feed) = feed else { return outgoing.close() };
    while let Ok(Some(message)) = incoming.receive() {
        let Message::Text(request) = message else { break };
        if let Some(answer) = clients.ask(&request)
            && outgoing.binary(&answer).is_err()
        {
            break;
        }
    }
    gone.store(true, Ordering::Relaxed);
    // one that reads nothing would keep its feed in a write
    outgoing.cut();
    let _ = feed.join();
}
