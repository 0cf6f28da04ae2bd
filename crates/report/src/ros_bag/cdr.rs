//! Common Data Representation: the encoding of ROS 2 messages (OMG DDSI-RTPS 2.5, section 10).

/// Bytes of the identifier before a message.
const HEAD: usize = 4;
/// First bytes of a Zstandard frame.
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// Longest sequence that is read.
const LONGEST: usize = 1 << 16;

/// Reasons why bytes are no message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CdrError {
    /// Each message is compressed by itself.
    #[error(
        "is compressed by itself; `ros2 bag convert` with compression_mode: \"\" in its output \
        options writes messages as they are"
    )]
    Compressed,
    /// Another representation.
    #[error("begins with {0:02x?}; must be 00 00 (big-endian CDR) or 00 01 (little-endian CDR)")]
    Representation([u8; 2]),
    /// The message ends before its fields do, or has a length above the limit.
    #[error("ends before its fields do, or has a sequence of more than {LONGEST} elements")]
    Truncated,
}

/// A cursor over the fields of a message.
///
/// Numbers are aligned to their size, counted from the first field.
pub(super) struct CdrCursor<'a> {
    body: &'a [u8],
    at: usize,
    is_big_endian: bool,
}

impl<'a> CdrCursor<'a> {
    pub fn new(data: &'a [u8]) -> Result<CdrCursor<'a>, CdrError> {
        if data.starts_with(&ZSTD) {
            return Err(CdrError::Compressed);
        }
        let (head, body) = data.split_at_checked(HEAD).ok_or(CdrError::Truncated)?;
        match head {
            [0, order @ (0 | 1), ..] => Ok(CdrCursor { body, at: 0, is_big_endian: *order == 0 }),
            _ => Err(CdrError::Representation([head[0], head[1]])),
        }
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], CdrError> {
        self.at = self.at.next_multiple_of(N);
        let end = self.at + N;
        let bytes = self.body.get(self.at..end).ok_or(CdrError::Truncated)?;
        let mut bytes: [u8; N] = bytes.try_into().map_err(|_| CdrError::Truncated)?;
        if self.is_big_endian {
            bytes.reverse();
        }
        self.at = end;
        Ok(bytes)
    }

    pub fn i8(&mut self) -> Result<i8, CdrError> {
        self.bytes().map(i8::from_le_bytes)
    }

    pub fn u16(&mut self) -> Result<u16, CdrError> {
        self.bytes().map(u16::from_le_bytes)
    }

    pub fn i32(&mut self) -> Result<i32, CdrError> {
        self.bytes().map(i32::from_le_bytes)
    }

    pub fn u32(&mut self) -> Result<u32, CdrError> {
        self.bytes().map(u32::from_le_bytes)
    }

    pub fn f64(&mut self) -> Result<f64, CdrError> {
        self.bytes().map(f64::from_le_bytes)
    }

    pub fn doubles<const N: usize>(&mut self) -> Result<[f64; N], CdrError> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = self.f64()?;
        }
        Ok(values)
    }

    /// Reads a text, whose length counts a zero byte at its end.
    pub fn text(&mut self) -> Result<String, CdrError> {
        let end = self.at.next_multiple_of(4) + 4;
        let end = end + self.u32()? as usize;
        let bytes = self.body.get(self.at..end).ok_or(CdrError::Truncated)?;
        self.at = end;
        Ok(String::from_utf8_lossy(bytes.strip_suffix(&[0]).unwrap_or(bytes)).into_owned())
    }

    /// Reads a sequence; only its elements are aligned, so an empty one has no padding.
    pub fn sequence<T>(
        &mut self,
        element: fn(&mut CdrCursor<'a>) -> Result<T, CdrError>,
    ) -> Result<Vec<T>, CdrError> {
        let length = self.u32()? as usize;
        if length > LONGEST {
            return Err(CdrError::Truncated);
        }
        (0..length).map(|_| element(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same fields in both orders of bytes, encoded by hand.
    #[test]
    fn fields_are_aligned_from_the_first_one_in_either_order() {
        let little: &[u8] = &[
            &[0, 1, 0, 0][..],
            &[0xff, 0, 2, 1],             // i8 -1, padding, u16 258
            &[3, 0, 0, 0, b'a', b'b', 0], // "ab"
            &[0],                         // padding to 4
            &[0, 0, 0, 0],                // an empty sequence
            &[1, 0, 0, 0],                // a sequence of one double at 24
            &[0, 0, 0, 0],
            &1.5_f64.to_le_bytes(),
        ]
        .concat();
        let big: &[u8] = &[
            &[0, 0, 0, 0][..],
            &[0xff, 0, 1, 2],
            &[0, 0, 0, 3, b'a', b'b', 0],
            &[0],
            &[0, 0, 0, 0],
            &[0, 0, 0, 1],
            &[0, 0, 0, 0],
            &1.5_f64.to_be_bytes(),
        ]
        .concat();
        for data in [little, big] {
            let mut fields = CdrCursor::new(data).unwrap();
            assert_eq!((fields.i8().unwrap(), fields.u16().unwrap()), (-1, 258));
            assert_eq!(fields.text().unwrap(), "ab");
            assert_eq!(fields.sequence(CdrCursor::f64).unwrap(), Vec::<f64>::new());
            assert_eq!(fields.sequence(CdrCursor::f64).unwrap(), vec![1.5]);
            assert_eq!(fields.f64(), Err(CdrError::Truncated));
        }
    }

    #[test]
    fn other_bytes_are_refused() {
        let refused = |data: &[u8]| CdrCursor::new(data).err().unwrap().to_string();
        assert!(refused(&[0x28, 0xb5, 0x2f, 0xfd, 0]).starts_with("is compressed by itself"));
        assert!(refused(&[0, 7, 0, 0]).starts_with("begins with [00, 07]"));
        let mut long = CdrCursor::new(&[0, 1, 0, 0, 0xff, 0xff, 0xff, 0x7f]).unwrap();
        assert_eq!(long.sequence(CdrCursor::f64), Err(CdrError::Truncated));
    }
}
