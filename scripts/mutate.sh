#!/bin/sh
# Alters scenarios, vehicles, elevation models, meshes and checkpoints, as many of each as
# the argument says (100000 if none), and tries them all; a second argument is the seed.
# See docs/robustness.md.
set -eu
cd "$(dirname "$0")/.."
export BEKKER_MUTATIONS="${1:-100000}" BEKKER_SEED="${2:-1}"
exec cargo test --test bounds mutations -- --nocapture --test-threads=1
