//! Feeds the reader of messages anything, and anything with a right checksum.
#![no_main]

use bekker::sync::ground_code::Memory;
use bekker::sync::message::Reader;
use libfuzzer_sys::fuzz_target;

fn read(bytes: &[u8]) {
    let mut patches = bekker::ground::Patches::default();
    let mut reader = Reader::new(bytes);
    let mut memories = vec![Memory::default(); 4];
    while let Ok(Some(_)) = reader.next(&mut memories, &mut patches) {}
}

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    // past the checksum, where the verifier has to hold
    let mut framed = (bytes.len() as u32).to_le_bytes().to_vec();
    framed.extend_from_slice(&bekker::sync::message::checksum(bytes).to_le_bytes());
    framed.extend_from_slice(bytes);
    read(&framed);
});
