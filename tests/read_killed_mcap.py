"""Reads MCAPs of killed processes with the Python package `mcap`, with and without their index.

Verifies every checksum, and prints the number of messages that each method finds.
"""

import sys

from mcap.reader import NonSeekingReader, SeekingReader

for path in sys.argv[1:]:
    with open(path, "rb") as file:
        reader = SeekingReader(file, validate_crcs=True)
        has_index = reader.get_summary() is not None
        indexed = [
            (channel.topic, message.sequence)
            for _, channel, message in reader.iter_messages(log_time_order=False)
        ]
    with open(path, "rb") as file:
        walked = [
            (channel.topic, message.sequence)
            for _, channel, message in NonSeekingReader(file, validate_crcs=True).iter_messages(
                log_time_order=False
            )
        ]
    for found in (indexed, walked):
        assert len(found) == len(set(found)), f"{path}: a message twice"
        counts = {}
        for topic, sequence in found:
            assert sequence == counts.get(topic, 0), f"{path}: {topic} lacks a message"
            counts[topic] = sequence + 1
    # chunks after the last index are found only by reading without the index
    assert indexed == walked[: len(indexed)], path
    print(len(indexed), len(walked), has_index)
