"""Makes a long page from a short one, with the size of a run of hours.

Usage: `long_page.py PAGE LONGER MEGABYTES`. Repeats the frames of a page written by `--html`, with increasing times,
until the file has the given size.
"""

import base64
import gzip
import json
import re
import struct
import sys


def main(page, longer, megabytes):
    text = open(page, encoding="utf-8").read()
    found = re.search(r'(<script[^>]*id="recording"[^>]*>)([^<]*)', text)
    stream, messages, at = gzip.decompress(base64.b64decode(found[2])), [], 0
    while at < len(stream):
        length, = struct.unpack_from("<I", stream, at)
        messages.append(stream[at + 4:at + 4 + length])
        at += 4 + length
    scene = next(at for at, own in enumerate(messages) if own[0] == 0 and json.loads(own[1:])["kind"] == "scene")
    frames = [own for own in messages if own[0] == 5]
    span = struct.unpack_from("<d", frames[-1], 1)[0] + 0.05
    # compressed size of one cycle: the distance to the next one is too large for deflate
    size = len(gzip.compress(b"".join(frames), 6))
    wanted = megabytes * 1_000_000 * 3 // 4 - len(found[2]) * 3 // 4
    cycles = max(1, wanted // size)
    told = json.loads(messages[scene][1:])
    told["duration"] = span * (cycles + 1)
    messages[scene] = b"\0" + json.dumps(told).encode()
    said = lambda own: struct.pack("<I", len(own)) + own
    whole = [said(own) for own in messages]
    for cycle in range(1, cycles + 1):
        for own in frames:
            time, = struct.unpack_from("<d", own, 1)
            whole.append(said(own[:1] + struct.pack("<d", time + cycle * span) + own[9:]))
    recording = base64.b64encode(gzip.compress(b"".join(whole), 6)).decode()
    with open(longer, "w", encoding="utf-8") as file:
        file.write(text[:found.start(2)] + recording + text[found.end(2):])
    print(told["duration"])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
