//! Decompression of chunks, as readers of their bytes.

use crate::terrain::error::TerrainError;
use flate2::read::ZlibDecoder;
use std::io::{self, BufRead, BufReader, Read};
use weezl::LzwStatus;
use weezl::decode::{Configuration, Decoder};

/// A compression of chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Codec {
    Uncompressed,
    Lzw,
    Deflate,
    PackBits,
}

impl Codec {
    /// Returns the compression for the value of the tag `Compression`.
    pub fn from_tag(code: u16) -> Result<Codec, TerrainError> {
        let name = match code {
            1 => return Ok(Codec::Uncompressed),
            5 => return Ok(Codec::Lzw),
            8 | 32946 => return Ok(Codec::Deflate),
            32773 => return Ok(Codec::PackBits),
            2..=4 => "CCITT fax",
            6 | 7 => "JPEG",
            34887 => "LERC",
            34925 => "LZMA",
            34712 => "JPEG 2000",
            50000 => "ZSTD",
            50001 => "WebP",
            50002 | 52546 => "JPEG XL",
            _ => "not known",
        };
        Err(TerrainError::GeoTiffCompression { code, name })
    }

    /// Returns a reader of the decompressed bytes of `source`. Bytes after the data are ignored:
    /// the LZW code that ends the data may be missing.
    pub fn reader<'r>(self, source: impl Read + 'r) -> Box<dyn Read + 'r> {
        match self {
            Codec::Uncompressed => Box::new(source),
            Codec::Lzw => Box::new(LzwReader::new(source)),
            Codec::Deflate => Box::new(ZlibDecoder::new(source)),
            Codec::PackBits => Box::new(PackBitsReader::new(source)),
        }
    }
}

struct LzwReader<R: Read> {
    source: BufReader<R>,
    decoder: Decoder,
}

impl<R: Read> LzwReader<R> {
    fn new(source: R) -> LzwReader<R> {
        let decoder = Configuration::with_tiff_size_switch(weezl::BitOrder::Msb, 8)
            .with_yield_on_full_buffer(true)
            .build();
        LzwReader { source: BufReader::new(source), decoder }
    }
}

impl<R: Read> Read for LzwReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let result = self.decoder.decode_bytes(self.source.fill_buf()?, buffer);
            self.source.consume(result.consumed_in);
            let has_ended = match result.status {
                Ok(LzwStatus::Ok) => false,
                Ok(LzwStatus::NoProgress | LzwStatus::Done) => true,
                Err(error) => return Err(io::Error::new(io::ErrorKind::InvalidData, error)),
            };
            if result.consumed_out > 0 || has_ended {
                return Ok(result.consumed_out);
            }
        }
    }
}

/// Decoder of Apple's run-length code. After a header n follow n + 1 literal bytes for n from 0 to
/// 127, one byte repeated 1 - n times for n from -127 to -1, and nothing for -128.
struct PackBitsReader<R: Read> {
    source: BufReader<R>,
    run: PixelRun,
}

enum PixelRun {
    Literal(usize),
    Repeated(u8, usize),
}

impl<R: Read> PackBitsReader<R> {
    fn new(source: R) -> PackBitsReader<R> {
        PackBitsReader { source: BufReader::new(source), run: PixelRun::Literal(0) }
    }

    fn byte(&mut self) -> io::Result<Option<u8>> {
        let mut byte = [0];
        Ok((self.source.read(&mut byte)? == 1).then_some(byte[0]))
    }
}

impl<R: Read> Read for PackBitsReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while matches!(self.run, PixelRun::Literal(0) | PixelRun::Repeated(_, 0)) {
            let Some(header) = self.byte()? else { return Ok(0) };
            let header = header as i8;
            self.run = match header {
                0.. => PixelRun::Literal(header as usize + 1),
                -128 => PixelRun::Literal(0),
                _ => match self.byte()? {
                    Some(byte) => PixelRun::Repeated(byte, usize::from(header.unsigned_abs()) + 1),
                    None => return Ok(0),
                },
            };
        }
        match &mut self.run {
            PixelRun::Literal(left) => {
                let length = buffer.len().min(*left);
                let read = self.source.read(&mut buffer[..length])?;
                *left -= read;
                Ok(read)
            }
            PixelRun::Repeated(byte, left) => {
                let length = buffer.len().min(*left);
                buffer[..length].fill(*byte);
                *left -= length;
                Ok(length)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(codec: Codec, bytes: &[u8], length: usize) -> io::Result<Vec<u8>> {
        let mut buffer = vec![0; length];
        codec.reader(bytes).read_exact(&mut buffer).map(|()| buffer)
    }

    /// The example of Apple's Technical Note TN1023.
    #[test]
    fn packbits_decodes_the_published_example() {
        let packed = [
            0xFE, 0xAA, 0x02, 0x80, 0x00, 0x2A, 0xFD, 0xAA, 0x03, 0x80, 0x00, 0x2A, 0x22, 0xF7,
            0xAA,
        ];
        let mut plain = vec![0xAA, 0xAA, 0xAA, 0x80, 0x00, 0x2A, 0xAA, 0xAA, 0xAA, 0xAA];
        plain.extend([0x80, 0x00, 0x2A, 0x22]);
        plain.extend([0xAA; 10]);
        assert_eq!(decoded(Codec::PackBits, &packed, plain.len()).unwrap(), plain);
        assert!(decoded(Codec::PackBits, &packed, plain.len() + 1).is_err());
        // a header of -128 is a no-op
        let mut padded = vec![0x80, 0x80];
        padded.extend(packed);
        assert_eq!(decoded(Codec::PackBits, &padded, plain.len()).unwrap(), plain);
    }

    #[test]
    fn lzw_needs_no_end_code() {
        for length in [1, 7, 255, 4096, 70_001] {
            let plain: Vec<u8> = (0..length).map(|k| ((k * k) % 251) as u8).collect();
            let packed = weezl::encode::Encoder::with_tiff_size_switch(weezl::BitOrder::Msb, 8)
                .encode(&plain)
                .unwrap();
            assert_eq!(decoded(Codec::Lzw, &packed, length).unwrap(), plain);
            // the code that ends the data has 9 to 12 bits: without its last byte it is incomplete
            let cut = &packed[..packed.len() - 1];
            assert_eq!(decoded(Codec::Lzw, cut, length).unwrap(), plain, "{length}");
            assert!(decoded(Codec::Lzw, &packed[..packed.len() / 2], length).is_err());
        }
    }

    #[test]
    fn other_compressions_are_refused_with_a_remedy() {
        for (code, name) in [(50000, "ZSTD"), (34887, "LERC"), (7, "JPEG"), (50001, "WebP")] {
            let message = Codec::from_tag(code).unwrap_err().to_string();
            assert!(message.contains(name) && message.contains("gdal_translate"), "{message}");
        }
    }
}
