//! Adaptive Rice coding of integers into a bit stream.

/// Maximum number of low bits that a Rice code writes verbatim.
const MAX_PLAIN_BITS: u32 = 25;
/// Number of zero bits that marks a value written verbatim in 32 bits.
const ESCAPE: u32 = 20;

/// Longest code that is written or read at once, bits.
const MAX_CODE_BITS: u32 = 56;
const _: () = assert!(ESCAPE + MAX_PLAIN_BITS <= MAX_CODE_BITS);

/// Writes bits, least significant first.
#[derive(Debug)]
pub(super) struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    /// Whole bytes in `out`, including those present before this writer.
    end: usize,
    /// Bits not yet in a whole byte, at most seven between two calls.
    held: u64,
    count: u32,
}

impl<'a> BitWriter<'a> {
    /// Creates a writer that appends to `out`.
    pub(super) fn new(out: &'a mut Vec<u8>) -> Self {
        BitWriter { end: out.len(), out, held: 0, count: 0 }
    }

    /// Writes the `bits` lowest bits of `value`, at most [`MAX_CODE_BITS`]. The other bits must be
    /// zero.
    #[inline]
    pub(super) fn put(&mut self, value: u64, bits: u32) {
        self.held |= value << self.count;
        self.count += bits;
        match self.out.get_mut(self.end..self.end + 8) {
            Some(room) => room.copy_from_slice(&self.held.to_le_bytes()),
            None => self.grow(),
        }
        self.end += (self.count >> 3) as usize;
        self.held = self.held.unbounded_shr(self.count & !7);
        self.count &= 7;
    }

    #[cold]
    fn grow(&mut self) {
        self.out.resize(2 * self.end + 64, 0);
        self.out[self.end..self.end + 8].copy_from_slice(&self.held.to_le_bytes());
    }

    /// Flushes the remaining bits, padded with zeros to a whole byte.
    pub(super) fn finish(self) {
        self.out.truncate(self.end);
        if self.count > 0 {
            self.out.push(self.held as u8);
        }
    }
}

/// Reads bits, least significant first.
///
/// Reading past the end yields zeros; [`BitReader::overrun`] then returns true.
#[derive(Debug)]
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    /// Bits read so far.
    at: usize,
}

impl<'a> BitReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        BitReader { bytes, at: 0 }
    }

    /// Returns the next bits, at least [`MAX_CODE_BITS`], without consuming them.
    #[inline]
    fn peek(&self) -> u64 {
        let from = self.at >> 3;
        let word = match self.bytes.get(from..).and_then(<[u8]>::first_chunk::<8>) {
            Some(word) => u64::from_le_bytes(*word),
            None => self.last_word(from),
        };
        word >> (self.at & 7)
    }

    /// Returns the bytes from `from` to the end, padded with zeros.
    #[cold]
    fn last_word(&self, from: usize) -> u64 {
        let mut word = [0; 8];
        let rest = self.bytes.get(from..).unwrap_or_default();
        word[..rest.len()].copy_from_slice(rest);
        u64::from_le_bytes(word)
    }

    /// Reads the next `bits` bits, at most 32.
    #[inline]
    pub(super) fn get(&mut self, bits: u32) -> u32 {
        let value = self.peek() & ((1_u64 << bits) - 1);
        self.at += bits as usize;
        value as u32
    }

    /// Whether more bits were read than there are.
    #[inline]
    pub(super) fn overrun(&self) -> bool {
        self.at > 8 * self.bytes.len()
    }

    /// Whether only the zero padding of the last byte is left.
    pub(super) fn at_end(&self) -> bool {
        !self.overrun() && 8 * self.bytes.len() - self.at < 8 && self.peek() == 0
    }
}

/// Rice code for one kind of value, with a parameter that follows the mean of past messages.
///
/// Writer and reader update the parameter identically, so it is not transmitted. (R. F. Rice, JPL
/// Publication 79-22, 1979.)
#[derive(Clone, Copy, Debug)]
pub(super) struct Rice {
    /// Number of low bits that are written verbatim.
    parameter: u32,
    /// Mean of recent values, in sixteenths.
    mean: u64,
    /// Number of values in this message, and their sum.
    count: u64,
    sum: u64,
}

/// Number of values that replaces the old mean completely.
const MEAN_WINDOW: u64 = 16;

impl Rice {
    /// Creates a code for values with a mean of about `mean`.
    pub(super) fn with_mean(mean: u32) -> Rice {
        let mean = u64::from(mean) << 4;
        Rice { parameter: parameter(mean), mean, count: 0, sum: 0 }
    }

    #[inline]
    fn record(&mut self, value: u32) {
        self.count += 1;
        self.sum += u64::from(value);
    }

    /// Ends a message: updates the parameter for the next one from this one's values.
    pub(super) fn finish_message(&mut self) {
        if self.count == 0 {
            return;
        }
        // fewer than MEMORY values replace only their share of the old mean
        self.mean = match MEAN_WINDOW.checked_sub(self.count) {
            Some(kept) => (self.mean * kept + (self.sum << 4)) / MEAN_WINDOW,
            None => (self.sum << 4) / self.count,
        };
        (self.count, self.sum) = (0, 0);
        self.parameter = parameter(self.mean);
    }

    #[inline]
    pub(super) fn put(&mut self, bits: &mut BitWriter<'_>, value: u32) {
        let k = self.parameter;
        let high = value >> k;
        if high < ESCAPE {
            // unary quotient: `high` zeros and a one; then the low bits
            let low = u64::from(value) & ((1 << k) - 1);
            bits.put((low << 1 | 1) << high, high + 1 + k);
        } else {
            bits.put(0, ESCAPE);
            bits.put(u64::from(value), 32);
        }
        self.record(value);
    }

    #[inline]
    pub(super) fn get(&mut self, bits: &mut BitReader<'_>) -> u32 {
        let k = self.parameter;
        let next = bits.peek();
        let high = next.trailing_zeros();
        let value = if high < ESCAPE {
            let low = next >> (high + 1) & ((1 << k) - 1);
            bits.at += (high + 1 + k) as usize;
            (high << k) | low as u32
        } else {
            bits.at += ESCAPE as usize;
            bits.get(32)
        };
        self.record(value);
        value
    }

    #[inline]
    pub(super) fn put_signed(&mut self, bits: &mut BitWriter<'_>, value: i32) {
        self.put(bits, ((value << 1) ^ (value >> 31)) as u32);
    }

    #[inline]
    pub(super) fn get_signed(&mut self, bits: &mut BitReader<'_>) -> i32 {
        let value = self.get(bits);
        (value >> 1) as i32 ^ -((value & 1) as i32)
    }
}

/// Returns the Rice parameter k for a mean in sixteenths.
///
/// The shortest code of a geometric distribution has 2^k just below ln 2 times the mean.
fn parameter(mean: u64) -> u32 {
    let scaled = (mean * 11) >> 8;
    if scaled == 0 { 0 } else { (64 - scaled.leading_zeros()).min(MAX_PLAIN_BITS) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_values_come_back(values in proptest::collection::vec(any::<i32>(), 0..200), shift in 0..32) {
            let values: Vec<i32> = values.into_iter().map(|value| value >> shift).collect();
            let mut bytes = Vec::new();
            let mut writer = BitWriter::new(&mut bytes);
            let mut code = Rice::with_mean(5);
            for (at, &value) in values.iter().enumerate() {
                code.put_signed(&mut writer, value);
                if at % 7 == 0 {
                    code.finish_message();
                }
            }
            writer.finish();
            let mut reader = BitReader::new(&bytes);
            let mut code = Rice::with_mean(5);
            let mut read = Vec::new();
            for at in 0..values.len() {
                read.push(code.get_signed(&mut reader));
                if at % 7 == 0 {
                    code.finish_message();
                }
            }
            prop_assert_eq!(read, values);
            prop_assert!(reader.at_end() && !reader.overrun());
        }
    }

    #[test]
    fn reading_beyond_the_end_is_noticed() {
        let mut reader = BitReader::new(&[0xff]);
        assert_eq!(reader.get(8), 0xff);
        assert!(!reader.overrun());
        assert_eq!(reader.get(1), 0);
        assert!(reader.overrun());
    }
}
