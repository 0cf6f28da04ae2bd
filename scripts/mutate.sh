#!/bin/sh
# Mutates scenarios, vehicles, elevation models, meshes and checkpoints, and tests each mutation.
# Arguments: number of mutations of each kind (default: 100000) and seed (default: 1).
# See docs/robustness.md.
set -eu
cd "$(dirname "$0")/.."
export BEKKER_MUTATIONS="${1:-100000}" BEKKER_SEED="${2:-1}"
exec cargo test --test bounds mutations -- --nocapture --test-threads=1
