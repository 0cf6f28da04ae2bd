//! Passes arbitrary bytes to the reader of link frames, and their contents to the reader of
//! messages.
#![no_main]

use bekker::link::frame::{FrameDecoder, encode};
use bekker::link::message::PeerRequest;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut decoder = FrameDecoder::default();
    decoder.feed(bytes);
    while let Ok(Some(text)) = decoder.next_message() {
        let _ = serde_json::from_str::<PeerRequest>(&text);
    }
    let _ = decoder.end();
    // with a valid length, to test the reader of JSON
    if let Ok(text) = std::str::from_utf8(bytes) {
        let mut decoder = FrameDecoder::default();
        decoder.feed(&encode(text));
        if let Ok(Some(text)) = decoder.next_message() {
            let _ = serde_json::from_str::<PeerRequest>(&text);
        }
    }
});
