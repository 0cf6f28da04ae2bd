//! Plain data exchanged between ranks behind a checksum, so that it is validated like the
//! FlatBuffers.

use super::rank_error::RankError;
use bekker_sync::message::{MessageFault, checksum};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Length of the checksum that precedes the data, bytes.
const CHECKSUM_LENGTH: usize = 4;

/// Serializes the data and puts its CRC-32 in front.
pub(crate) fn encode_with_crc<T: Serialize>(value: &T) -> Vec<u8> {
    let bytes = vec![0; CHECKSUM_LENGTH];
    let mut bytes = postcard::to_extend(value, bytes).expect("plain data serializes into memory");
    let sum = checksum(&bytes[CHECKSUM_LENGTH..]);
    bytes[..CHECKSUM_LENGTH].copy_from_slice(&sum.to_le_bytes());
    bytes
}

/// Reads data that [`encode_with_crc`] wrote on another rank. `kind` is the expected kind, named in
/// errors.
///
/// # Errors
/// [`RankError::Corrupt`] if the part is truncated, altered or of another kind.
pub(crate) fn decode_checked<T: DeserializeOwned>(
    rank: usize,
    tick: u64,
    kind: &'static str,
    part: &[u8],
) -> Result<T, RankError> {
    let corrupt = |fault| RankError::Corrupt { rank, tick, kind, fault };
    let (seal, bytes) = part
        .split_first_chunk::<CHECKSUM_LENGTH>()
        .ok_or_else(|| corrupt(MessageFault::Cut { left: part.len(), length: CHECKSUM_LENGTH }))?;
    let (found, expected) = (checksum(bytes), u32::from_le_bytes(*seal));
    if found != expected {
        return Err(corrupt(MessageFault::Checksum { found, expected }));
    }
    postcard::from_bytes(bytes)
        .map_err(|error| corrupt(MessageFault::Structure { what: error.to_string() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_altered_byte_is_found_and_named() {
        let data = (7_u32, vec![1.5_f64, -2.0], Some(String::from("three")));
        let whole = encode_with_crc(&data);
        assert_eq!(
            decode_checked::<(u32, Vec<f64>, Option<String>)>(1, 40, "census", &whole),
            Ok(data)
        );
        for at in 0..whole.len() {
            let mut altered = whole.clone();
            altered[at] ^= 0x10;
            let told = decode_checked::<(u32, Vec<f64>, Option<String>)>(1, 40, "census", &altered);
            let told = told.unwrap_err().to_string();
            assert!(told.starts_with("corrupt census from rank 1 at tick 40: checksum"), "{told}");
        }
        assert!(decode_checked::<u32>(0, 0, "census", &whole[..3]).is_err());
    }
}
