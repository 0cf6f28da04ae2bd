//! Integers as bits, by a Rice code that follows their size.

/// Zero bits after which a value is written plainly.
const ESCAPE: u32 = 20;

/// Writes bits, lowest first.
#[derive(Debug)]
pub(super) struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    held: u64,
    count: u32,
}

impl<'a> BitWriter<'a> {
    pub(super) fn new(out: &'a mut Vec<u8>) -> Self {
        BitWriter { out, held: 0, count: 0 }
    }

    /// The `bits` lowest bits of `value`, at most 32; the others must be zero.
    #[inline]
    pub(super) fn put(&mut self, value: u32, bits: u32) {
        self.held |= u64::from(value) << self.count;
        self.count += bits;
        if self.count >= 32 {
            self.out.extend_from_slice(&(self.held as u32).to_le_bytes());
            self.held >>= 32;
            self.count -= 32;
        }
    }

    /// What is left, filled up to a whole byte.
    pub(super) fn finish(self) {
        let bytes = self.count.div_ceil(8) as usize;
        self.out.extend_from_slice(&self.held.to_le_bytes()[..bytes]);
    }
}

/// Reads bits, lowest first. Beyond the end it reads zeros and remembers that.
#[derive(Debug)]
pub(super) struct BitReader<'a> {
    rest: &'a [u8],
    held: u64,
    count: u32,
    overrun: bool,
}

impl<'a> BitReader<'a> {
    pub(super) fn new(rest: &'a [u8]) -> Self {
        BitReader { rest, held: 0, count: 0, overrun: false }
    }

    /// Holds at least 32 bits, or all there are.
    #[inline]
    fn fill(&mut self) {
        if self.count >= 32 {
            return;
        }
        if let Some((word, rest)) = self.rest.split_first_chunk::<4>() {
            self.held |= u64::from(u32::from_le_bytes(*word)) << self.count;
            self.count += 32;
            self.rest = rest;
        } else {
            for &byte in self.rest {
                self.held |= u64::from(byte) << self.count;
                self.count += 8;
            }
            self.rest = &[];
        }
    }

    #[inline]
    fn skip(&mut self, bits: u32) {
        if bits > self.count {
            self.overrun = true;
            self.held = 0;
            self.count = 0;
        } else {
            self.held >>= bits;
            self.count -= bits;
        }
    }

    /// The next `bits` bits, at most 32.
    #[inline]
    pub(super) fn get(&mut self, bits: u32) -> u32 {
        self.fill();
        let value = self.held & ((1_u64 << bits) - 1);
        self.skip(bits);
        value as u32
    }

    /// How many zeros stand before the next one, at most [`ESCAPE`]; takes
    /// them, and the one if there is any within reach.
    #[inline]
    fn zeros(&mut self) -> u32 {
        self.fill();
        let zeros = self.held.trailing_zeros().min(ESCAPE);
        self.skip(if zeros < ESCAPE { zeros + 1 } else { ESCAPE });
        zeros
    }

    /// Whether more was read than there is.
    pub(super) fn overrun(&self) -> bool {
        self.overrun
    }

    /// Whether nothing but the filling of the last byte is left.
    pub(super) fn at_end(&self) -> bool {
        !self.overrun && self.rest.is_empty() && self.count < 8 && self.held == 0
    }
}

/// Adaptive Rice code of one kind of value: the parameter follows a running
/// mean, alike in writer and reader. (R. F. Rice, JPL Publication 79-22, 1979.)
#[derive(Clone, Copy, Debug)]
pub(super) struct Rice {
    /// Mean of recent values, in sixteenths.
    mean: u64,
}

/// Weight of the past in the running mean: an eighth is renewed each time.
const MEMORY: u32 = 3;

impl Rice {
    /// A code for values of about `mean`.
    pub(super) fn about(mean: u32) -> Rice {
        Rice { mean: u64::from(mean) << 4 }
    }

    #[inline]
    fn parameter(&self) -> u32 {
        // 2^k just below ln 2 times the mean is the shortest for a geometric distribution
        let scaled = (self.mean * 11) >> 8;
        if scaled == 0 { 0 } else { (63 - scaled.leading_zeros()).min(24) + 1 }
    }

    #[inline]
    fn learn(&mut self, value: u32) {
        self.mean = self.mean - (self.mean >> MEMORY) + (u64::from(value) << (4 - MEMORY));
    }

    #[inline]
    pub(super) fn put(&mut self, bits: &mut BitWriter<'_>, value: u32) {
        let k = self.parameter();
        let high = value >> k;
        if high < ESCAPE {
            // zeros, then a one
            bits.put(1 << high, high + 1);
            bits.put(value & ((1 << k) - 1), k);
        } else {
            bits.put(0, ESCAPE);
            bits.put(value, 32);
        }
        self.learn(value);
    }

    #[inline]
    pub(super) fn get(&mut self, bits: &mut BitReader<'_>) -> u32 {
        let k = self.parameter();
        let high = bits.zeros();
        let value = if high < ESCAPE { high << k | bits.get(k) } else { bits.get(32) };
        self.learn(value);
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
            let mut code = Rice::about(5);
            values.iter().for_each(|&value| code.put_signed(&mut writer, value));
            writer.finish();
            let mut reader = BitReader::new(&bytes);
            let mut code = Rice::about(5);
            let read: Vec<i32> = values.iter().map(|_| code.get_signed(&mut reader)).collect();
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
