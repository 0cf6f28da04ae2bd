//! Feeds the reader of the link's frames anything, and what comes of them to the reader of
//! messages.
#![no_main]

use bekker::link::frame::{FrameDecoder, encode};
use bekker::link::message::Request;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut decoder = FrameDecoder::default();
    decoder.feed(bytes);
    while let Ok(Some(text)) = decoder.next_message() {
        let _ = serde_json::from_str::<Request>(&text);
    }
    let _ = decoder.end();
    // past the length, where JSON has to hold
    if let Ok(text) = std::str::from_utf8(bytes) {
        let mut decoder = FrameDecoder::default();
        decoder.feed(&encode(text));
        if let Ok(Some(text)) = decoder.next_message() {
            let _ = serde_json::from_str::<Request>(&text);
        }
    }
});
