//! Shows a run in browsers: serves the page and the socket that feeds it.

use super::Failure;
use super::view::RunFolder;
use crate::link::{
    Address, Connection, ConnectionHandler, LinkError, Listener, Listening, Pages, Routes, Target,
    Token, WebPage, WireMessage,
};
use crate::view::{Clients, PollResult, asset};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Path of the socket that feeds a page.
const WATCH: &str = "/watch";

/// Timeout of the wait for a message, after which the connection is checked.
const PATIENCE: Duration = Duration::from_millis(200);

/// Waits until a page is open, or until `interrupted` is set.
pub fn wait_for_client(clients: &Clients, interrupted: &AtomicBool) {
    while clients.count() == 0 && !interrupted.load(Ordering::Relaxed) {
        std::thread::sleep(LOOK);
    }
}

/// Waits until no page is open, or until `interrupted` is set.
pub fn stay_open(clients: &Clients, interrupted: &AtomicBool) {
    while clients.count() > 0 && !interrupted.load(Ordering::Relaxed) {
        std::thread::sleep(LOOK);
    }
}

/// Polling interval for open pages.
pub const LOOK: Duration = Duration::from_millis(50);

/// The files of the viewer page.
pub struct ViewerFiles;

impl Pages for ViewerFiles {
    fn page(&self, path: &str, _: &str) -> Option<WebPage> {
        let found = asset(path.strip_prefix('/')?)?;
        let (content_type, bytes) = (found.content_type.into(), found.text.into());
        Some(WebPage { content_type, bytes })
    }
}

/// Serves the viewer of a run; the token is random if none is given.
pub fn serve(
    clients: Arc<Clients>,
    address: &Address,
    token: Option<&str>,
) -> Result<PageServer, Failure> {
    open(single_run(clients), Box::new(ViewerFiles), address, token)
}

/// Serves the viewer of a folder of runs; the token is random if none is given.
pub fn serve_folder(
    folder: RunFolder,
    address: &Address,
    token: Option<&str>,
) -> Result<PageServer, Failure> {
    let folder = Arc::new(folder);
    let pages = FolderPages(folder.clone());
    open(move |target| folder.clients(target), Box::new(pages), address, token)
}

/// A running server; it stops when dropped.
pub struct PageServer {
    _listening: Listening,
    /// The URL to open in a browser.
    pub url: String,
}

/// Finds the clients of a run by the path of its socket.
pub fn single_run(clients: Arc<Clients>) -> impl Fn(&Target) -> Option<Arc<Clients>> + Send + Sync {
    move |target| (target.path == WATCH).then(|| clients.clone())
}

/// Routes for link sessions, viewer sockets and pages.
pub fn routes(
    link: impl Fn(Connection) + Send + Sync + 'static,
    find: impl Fn(&Target) -> Option<Arc<Clients>> + Send + Sync + 'static,
    pages: Box<dyn Pages>,
) -> Routes {
    let web_socket = move |target: &Target| -> Option<ConnectionHandler> {
        let clients = find(target)?;
        Some(Box::new(move |connection| watch(connection, &clients)))
    };
    Routes { link: Box::new(link), web_socket: Box::new(web_socket), pages, foxglove: None }
}

/// The URL to open in a browser.
pub fn url(address: &Address, token: &str) -> String {
    format!("http://{address}/?token={token}")
}

/// The pages of a folder.
struct FolderPages(Arc<RunFolder>);

impl Pages for FolderPages {
    fn page(&self, path: &str, query: &str) -> Option<WebPage> {
        self.0.page(path, query)
    }
}

/// Serves pages, and the sockets whose clients `find` returns.
fn open(
    find: impl Fn(&Target) -> Option<Arc<Clients>> + Send + Sync + 'static,
    pages: Box<dyn Pages>,
    address: &Address,
    token: Option<&str>,
) -> Result<PageServer, Failure> {
    let refused = |error: LinkError| {
        let (subject, cause) = (address.to_string(), error.to_string());
        Failure::Input { subject, cause }
    };
    let Address::Tcp(_) = address else {
        let cause = "must be HOST:PORT, because browsers cannot connect to other addresses".into();
        return Err(Failure::Input { subject: address.to_string(), cause });
    };
    let token = token.map_or_else(Token::random, Token::fixed).map_err(refused)?;
    let revealed = token.reveal().to_string();
    let listener = Listener::bind(address, token).map_err(refused)?;
    let url = url(listener.address(), &revealed);
    let link = |connection: Connection| connection.outgoing.close();
    let listening = listener.open(routes(link, find, pages)).map_err(refused)?;
    Ok(PageServer { _listening: listening, url })
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
                PollResult::Message(message) if to.binary(&message).is_ok() => {}
                PollResult::NoneYet => {}
                PollResult::Message(_) | PollResult::Over => break,
            }
        }
        to.close();
    });
    // the system cannot start a thread
    let Ok(feed) = feed else { return outgoing.close() };
    while let Ok(Some(message)) = incoming.receive() {
        let WireMessage::Text(request) = message else { break };
        if let Some(answer) = clients.handle(&request)
            && outgoing.binary(&answer).is_err()
        {
            break;
        }
    }
    gone.store(true, Ordering::Relaxed);
    // otherwise a client that reads nothing would block the feed in a write
    outgoing.disconnect();
    let _ = feed.join();
}
