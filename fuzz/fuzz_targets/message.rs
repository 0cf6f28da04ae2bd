//! Passes arbitrary bytes to the reader of messages, also with a valid checksum.
#![no_main]

use bekker::sync::ground_code::CodecState;
use bekker::sync::message::MessageReader;
use libfuzzer_sys::fuzz_target;

fn read(bytes: &[u8]) {
    let mut patches = bekker::ground::Patches::default();
    let mut reader = MessageReader::new(bytes);
    let mut codec_states = vec![CodecState::default(); 4];
    while let Ok(Some(_)) = reader.next(&mut codec_states, &mut patches) {}
}

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    // with a valid checksum, to test the verifier
    let mut framed = (bytes.len() as u32).to_le_bytes().to_vec();
    framed.extend_from_slice(&bekker::sync::message::checksum(bytes).to_le_bytes());
    framed.extend_from_slice(bytes);
    read(&framed);
});
