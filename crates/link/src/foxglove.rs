//! Foxglove's live protocol: channels are advertised to clients, and messages sent to subscribers.
//!
//! Source: <https://github.com/foxglove/ws-protocol/blob/main/docs/spec.md>. Supported operations
//! to a client are `serverInfo`, `advertise`, `status`, message data and time. Supported operations
//! from a client are `subscribe` and `unsubscribe`. Any other operation is answered with a warning.

use super::writers::Writers;
use super::{Connection, WireMessage};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// WebSocket subprotocol names: of Foxglove's SDK, and the older one.
///
/// The supported subset is the same in both.
pub const SUBPROTOCOLS: [&str; 2] = ["foxglove.sdk.v1", "foxglove.websocket.v1"];
/// Capacity of a client's outbox, messages. Further messages are dropped.
const WAITING: usize = 256;
/// Maximum number of channels to which one client may subscribe at once.
const SUBSCRIPTIONS: usize = 4096;
/// First bytes of the binary messages: message data, and time.
const MESSAGE_DATA: u8 = 1;
const TIME: u8 = 2;

/// Severity of a status.
const WARNING: u8 = 1;

/// A message to publish on a channel.
#[derive(Clone, Copy, Debug)]
pub struct Publication<'a> {
    /// Topic of the channel.
    pub topic: &'a str,
    /// Name of the message type.
    pub schema: &'a str,
    /// Time of delivery, µs of simulated time.
    pub time_us: u64,
    /// Message encoded in Protocol Buffers.
    pub data: &'a [u8],
}

/// Publishes a run to Foxglove clients, each on its own thread.
#[derive(Clone)]
pub struct FoxgloveServer {
    shared: Arc<FoxgloveState>,
}

struct FoxgloveState {
    name: String,
    /// Description of all message types: a `FileDescriptorSet` in base64.
    descriptors: String,
    /// Identifier of this run, which distinguishes it from the next run on the same port.
    session: String,
    registry: Mutex<ClientRegistry>,
    /// Threads that write to clients.
    writers: Writers,
}

#[derive(Default)]
struct ClientRegistry {
    /// Topic and type of each channel, by channel number.
    channels: Vec<(String, String)>,
    numbers: BTreeMap<(String, String), u32>,
    clients: BTreeMap<u64, FoxgloveClient>,
    /// Whether the run has ended.
    over: bool,
    next: u64,
}

struct FoxgloveClient {
    outbox: SyncSender<WireMessage>,
    /// The client's subscription numbers, by channel.
    subscribed: BTreeMap<u32, u32>,
}

/// Request of a client.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "camelCase")]
enum FoxgloveRequest {
    Subscribe {
        subscriptions: Vec<Subscription>,
    },
    #[serde(rename_all = "camelCase")]
    Unsubscribe {
        subscription_ids: Vec<u32>,
    },
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Subscription {
    id: u32,
    channel_id: u32,
}

impl FoxgloveServer {
    /// Creates a server for the run `name`.
    ///
    /// `descriptors` is the `FileDescriptorSet` of its messages.
    pub fn new(name: &str, descriptors: &[u8], session: &str) -> FoxgloveServer {
        let shared = FoxgloveState {
            name: name.into(),
            descriptors: STANDARD.encode(descriptors),
            session: session.into(),
            registry: Mutex::default(),
            writers: Writers::default(),
        };
        FoxgloveServer { shared: Arc::new(shared) }
    }

    /// Whether any client is connected.
    pub fn is_watched(&self) -> bool {
        !self.registry().clients.is_empty()
    }

    /// Sends the simulated time, µs, to all clients.
    pub fn time(&self, time_us: u64) {
        let mut bytes = vec![TIME];
        bytes.extend_from_slice(&(1000 * time_us).to_le_bytes());
        for client in self.registry().clients.values() {
            client.send(WireMessage::Binary(bytes.clone()));
        }
    }

    /// Sends a message to the subscribers of its channel.
    ///
    /// A new topic or type is first advertised to all clients as a new channel.
    pub fn publish(&self, publication: &Publication<'_>) {
        let Publication { topic, schema, time_us, data } = *publication;
        let mut registry = self.registry();
        let key = (topic.to_owned(), schema.to_owned());
        let channel = match registry.numbers.get(&key) {
            Some(&channel) => channel,
            None => {
                let channel = registry.channels.len() as u32;
                registry.numbers.insert(key.clone(), channel);
                registry.channels.push(key);
                let text = self.advertisement(&registry.channels[channel as usize..], channel);
                registry.clients.values().for_each(|own| own.send(WireMessage::Text(text.clone())));
                channel
            }
        };
        for client in registry.clients.values() {
            let Some(subscription) = client.subscribed.get(&channel) else { continue };
            let mut bytes = Vec::with_capacity(13 + data.len());
            bytes.push(MESSAGE_DATA);
            bytes.extend_from_slice(&subscription.to_le_bytes());
            bytes.extend_from_slice(&(1000 * time_us).to_le_bytes());
            bytes.extend_from_slice(data);
            client.send(WireMessage::Binary(bytes));
        }
    }

    /// Serves a client until it disconnects.
    pub fn serve(&self, connection: Connection) {
        let Connection { mut incoming, outgoing, .. } = connection;
        let (outbox, waiting) = sync_channel(WAITING);
        let number = self.admit(outbox);
        let to = outgoing.clone();
        let write = move || write_messages(&waiting, &to);
        match std::thread::Builder::new().name("foxglove writer".into()).spawn(write) {
            Ok(writer) => self.shared.writers.add(writer, outgoing.clone()),
            // the system cannot start a thread
            Err(_) => outgoing.close(),
        }
        while let Ok(Some(message)) = incoming.receive() {
            if let Err(cause) = self.handle_message(number, &message) {
                let status = json!({ "op": "status", "level": WARNING, "message": cause });
                if let Some(client) = self.registry().clients.get(&number) {
                    client.send(WireMessage::Text(status.to_string()));
                }
            }
        }
        // dropping the outbox ends the writer, which closes the connection
        self.registry().clients.remove(&number);
    }

    /// Closes all outboxes without waiting for clients. Queued messages are still sent.
    pub fn announce_end(&self) {
        let mut registry = self.registry();
        registry.over = true;
        registry.clients.clear();
    }

    /// Waits until all queued messages are sent, while `waits` returns true. Then cuts the
    /// remaining clients and returns their number.
    pub fn close(&self, waits: &mut dyn FnMut() -> bool) -> usize {
        self.shared.writers.end(waits)
    }

    /// Registers a client, sends it the server information and the channels, and returns its
    /// number.
    fn admit(&self, outbox: SyncSender<WireMessage>) -> u64 {
        let info = json!({
            "op": "serverInfo",
            "name": format!("bekker: {}", self.shared.name),
            "capabilities": ["time"],
            "supportedEncodings": [],
            "metadata": {},
            "sessionId": self.shared.session,
        });
        let mut registry = self.registry();
        let client = FoxgloveClient { outbox, subscribed: BTreeMap::new() };
        client.send(WireMessage::Text(info.to_string()));
        if !registry.channels.is_empty() {
            client.send(WireMessage::Text(self.advertisement(&registry.channels, 0)));
        }
        let number = registry.next;
        registry.next += 1;
        if !registry.over {
            registry.clients.insert(number, client);
        }
        number
    }

    fn handle_message(&self, number: u64, message: &WireMessage) -> Result<(), String> {
        let WireMessage::Text(text) = message else {
            return Err("this server does not accept messages from clients".into());
        };
        let request: FoxgloveRequest =
            serde_json::from_str(text).map_err(|error| format!("invalid request: {error}"))?;
        let mut registry = self.registry();
        let known = registry.channels.len() as u32;
        let Some(client) = registry.clients.get_mut(&number) else { return Ok(()) };
        match request {
            FoxgloveRequest::Subscribe { subscriptions } => {
                for Subscription { id, channel_id } in subscriptions {
                    if channel_id >= known {
                        return Err(format!("channel {channel_id}: must be below {known}"));
                    }
                    if client.subscribed.len() >= SUBSCRIPTIONS {
                        return Err(format!("subscriptions: must be at most {SUBSCRIPTIONS}"));
                    }
                    client.subscribed.insert(channel_id, id);
                }
            }
            FoxgloveRequest::Unsubscribe { subscription_ids } => {
                client.subscribed.retain(|_, id| !subscription_ids.contains(id));
            }
        }
        Ok(())
    }

    /// Returns the advertisement of channels that are numbered from `first`.
    fn advertisement(&self, channels: &[(String, String)], first: u32) -> String {
        let channel = |(number, (topic, schema)): (u32, &(String, String))| {
            json!({
                "id": number,
                "topic": topic,
                "encoding": "protobuf",
                "schemaName": schema,
                "schemaEncoding": "protobuf",
                "schema": self.shared.descriptors,
            })
        };
        let channels = (first..).zip(channels).map(channel).collect::<serde_json::Value>();
        json!({ "op": "advertise", "channels": channels }).to_string()
    }

    fn registry(&self) -> MutexGuard<'_, ClientRegistry> {
        self.shared.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FoxgloveClient {
    /// Queues a message unless the outbox is full.
    fn send(&self, message: WireMessage) {
        // a client that is slow or gone misses the message
        let _ = self.outbox.try_send(message);
    }
}

/// Writes the messages of an outbox to a client until the outbox closes or the client disconnects.
fn write_messages(waiting: &Receiver<WireMessage>, to: &super::Outgoing) {
    for message in waiting {
        let sent = match message {
            WireMessage::Text(text) => to.text(&text),
            WireMessage::Binary(bytes) => to.binary(&bytes),
        };
        if sent.is_err() {
            break;
        }
    }
    to.close();
}
