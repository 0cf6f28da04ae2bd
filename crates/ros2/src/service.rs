//! A ROS 2 service over DDS: requests on one topic, replies on another.
//!
//! The caller is identified in one of two ways, depending on the middleware. Each is answered in
//! its own way.
//! - With Fast DDS, by the identity of the request's sample, as in the OMG's *Remote Procedure Call
//!   over DDS* 1.0 (7.6.2, enhanced service profile). The request names the reader of its replies
//!   as the related sample identity.
//! - With Cyclone DDS, by the numbers of the client and of the request in front of the body.
//!
//! DDS matches the reader and the writer of a client one after the other. A sample written before
//! its reader is matched never reaches it. So a reply waits until the caller's reader is matched,
//! as in ROS 2's own servers.

use super::error::Ros2Error;
use super::node::Node;
use rustdds::no_key::{DataWriter, Decode, DefaultDecoder, DeserializerAdapter, SimpleDataReader};
use rustdds::serialization::{Error, deserialize_from_cdr_with_rep_id};
use rustdds::{
    DataWriterStatus, GUID, RepresentationIdentifier, SampleIdentity, StatusEvented,
    WriteOptionsBuilder,
};
use serde::de::DeserializeOwned;
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Length of the client and request numbers that Cyclone DDS puts in front of the body, bytes.
const HEADER: usize = 16;
/// Maximum time that a reply waits for its reader to be matched, and the last one to be
/// acknowledged. Lost samples are repeated after a second or two.
const PATIENCE: Duration = Duration::from_secs(5);

/// A service: its name and types.
pub(super) trait Service: 'static {
    /// Name in ROS 2, without the node's name.
    const NAME: &'static str;
    /// DDS type name: `package::srv::dds_::Name`.
    const TYPE: &'static str;
    type Request: DeserializeOwned;
    type Reply: Serialize + 'static;
}

/// The sender of a request, to which the reply goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Caller {
    /// Identified by a sample identity.
    Sample(SampleIdentity),
    /// Identified by numbers in front of the body, and by the writer of the request.
    Numbered { writer: GUID, client: u64, request: i64 },
}

impl Caller {
    /// Whether `reader` is the caller's reader of replies, or belongs to its participant.
    fn reads_by(&self, reader: &GUID) -> bool {
        match self {
            Caller::Sample(identity) => identity.writer_guid == *reader,
            Caller::Numbered { writer, .. } => writer.prefix == reader.prefix,
        }
    }
}

/// Server of a service.
pub(super) struct ServiceServer<S: Service> {
    requests: SimpleDataReader<RawSample, RawAdapter>,
    replies: DataWriter<Reply<S::Reply>>,
    /// Matched readers of replies.
    readers: RefCell<BTreeSet<GUID>>,
}

impl<S: Service> ServiceServer<S> {
    /// Offers the service as `/bekker/NAME`.
    pub fn open(node: &Node) -> Result<ServiceServer<S>, Ros2Error> {
        let name = format!("/bekker/{}", S::NAME);
        let requests = node.read(&format!("rq{name}Request"), &format!("{}_Request_", S::TYPE))?;
        let replies = node.write(&format!("rr{name}Reply"), &format!("{}_Response_", S::TYPE))?;
        Ok(ServiceServer { requests, replies, readers: RefCell::default() })
    }

    /// Returns the next request and its caller. Requests that do not decode are skipped.
    pub fn next(&self) -> Option<(Caller, S::Request)> {
        self.requests.drain_read_notifications();
        self.find_readers();
        loop {
            let change = match self.requests.try_take_one() {
                Ok(change) => change?,
                Err(_) => continue,
            };
            let (raw, related) = (&change.sample, change.related_sample_identity());
            let Some((caller, body)) = (match related {
                Some(related) => {
                    let sequence_number = change.sequence_number;
                    let writer_guid = related.writer_guid;
                    Some((Caller::Sample(SampleIdentity { writer_guid, sequence_number }), 0))
                }
                None => raw.read(0).map(|(client, request)| {
                    let writer = change.writer_guid;
                    (Caller::Numbered { writer, client, request }, HEADER)
                }),
            }) else {
                continue;
            };
            if let Some(request) = raw.read(body) {
                return Some((caller, request));
            }
        }
    }

    /// Updates the set of matched readers.
    fn find_readers(&self) {
        let mut readers = self.readers.borrow_mut();
        while let Some(status) = self.replies.try_recv_status() {
            if let DataWriterStatus::PublicationMatched { current, reader, .. } = status {
                match current.count_change() > 0 {
                    true => readers.insert(reader),
                    false => readers.remove(&reader),
                };
            }
        }
    }

    /// Waits until the caller's reader is matched, at most for the timeout.
    fn await_reader(&self, caller: &Caller) {
        let begun = Instant::now();
        loop {
            self.find_readers();
            let is_found = self.readers.borrow().iter().any(|reader| caller.reads_by(reader));
            if is_found || begun.elapsed() > PATIENCE {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Sends the reply to a request.
    pub fn reply(&self, caller: Caller, body: S::Reply) {
        self.await_reader(&caller);
        let (header, options) = match caller {
            Caller::Sample(identity) => {
                (None, WriteOptionsBuilder::new().related_sample_identity(identity))
            }
            Caller::Numbered { client, request, .. } => {
                (Some((client, request)), WriteOptionsBuilder::new())
            }
        };
        // a caller that is gone gets no reply
        let _ = self.replies.write_with_options(Reply { header, body }, options.build());
    }

    /// Waits until readers have acknowledged the last reply, at most for the timeout.
    pub fn flush(&self) {
        let _ = self.replies.wait_for_acknowledgments(PATIENCE);
    }
}

/// A reply, with a header if the caller uses one.
struct Reply<R> {
    header: Option<(u64, i64)>,
    body: R,
}

impl<R: Serialize> Serialize for Reply<R> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.header {
            Some((client, request)) => (client, request, &self.body).serialize(serializer),
            None => self.body.serialize(serializer),
        }
    }
}

/// A sample as received, not decoded.
struct RawSample {
    bytes: Vec<u8>,
    encoding: RepresentationIdentifier,
}

impl RawSample {
    /// Decodes a value from byte `from` on. Alignment counts from there.
    fn read<'a, T: Deserialize<'a>>(&'a self, from: usize) -> Option<T> {
        let bytes = self.bytes.get(from..)?;
        Some(deserialize_from_cdr_with_rep_id(bytes, self.encoding).ok()?.0)
    }
}

/// Adapter that does not decode samples.
struct RawAdapter;

impl DeserializerAdapter<RawSample> for RawAdapter {
    type Error = Error;
    type Decoded = RawSample;

    fn supported_encodings() -> &'static [RepresentationIdentifier] {
        &[RepresentationIdentifier::CDR_LE, RepresentationIdentifier::CDR_BE]
    }

    fn transform_decoded(decoded: RawSample) -> RawSample {
        decoded
    }
}

/// Decoder that copies all bytes.
#[derive(Clone)]
struct CopyingDecoder;

impl Decode<'_, RawSample> for CopyingDecoder {
    type Error = Error;

    fn decode_bytes(
        self,
        bytes: &[u8],
        encoding: RepresentationIdentifier,
    ) -> Result<RawSample, Error> {
        Ok(RawSample { bytes: bytes.to_vec(), encoding })
    }
}

impl DefaultDecoder<RawSample> for RawAdapter {
    type Decoder = CopyingDecoder;
    const DECODER: CopyingDecoder = CopyingDecoder;
}

#[cfg(test)]
mod tests {
    use super::*;
    use bekker_sync::DdsDomain;
    use rustdds::RTPSEntity;
    use std::net::Ipv4Addr;
    use std::time::Instant;

    /// A service that returns the number in the request.
    struct EchoService;

    impl Service for EchoService {
        const NAME: &'static str = "echo";
        const TYPE: &'static str = "test::srv::dds_::Echo";
        type Request = u64;
        type Reply = (u8, u64);
    }

    /// The client behaves as ROS 2 with Fast DDS. It identifies its reply by its named reader and
    /// the sequence number of its request. (For Cyclone DDS: tests/ros2.rs.)
    #[test]
    fn a_request_is_answered_by_the_identity_of_its_sample() {
        let number = 180 + (std::process::id() % 20) as u16;
        let domain = DdsDomain { number, network: Some(Ipv4Addr::LOCALHOST) };
        let [server, client] = [(); 2].map(|()| Node::open(domain).unwrap());
        let offered = ServiceServer::<EchoService>::open(&server).unwrap();
        let requests: DataWriter<u64> =
            client.write("rq/bekker/echoRequest", "test::srv::dds_::Echo_Request_").unwrap();
        let replies: SimpleDataReader<RawSample, RawAdapter> =
            client.read("rr/bekker/echoReply", "test::srv::dds_::Echo_Response_").unwrap();
        let (own, other) = (replies.guid(), requests.guid());
        let begun = Instant::now();
        let (mut written, mut asked) = (0, 0);
        loop {
            assert!(begun.elapsed() < Duration::from_secs(30), "{written} written, {asked} asked");
            // repeated until received, since matching is not reported here
            let sequence_number = 0.into();
            let named = SampleIdentity { writer_guid: own, sequence_number };
            let options = WriteOptionsBuilder::new().related_sample_identity(named).build();
            written += 1;
            requests.write_with_options(1000 + written, options).unwrap();
            std::thread::sleep(Duration::from_millis(50));
            while let Some((caller, number)) = offered.next() {
                asked += 1;
                let Caller::Sample(identity) = caller else { panic!("{caller:?}") };
                assert_eq!(identity.writer_guid, own);
                assert_ne!(identity.writer_guid, other);
                offered.reply(caller, (7, number));
            }
            if let Ok(Some(reply)) = replies.try_take_one() {
                let related = reply.related_sample_identity().unwrap();
                assert_eq!(related.writer_guid, own);
                let number = i64::from(related.sequence_number) as u64;
                assert_eq!(reply.sample.read::<(u8, u64)>(0), Some((7, 1000 + number)));
                break;
            }
        }
    }
}
