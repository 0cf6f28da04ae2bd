//! A DDS participant with its readers and writers, and a bell that signals new samples.

use crate::DdsDomain;
use rustdds::no_key::{DataWriter, SimpleDataReader};
use rustdds::policy::{Durability, History, Reliability, ResourceLimits};
use rustdds::{
    CDRDeserializerAdapter, CDRSerializerAdapter, DomainParticipant, DomainParticipantBuilder,
    Publisher, QosPolicies, QosPolicyBuilder, Subscriber, Topic, TopicKind,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::{Wake, Waker};
use std::time::Duration;

/// Time that a writer waits for capacity. A reader that takes nothing for as long counts as gone.
const WRITE_TIMEOUT: rustdds::Duration = rustdds::Duration::from_secs(10);

/// A participant in a DDS domain.
pub(super) struct Endpoint {
    participant: DomainParticipant,
    publisher: Publisher,
    subscriber: Subscriber,
    pub arrivals_event: Arc<ArrivalEvent>,
}

/// Returns the quality of service of periodic messages. Some may be lost.
pub(super) fn best_effort() -> QosPolicies {
    qos(Reliability::BestEffort, 1024)
}

/// Returns the quality of service of a reliable, ordered topic with a capacity of `most` samples.
///
/// The guarantee holds while at most `most` samples are in transit to a reader. Beyond that RustDDS
/// drops the oldest samples, whether they were taken or not.
pub(super) fn reliable(most: usize) -> QosPolicies {
    qos(Reliability::Reliable { max_blocking_time: WRITE_TIMEOUT }, most)
}

fn qos(reliability: Reliability, most: usize) -> QosPolicies {
    let most = i32::try_from(most).unwrap_or(i32::MAX);
    let limits =
        ResourceLimits { max_samples: most, max_instances: 1, max_samples_per_instance: most };
    QosPolicyBuilder::new()
        .reliability(reliability)
        .durability(Durability::Volatile)
        .history(History::KeepAll)
        .resource_limits(limits)
        .build()
}

impl Endpoint {
    /// Joins a domain.
    pub fn open(domain: DdsDomain) -> Result<Endpoint, String> {
        let mut builder = DomainParticipantBuilder::new(domain.number);
        if let Some(network) = domain.network {
            builder = builder.with_only_networks([network]);
        }
        let participant = builder.build().map_err(|error| error.to_string())?;
        let qos = best_effort();
        let publisher = participant.create_publisher(&qos).map_err(|error| error.to_string())?;
        let subscriber = participant.create_subscriber(&qos).map_err(|error| error.to_string())?;
        Ok(Endpoint { participant, publisher, subscriber, arrivals_event: Arc::default() })
    }

    fn topic(&self, name: &str, of: &str, qos: &QosPolicies) -> Result<Topic, String> {
        self.participant
            .create_topic(name.into(), of.into(), qos, TopicKind::NoKey)
            .map_err(|error| error.to_string())
    }

    pub fn writer<D: Serialize>(
        &self,
        [name, of]: [&str; 2],
        qos: &QosPolicies,
    ) -> Result<DataWriter<D>, String> {
        let topic = self.topic(name, of, qos)?;
        self.publisher
            .create_datawriter_no_key::<D, CDRSerializerAdapter<D>>(&topic, Some(qos.clone()))
            .map_err(|error| error.to_string())
    }

    pub fn reader<D: DeserializeOwned + 'static>(
        &self,
        [name, of]: [&str; 2],
        qos: &QosPolicies,
    ) -> Result<TopicReader<D>, String> {
        let topic = self.topic(name, of, qos)?;
        let reader = self
            .subscriber
            .create_simple_datareader_no_key::<D, CDRDeserializerAdapter<D>>(
                &topic,
                Some(qos.clone()),
            )
            .map_err(|error| error.to_string())?;
        Ok(TopicReader { reader, arrivals_event: Waker::from(self.arrivals_event.clone()) })
    }

    /// Creates a reader and a writer of one topic.
    pub fn channel<D: Serialize + DeserializeOwned + 'static>(
        &self,
        topic: [&str; 2],
        qos: &QosPolicies,
    ) -> Result<TopicChannel<D>, String> {
        Ok(TopicChannel { reader: self.reader(topic, qos)?, writer: self.writer(topic, qos)? })
    }
}

/// A reader and a writer of one topic.
pub(super) struct TopicChannel<D: 'static + Serialize + DeserializeOwned> {
    pub reader: TopicReader<D>,
    pub writer: DataWriter<D>,
}

/// A reader whose samples ring the bell of its endpoint.
pub(super) struct TopicReader<D: 'static + DeserializeOwned> {
    reader: SimpleDataReader<D>,
    arrivals_event: Waker,
}

impl<D: 'static + DeserializeOwned> TopicReader<D> {
    /// Passes all received samples to `each`, in order. Samples that do not decode are skipped.
    pub fn take_all(&self, mut each: impl FnMut(D)) {
        // set the waker before taking, so that later samples ring the bell
        self.reader.set_waker(Some(self.arrivals_event.clone()));
        self.reader.drain_read_notifications();
        loop {
            match self.reader.try_take_one() {
                Ok(Some(sample)) => each(sample.into_value()),
                Ok(None) => return,
                Err(_) => {}
            }
        }
    }
}

/// An event that is set when a sample arrives, and cleared by waiting for it.
#[derive(Debug, Default)]
pub(super) struct ArrivalEvent {
    is_set: Mutex<bool>,
    changed: Condvar,
}

impl ArrivalEvent {
    pub fn set(&self) {
        *self.is_set.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    pub fn wait(&self, most: Duration) {
        let is_set = self.is_set.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(is_set, most, |is_set| !*is_set);
        *waited.unwrap_or_else(PoisonError::into_inner).0 = false;
    }
}

impl Wake for ArrivalEvent {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.set();
    }
}
