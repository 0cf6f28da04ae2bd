//! Messages on a byte stream: the length as four bytes, most significant first, then UTF-8 text.

/// Longest message that is accepted from a peer, bytes.
pub const LONGEST: usize = 1 << 20;
/// Length of the length field, bytes.
pub(super) const PREFIX: usize = 4;

/// Reason why bytes are not messages.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The announced length exceeds the limit.
    #[error("frame of {length} bytes: must be at most {LONGEST}")]
    TooLong {
        /// Announced length, bytes.
        length: usize,
    },
    /// The bytes are not text.
    #[error("frame is not valid UTF-8 at byte {at}")]
    NotText {
        /// Offset of the first byte that is not UTF-8.
        at: usize,
    },
    /// The stream ends within a message.
    #[error("the stream ended {missing} bytes before the end of the frame")]
    Cut {
        /// Number of missing bytes, of the length field if that is incomplete.
        missing: usize,
    },
}

/// Encodes a message with its length.
pub fn encode(text: &str) -> Vec<u8> {
    let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
    let mut bytes = Vec::with_capacity(PREFIX + text.len());
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

/// Decodes messages from bytes that arrive in pieces.
#[derive(Clone, Debug, Default)]
pub struct FrameDecoder {
    bytes: Vec<u8>,
}

impl FrameDecoder {
    /// Appends received bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next message, or `None` if it is incomplete.
    ///
    /// # Errors
    /// [`FrameError`] when the bytes are not messages. Nothing after the fault can be read.
    pub fn next_message(&mut self) -> Result<Option<String>, FrameError> {
        let Some((prefix, rest)) = self.bytes.split_first_chunk::<PREFIX>() else {
            return Ok(None);
        };
        let length = u32::from_be_bytes(*prefix) as usize;
        if length > LONGEST {
            return Err(FrameError::TooLong { length });
        }
        let Some(body) = rest.get(..length) else { return Ok(None) };
        let text = std::str::from_utf8(body)
            .map_err(|error| FrameError::NotText { at: error.valid_up_to() })?
            .to_owned();
        self.bytes.drain(..PREFIX + length);
        Ok(Some(text))
    }

    /// Checks that the stream may end here.
    ///
    /// # Errors
    /// [`FrameError::Cut`] within a message.
    pub fn end(&self) -> Result<(), FrameError> {
        if self.bytes.is_empty() {
            return Ok(());
        }
        let length = self.bytes.first_chunk::<PREFIX>().map(|prefix| u32::from_be_bytes(*prefix));
        let whole = PREFIX + length.unwrap_or_default() as usize;
        Err(FrameError::Cut { missing: whole.saturating_sub(self.bytes.len()).max(1) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all(decoder: &mut FrameDecoder) -> Result<Vec<String>, FrameError> {
        std::iter::from_fn(|| decoder.next_message().transpose()).collect()
    }

    proptest! {
        /// The messages do not depend on how the bytes are split.
        #[test]
        fn messages_are_reassembled_from_any_fragments(
            messages in proptest::collection::vec(".{0,40}", 0..6),
            size in 1_usize..9,
        ) {
            let bytes: Vec<u8> = messages.iter().flat_map(|text| encode(text)).collect();
            let mut decoder = FrameDecoder::default();
            let mut found = Vec::new();
            for piece in bytes.chunks(size) {
                decoder.feed(piece);
                found.extend(all(&mut decoder).unwrap());
            }
            prop_assert_eq!(found, messages);
            prop_assert!(decoder.end().is_ok());
        }

        /// Any bytes decode to messages, an error or an incomplete message. Nothing panics, and the
        /// decoder never waits for more than the limit.
        #[test]
        fn any_bytes_are_decoded_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let mut decoder = FrameDecoder::default();
            decoder.feed(&bytes);
            if all(&mut decoder).is_ok() && !decoder.bytes.is_empty() {
                let length = decoder.bytes.first_chunk().map(|own| u32::from_be_bytes(*own));
                prop_assert!(length.unwrap_or_default() as usize <= LONGEST);
                prop_assert!(decoder.end().is_err());
            }
        }
    }

    #[test]
    fn long_truncated_or_binary_messages_are_refused() {
        let mut decoder = FrameDecoder::default();
        decoder.feed(&(LONGEST as u32 + 1).to_be_bytes());
        assert_eq!(decoder.next_message(), Err(FrameError::TooLong { length: LONGEST + 1 }));
        let mut decoder = FrameDecoder::default();
        decoder.feed(&[0, 0, 0, 2, b'a', 0xff]);
        assert_eq!(decoder.next_message(), Err(FrameError::NotText { at: 1 }));
        let mut decoder = FrameDecoder::default();
        decoder.feed(&[0, 0, 0, 9, b'{']);
        assert_eq!(decoder.next_message(), Ok(None));
        assert_eq!(decoder.end(), Err(FrameError::Cut { missing: 8 }));
    }
}
