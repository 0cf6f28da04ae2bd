//! Deserialization of lists with a bounded length.

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

/// List of at most `MOST` elements; deserialization fails at the first element beyond that.
#[derive(Clone, Debug)]
pub(super) struct BoundedVec<T, const MOST: usize>(Vec<T>);

impl<T, const MOST: usize> Default for BoundedVec<T, MOST> {
    fn default() -> Self {
        BoundedVec(Vec::new())
    }
}

impl<T, const MOST: usize> Deref for BoundedVec<T, MOST> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<'de, T: Deserialize<'de>, const MOST: usize> Deserialize<'de> for BoundedVec<T, MOST> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Elements<T, const MOST: usize>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for Elements<T, MOST> {
            type Value = BoundedVec<T, MOST>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a list of at most {MOST} elements")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut elements = Vec::new();
                while let Some(element) = list.next_element()? {
                    if elements.len() == MOST {
                        let what = format!("a list of more than {MOST} elements; must be shorter");
                        return Err(A::Error::custom(what));
                    }
                    elements.push(element);
                }
                Ok(BoundedVec(elements))
            }
        }

        from.deserialize_seq(Elements(PhantomData))
    }
}

/// Returns whether a JSON holds more than `most` values, counted by their separators outside of
/// strings.
pub(super) fn has_more_values(json: &[u8], most: usize) -> bool {
    let (mut count, mut in_text, mut at) = (0, false, 0);
    while let Some(&byte) = json.get(at) {
        match byte {
            b'\\' if in_text => at += 1,
            b'"' => in_text = !in_text,
            b',' | b'[' | b'{' if !in_text => count += 1,
            _ => {}
        }
        if count > most {
            return true;
        }
        at += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_refused_at_the_first_element_too_many() {
        let list: BoundedVec<u8, 3> = serde_json::from_str("[1, 2, 3]").unwrap();
        assert_eq!(*list, [1, 2, 3]);
        // the rest is not read
        let error = serde_json::from_str::<BoundedVec<u8, 3>>("[1, 2, 3, 4, oops").unwrap_err();
        assert!(error.to_string().starts_with("a list of more than 3 elements"), "{error}");
    }

    #[test]
    fn values_are_counted_by_separators_outside_of_texts() {
        assert!(!has_more_values(br#"{"a,,[\",{": [1, 2]}"#, 3));
        assert!(has_more_values(br#"{"a,,[\",{": [1, 2, 3]}"#, 3));
        assert!(!has_more_values(b"", 0));
    }
}
