#!/bin/sh
# Counts the instructions of one step with callgrind, independent of the load of the machine.
#
# Usage: scripts/instructions.sh [PATH_TO_BEKKER] [bench options]
# Example: scripts/instructions.sh target/release/bekker --spacing 0.02
#
# The count per step is the difference of a long and a short drive, which excludes the start. Counts of
# driver, contact, vehicle step and publication are callgrind's inclusive counts of the long drive.
set -eu
bekker=${1:-target/release/bekker}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- --spacing 0.05
step=0.002
short=1.0
long=2.0
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

count() { # seconds, options...
    seconds=$1
    shift
    valgrind --tool=callgrind --callgrind-out-file="$folder/$seconds" \
        "$bekker" --quiet bench --step "$step" --seconds "$seconds" "$@" \
        >/dev/null 2>"$folder/log" || { cat "$folder/log" >&2; exit 1; }
    awk '/^(summary|totals):/ { print $2; exit }' "$folder/$seconds"
}

few=$(count "$short" "$@")
many=$(count "$long" "$@")
steps=$(awk "BEGIN { print int(($long - $short) / $step + 0.5) }")
total=$(awk "BEGIN { print int($long / $step + 0.5) }")
echo "whole step: $(( (many - few) / steps )) instructions"
callgrind_annotate --inclusive=yes --threshold=100 "$folder/$long" 2>/dev/null |
    awk -v steps="$total" '
        /Vehicle::step|wheel_contact|Model>::advance|Symbolic::factorize|Symbolic::solve|Overlay::publish|Published::apply/ && /bekker::/ {
            count = $1
            gsub(",", "", count)
            name = $0
            sub(/^.*bekker::/, "", name)
            sub(/ \[.*$/, "", name)
            sub(/ \([0-9,]+x\)$/, "", name)
            if (!(name in seen)) {
                seen[name] = 1
                printf "  %-60s %d\n", name, count / steps
            }
        }'
