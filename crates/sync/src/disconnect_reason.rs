//! Encoding of the reason for which a rank disconnects, sent to its peers.
//!
//! Errors then name the rank that was lost, not the rank that reported the loss.

use super::communicator::CommError;
use std::time::Duration;

/// Ranks that are gone or silent, time waited for them in milliseconds, or another cause.
type DisconnectReason = (Vec<usize>, Option<u64>, Option<String>);

pub(super) fn encode(reason: &CommError) -> Vec<u8> {
    let reason: DisconnectReason = match reason {
        CommError::Gone { rank } => (vec![*rank], None, None),
        CommError::Silent { ranks, after } => (ranks.clone(), Some(after.as_millis() as u64), None),
        other => (Vec::new(), None, Some(other.to_string())),
    };
    postcard::to_stdvec(&reason).expect("plain data serializes into memory")
}

pub(super) fn decode(bytes: &[u8]) -> Option<CommError> {
    let (ranks, after, what): DisconnectReason = postcard::from_bytes(bytes).ok()?;
    Some(match (what, after) {
        (Some(what), _) => CommError::Transport { what },
        (None, Some(after)) => CommError::Silent { ranks, after: Duration::from_millis(after) },
        (None, None) => CommError::Gone { rank: *ranks.first()? },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn causes_come_as_they_went() {
        let (ranks, after) = (vec![2, 70], Duration::from_secs(3));
        let what = "full disk".to_owned();
        let causes = [
            CommError::Gone { rank: 7 },
            CommError::Silent { ranks, after },
            CommError::Transport { what },
        ];
        for reason in causes {
            assert_eq!(decode(&encode(&reason)), Some(reason));
        }
    }
}
