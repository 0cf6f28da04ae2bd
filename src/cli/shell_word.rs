//! Quoting of words in printed shell commands.

/// Quotes a word for a shell if it has special characters.
pub fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::shell_word;

    #[test]
    fn words_are_quoted_where_a_shell_needs_it() {
        for (word, expected) in [
            ("runs/a-1.toml", "runs/a-1.toml"),
            ("my runs", "'my runs'"),
            ("", "''"),
            ("it's", "'it'\\''s'"),
            ("$(rm)", "'$(rm)'"),
        ] {
            assert_eq!(shell_word(word), expected);
        }
    }
}
