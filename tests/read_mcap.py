"""Reads an MCAP with the project's own packages for Python, which share nothing with
our writer: checksums, index and summary (`mcap`), messages by the descriptors in the file
(`mcap-protobuf-support`) and, where they are installed, by Foxglove's own classes
(`foxglove-schemas-protobuf`). Prints what it found as JSON."""

import importlib
import json
import sys

from google.protobuf.json_format import MessageToDict
from mcap.reader import SeekingReader, make_reader
from mcap.stream_reader import StreamReader
from mcap_protobuf.decoder import DecoderFactory

path = sys.argv[1]
topics = {}
own_classes = 0

# record by record, every checksum verified
for record in StreamReader(open(path, "rb"), validate_crcs=True).records:
    pass

with open(path, "rb") as file:
    reader = make_reader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
    assert isinstance(reader, SeekingReader)
    summary = reader.get_summary()
    last = -1
    for schema, channel, message, decoded in reader.iter_decoded_messages():
        assert message.log_time >= last, "messages in the order of their log times"
        last = message.log_time
        topic = topics.setdefault(
            channel.topic, {"schema": schema.name, "count": 0, "log_times": [], "messages": []}
        )
        topic["count"] += 1
        topic["log_times"].append(message.log_time)
        package, name = schema.name.rsplit(".", 1)
        fields = MessageToDict(decoded, preserving_proto_field_name=True)
        if package == "foxglove":
            try:
                module = importlib.import_module(f"foxglove_schemas_protobuf.{name}_pb2")
            except ImportError:
                module = None
            if module is not None:
                theirs = getattr(module, name)()
                theirs.ParseFromString(message.data)
                assert MessageToDict(theirs, preserving_proto_field_name=True) == fields, schema.name
                own_classes += 1
        if "data" in fields:
            fields["data"] = len(decoded.data)
        if topic["count"] <= 3:
            topic["messages"].append(fields)
    statistics = summary.statistics
    counts = {summary.channels[k].topic: n for k, n in statistics.channel_message_counts.items()}
    assert counts == {name: topic["count"] for name, topic in topics.items()}, "statistics"
    assert statistics.message_count == sum(counts.values())
    assert statistics.chunk_count == len(summary.chunk_indexes)

print(json.dumps({"topics": topics, "checked_by_foxglove_classes": own_classes}))
