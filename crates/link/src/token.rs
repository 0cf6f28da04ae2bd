//! The secret that authenticates peers of a run.

use super::LinkError;
use std::fmt;

/// Number of random bytes in a token.
const DRAWN: usize = 16;
/// Longest token that is accepted, characters.
const LONGEST: usize = 128;

/// The shared secret that every peer must present.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// Draws a random token of 32 hexadecimal digits.
    ///
    /// # Errors
    /// [`LinkError::Random`] when the system provides no random bytes.
    pub fn random() -> Result<Token, LinkError> {
        let mut bytes = [0; DRAWN];
        getrandom::fill(&mut bytes)
            .map_err(|error| LinkError::Random { cause: error.to_string() })?;
        Ok(Token(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Creates a token from letters, digits, `-` and `_`, at most 128 of them.
    ///
    /// # Errors
    /// [`LinkError::Token`] for any other text.
    pub fn fixed(text: &str) -> Result<Token, LinkError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let known = !text.is_empty() && text.len() <= LONGEST && text.chars().all(plain);
        known.then(|| Token(text.into())).ok_or(LinkError::Token { length: text.len() })
    }

    /// Whether `given` equals the token. The comparison takes the same time wherever they differ.
    pub fn matches(&self, given: &str) -> bool {
        let pairs = self.0.bytes().zip(given.bytes());
        let differs = pairs.fold(0, |differs, (a, b)| differs | (a ^ b));
        differs == 0 && self.0.len() == given.len()
    }

    /// Returns the secret.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_match_only_themselves() {
        let token = Token::random().unwrap();
        assert_eq!(token.reveal().len(), 32);
        assert!(token.matches(token.reveal()) && token != Token::random().unwrap());
        let fixed = Token::fixed("ab_1").unwrap();
        assert!(["", "ab_", "ab_2", "ab_11"].iter().all(|other| !fixed.matches(other)));
        assert!(["", "a b", "a&b"].iter().all(|text| Token::fixed(text).is_err()));
    }
}
