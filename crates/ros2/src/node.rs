//! A DDS participant that names topics and types as ROS 2 does.

use super::error::Ros2Error;
use super::message::MessageType;
use bekker_sync::DdsDomain;
use rustdds::no_key::{DataWriter, DeserializerAdapter, SimpleDataReader};
use rustdds::policy::{Durability, History, Reliability};
use rustdds::{
    CDRDeserializerAdapter, CDRSerializerAdapter, DomainParticipant, DomainParticipantBuilder,
    Publisher, QosPolicies, QosPolicyBuilder, Subscriber, Topic, TopicKind,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// History depth: number of messages kept for readers that have not taken them yet.
const DEPTH: i32 = 100;
/// Maximum time that a writer blocks on a reader that takes nothing. Then it drops the message.
const ROOM: rustdds::Duration = rustdds::Duration::from_millis(100);

/// A DDS participant.
pub(super) struct Node {
    participant: DomainParticipant,
    publisher: Publisher,
    subscriber: Subscriber,
}

/// Publisher of a topic.
pub(super) struct TopicPublisher<D: MessageType>(DataWriter<D>);

impl<D: MessageType> TopicPublisher<D> {
    pub fn publish(&self, message: D) {
        // a reader that takes nothing for this long loses the message, and the run continues
        let _ = self.0.write(message, None);
    }

    /// Waits up to 0.5 s until readers have acknowledged all messages.
    pub fn flush(&self) {
        let _ = self.0.wait_for_acknowledgments(std::time::Duration::from_millis(500));
    }
}

/// Subscription to a topic.
pub(super) struct TopicSubscription<D: DeserializeOwned + 'static>(SimpleDataReader<D>);

impl<D: DeserializeOwned + 'static> TopicSubscription<D> {
    /// Passes all messages received since the last call to `each`, in order. Messages that do not
    /// decode are skipped.
    pub fn take_all(&self, mut each: impl FnMut(D)) {
        self.0.drain_read_notifications();
        loop {
            match self.0.try_take_one() {
                Ok(Some(sample)) => each(sample.into_value()),
                Ok(None) => return,
                Err(_) => {}
            }
        }
    }
}

fn qos(durability: Durability, depth: i32) -> QosPolicies {
    QosPolicyBuilder::new()
        .reliability(Reliability::Reliable { max_blocking_time: ROOM })
        .durability(durability)
        .history(History::KeepLast { depth })
        .build()
}

fn failed(error: impl std::fmt::Display) -> Ros2Error {
    Ros2Error { cause: error.to_string() }
}

impl Node {
    /// Joins a domain, on all networks or on the one where this machine has a given address.
    pub fn open(domain: DdsDomain) -> Result<Node, Ros2Error> {
        let mut builder = DomainParticipantBuilder::new(domain.number);
        if let Some(network) = domain.network {
            builder = builder.with_only_networks([network]);
        }
        let participant = builder.build().map_err(failed)?;
        let qos = qos(Durability::Volatile, DEPTH);
        let publisher = participant.create_publisher(&qos).map_err(failed)?;
        let subscriber = participant.create_subscriber(&qos).map_err(failed)?;
        Ok(Node { participant, publisher, subscriber })
    }

    /// Creates a topic by its full DDS name.
    fn topic(&self, name: &str, of: &str, qos: &QosPolicies) -> Result<Topic, Ros2Error> {
        self.participant.create_topic(name.into(), of.into(), qos, TopicKind::NoKey).map_err(failed)
    }

    /// Creates a publisher.
    pub fn advertise<D: MessageType>(&self, name: &str) -> Result<TopicPublisher<D>, Ros2Error> {
        self.writer(name, &qos(Durability::Volatile, DEPTH))
    }

    /// Creates a publisher whose last message is also delivered to readers that join later.
    pub fn advertise_latched<D: MessageType>(
        &self,
        name: &str,
    ) -> Result<TopicPublisher<D>, Ros2Error> {
        self.writer(name, &qos(Durability::TransientLocal, 1))
    }

    fn writer<D: MessageType>(
        &self,
        name: &str,
        qos: &QosPolicies,
    ) -> Result<TopicPublisher<D>, Ros2Error> {
        self.create_writer(&format!("rt{name}"), D::NAME, qos).map(TopicPublisher)
    }

    fn create_writer<D: Serialize>(
        &self,
        name: &str,
        of: &str,
        qos: &QosPolicies,
    ) -> Result<DataWriter<D>, Ros2Error> {
        let topic = self.topic(name, of, qos)?;
        self.publisher
            .create_datawriter_no_key::<D, CDRSerializerAdapter<D>>(&topic, Some(qos.clone()))
            .map_err(failed)
    }

    /// Creates a writer by DDS topic name and type name.
    pub fn write<D: Serialize>(&self, name: &str, of: &str) -> Result<DataWriter<D>, Ros2Error> {
        self.create_writer(name, of, &qos(Durability::Volatile, DEPTH))
    }

    /// Creates a reader by DDS topic name and type name.
    pub fn read<D: 'static, A: DeserializerAdapter<D> + 'static>(
        &self,
        name: &str,
        of: &str,
    ) -> Result<SimpleDataReader<D, A>, Ros2Error> {
        let qos = qos(Durability::Volatile, DEPTH);
        let topic = self.topic(name, of, &qos)?;
        self.subscriber.create_simple_datareader_no_key::<D, A>(&topic, Some(qos)).map_err(failed)
    }

    /// Creates a subscription.
    pub fn subscribe<D: MessageType + DeserializeOwned>(
        &self,
        name: &str,
    ) -> Result<TopicSubscription<D>, Ros2Error> {
        self.read::<D, CDRDeserializerAdapter<D>>(&format!("rt{name}"), D::NAME)
            .map(TopicSubscription)
    }
}
