#!/usr/bin/env bash
# Prints the public items of all types and functions of `bekker::prelude`, one a line. docs/public_api.txt
# holds its output; `.ci/run api` compares both. To accept a change: scripts/public_api.sh > docs/public_api.txt
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/public_api
tool=$(command -v cargo-public-api) || tool=$CARGO_TARGET_DIR/bin/cargo-public-api
[ -x "$tool" ] || cargo install --quiet --locked --root "$CARGO_TARGET_DIR" cargo-public-api@0.52.0 >&2

# Lines such as `pub use bekker_world::{World, WorldModel};`, as "crate name".
names=$(sed -n 's/^pub use \(bekker_[a-z_]*\)::\(.*\);/\1 \2/p' src/prelude.rs |
    awk '{ gsub(/[{},]/, " "); for (k = 2; k <= NF; k++) { n = split($k, path, "::"); print $1, path[n] } }')
for crate in $(cut -d' ' -f1 <<<"$names" | sort -u); do
    # JSON of rustdoc is not yet stable.
    RUSTC_BOOTSTRAP=1 cargo rustdoc --quiet --locked -p "${crate//_/-}" --lib -- -Z unstable-options --output-format json >&2
    listed=$(grep "^$crate " <<<"$names" | cut -d' ' -f2 | sort -u | paste -sd'|')
    "$tool" public-api --rustdoc-json "$CARGO_TARGET_DIR/doc/$crate.json" -sss |
        grep -E "\b$crate::([a-z0-9_]+::)*($listed)\b" || true
done | LC_ALL=C sort -u
