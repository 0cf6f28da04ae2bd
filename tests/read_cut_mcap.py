"""Truncates an MCAP at many positions and reads the rest as a stream with the Python package `mcap`.

Every chunk before the cut must be read completely and with a valid checksum, and nothing else.
"""

import io
import struct
import sys

from mcap.exceptions import McapError
from mcap.opcode import Opcode
from mcap.reader import NonSeekingReader
from mcap.records import Chunk
from mcap.stream_reader import StreamReader, breakup_chunk

data = open(sys.argv[1], "rb").read()

# positions at which records begin and end
ends = [8]
while ends[-1] < len(data) - 8:
    (length,) = struct.unpack_from("<Q", data, ends[-1] + 1)
    ends.append(ends[-1] + 9 + length)
assert ends[-1] == len(data) - 8, "records fill the file"
chunks = [end for start, end in zip(ends, ends[1:]) if data[start] == Opcode.CHUNK]
assert len(chunks) > 1, chunks
sizes = []
for record in StreamReader(io.BytesIO(data), emit_chunks=True).records:
    if isinstance(record, Chunk):
        parts = breakup_chunk(record, validate_crc=True)
        sizes.append(sum(type(part).__name__ == "Message" for part in parts))

cuts = {at + by for at in ends for by in (-9, -1, 0, 1, 5, 9)} | set(range(0, len(data), len(data) // 80))
for cut in sorted(cut for cut in cuts if 0 <= cut < len(data)):
    expected = sum(size for end, size in zip(chunks, sizes) if end <= cut)
    found = 0
    reader = NonSeekingReader(io.BytesIO(data[:cut]), validate_crcs=True)
    try:
        for _ in reader.iter_messages(log_time_order=False):
            found += 1
    except (McapError, struct.error):
        pass
    assert found == expected, f"cut at {cut} of {len(data)}: {found} messages, {expected} stand before"
