//! Shards of distributed work.

use crate::report::study::Shard;

/// Parses a shard such as `2/3`.
pub fn shard(text: &str) -> Result<Shard, String> {
    let wrong = || "must be I/N with N from 1 to 1000000 and I from 1 to N, such as 2/3".to_owned();
    let (index, of) = text.split_once('/').ok_or_else(wrong)?;
    let shard = Shard {
        index: index.trim().parse().map_err(|_| wrong())?,
        of: of.trim().parse().map_err(|_| wrong())?,
    };
    let is_one = (1..=1_000_000).contains(&shard.of) && (1..=shard.of).contains(&shard.index);
    if is_one { Ok(shard) } else { Err(wrong()) }
}
