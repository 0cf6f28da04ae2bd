"""Opens MCAPs of processes that were killed, by the project's own package for Python (`mcap`): by
their index and without it, every checksum verified. Prints how many messages each way finds."""

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
    # chunks since the last index are found by walking alone
    assert indexed == walked[: len(indexed)], path
    print(len(indexed), len(walked), has_index)
