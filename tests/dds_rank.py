"""A rank over DDS in Python, which runs the contract of the communicator.

Usage: `dds_rank.py DOMAIN RANK SIZE PROGRAM GROUP`. Types and rules are those of
docs/howto/ranks_over_dds.md; the DDS implementation is Eclipse Cyclone DDS.
"""

import os
import random
import struct
import sys
import threading
import time
import zlib
from collections import deque
from dataclasses import dataclass, replace

# only the loopback interface, without multicast
os.environ["CYCLONEDDS_URI"] = """<CycloneDDS><Domain>
  <General><Interfaces><NetworkInterface name="lo"/></Interfaces>
    <AllowMulticast>false</AllowMulticast></General>
  <Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>12</MaxAutoParticipantIndex>
    <Peers><Peer address="127.0.0.1"/></Peers></Discovery>
</Domain></CycloneDDS>"""

from cyclonedds.core import Policy, Qos
from cyclonedds.domain import DomainParticipant
from cyclonedds.idl import IdlStruct
from cyclonedds.idl.types import sequence, uint8, uint16, uint64
from cyclonedds.pub import DataWriter
from cyclonedds.sub import DataReader
from cyclonedds.topic import Topic

PROTOCOL, PORTION, WINDOW, CONFIRMED, BEAT = 1, 48 << 10, 16, 8, 0.5
READY, PAYLOAD, TAKEN, LEAVE = range(4)


@dataclass
class Hello(IdlStruct, typename="bekker.Hello"):
    protocol: uint16
    rank: uint16
    size: uint16
    participant: uint64
    group: str
    program: str
    place: str
    run: sequence[uint64]
    exchange: uint64
    waits: bool


@dataclass
class Refusal(IdlStruct, typename="bekker.Refusal"):
    participant: uint64
    why: str


@dataclass
class Portion(IdlStruct, typename="bekker.Portion"):
    exchange: uint64
    total: uint64
    offset: uint64
    sender: uint16
    kind: uint8
    bytes: sequence[uint8]


CDR = Policy.DataRepresentation(use_cdrv0_representation=True)
BEST_EFFORT = Qos(Policy.Reliability.BestEffort, Policy.Durability.Volatile,
                  Policy.History.KeepAll, CDR)
RELIABLE = Qos(Policy.Reliability.Reliable(10_000_000_000), Policy.Durability.Volatile,
               Policy.History.KeepAll, CDR)


class Rank:
    """One rank, connected to the others."""

    def __init__(self, domain, rank, size, program, group, patience=60.0):
        self.rank, self.size = rank, size
        self.domain = DomainParticipant(domain)
        self.hello = Hello(PROTOCOL, rank, size, random.getrandbits(64), group, program,
                           f"Python process {os.getpid()}", [], 0, False)
        self.hellos = DataReader(self.domain, self.topic("bekker/hello", Hello, BEST_EFFORT),
                                 qos=BEST_EFFORT)
        self.refusals = DataReader(
            self.domain, self.topic("bekker/refusal", Refusal, BEST_EFFORT), qos=BEST_EFFORT)
        self.says = DataWriter(self.domain, self.topic("bekker/hello", Hello, BEST_EFFORT),
                               qos=BEST_EFFORT)
        threading.Thread(target=self.beat, daemon=True).start()
        deadline = time.monotonic() + patience
        self.take_seat(deadline)
        name = f"bekker/{self.hello.run[0]:016x}"
        self.portions = DataReader(
            self.domain, self.topic(f"{name}/{rank}", Portion, RELIABLE), qos=RELIABLE)
        self.others = [other for other in range(size) if other != rank]
        self.writers = {
            other: DataWriter(self.domain, self.topic(f"{name}/{other}", Portion, RELIABLE),
                              qos=RELIABLE)
            for other in self.others}
        self.ready = {}
        self.parts = {other: deque() for other in self.others}
        self.coming = dict.fromkeys(self.others, b"")
        self.taken = dict.fromkeys(self.others, 0)
        self.confirmed = dict.fromkeys(self.others, 0)
        self.sent = dict.fromkeys(self.others, 0)
        self.be_ready(deadline)

    def topic(self, name, of, qos):
        return Topic(self.domain, name, of, qos=qos)

    def came(self, reader, of):
        """Returns samples, without the notices of writers that are gone."""
        return [own for own in reader.take(100) if isinstance(own, of)]

    def beat(self):
        while True:
            self.says.write(self.hello)
            time.sleep(BEAT)

    def take_seat(self, deadline):
        own = self.hello
        while not own.run:
            if time.monotonic() > deadline:
                sys.exit(f"rank {self.rank}: rank 0 does not say that all are there")
            for refusal in self.came(self.refusals, Refusal):
                if refusal.participant == own.participant:
                    sys.exit(f"refused: {refusal.why}")
            for hello in self.came(self.hellos, Hello):
                run = list(hello.run)
                if hello.rank == 0 and hello.group == own.group and own.participant in run:
                    self.hello = own = replace(own, run=run)
            time.sleep(0.01)

    def be_ready(self, deadline):
        heard = lambda: sum(1 << rank for rank in [self.rank, *self.ready])
        while True:
            for other in self.others:
                self.write(other, READY, total=heard())
            self.take()
            if all(self.ready.get(other, 0) >> self.rank & 1 for other in self.others):
                break
            if time.monotonic() > deadline:
                sys.exit(f"rank {self.rank}: ready are {sorted(self.ready)}")
            time.sleep(0.1)
        for other in self.others:
            self.write(other, READY, total=heard())

    def write(self, to, kind, total=0, offset=0, data=b""):
        self.writers[to].write(
            Portion(self.hello.exchange, total, offset, self.rank, kind, list(data)))

    def take(self):
        for portion in self.came(self.portions, Portion):
            rank = portion.sender
            if portion.kind == READY:
                self.ready[rank] = portion.total
            elif portion.kind == TAKEN:
                self.confirmed[rank] = portion.total
            elif portion.kind == LEAVE:
                self.parts[rank].append((None, None))
                self.taken[rank] += 1
                self.write(rank, TAKEN, total=self.taken[rank])
            else:
                assert portion.offset == len(self.coming[rank]), "a portion out of order"
                self.coming[rank] += bytes(portion.bytes)
                if len(self.coming[rank]) == portion.total:
                    self.parts[rank].append((portion.exchange, self.coming[rank]))
                    self.coming[rank] = b""
                self.taken[rank] += 1
                if self.taken[rank] % CONFIRMED == 0:
                    self.write(rank, TAKEN, total=self.taken[rank])

    def until(self, found, what, patience=60.0):
        deadline = time.monotonic() + patience
        while not found():
            if time.monotonic() > deadline:
                sys.exit(f"rank {self.rank}: {what}")
            self.take()
            time.sleep(0.0002)

    def send(self, to, data):
        for offset in range(0, max(len(data), 1), PORTION):
            self.until(lambda: self.sent[to] < self.confirmed[to] + WINDOW, f"{to} takes nothing")
            self.write(to, PAYLOAD, len(data), offset, data[offset:offset + PORTION])
            self.sent[to] += 1

    def exchange(self, to, senders):
        """Sends `to[rank]` to each rank. Returns the data received from each sender, in their order."""
        self.hello = replace(self.hello, exchange=self.hello.exchange + 1)
        for rank, data in to.items():
            self.send(rank, data)
        self.hello = replace(self.hello, waits=True)
        received = []
        for rank in senders:
            self.until(lambda: self.parts[rank], f"{rank} sends nothing")
            exchange, data = self.parts[rank].popleft()
            if exchange != self.hello.exchange:
                sys.exit(f"rank {self.rank}: {rank} has left or is out of step")
            received.append(data)
        self.hello = replace(self.hello, waits=False)
        return received

    def all_gather(self, mine):
        received = self.exchange({other: mine for other in self.others}, self.others)
        received.insert(self.rank, mine)
        return received

    def star(self, mine):
        """Sends data to rank 0, which forwards all data to all ranks. This rank is not rank 0."""
        self.exchange({0: mine}, [])
        [bundle] = self.exchange({}, [0])
        assert zlib.crc32(bundle[4:]) == struct.unpack_from("<I", bundle)[0]
        lengths = struct.unpack_from(f"<{self.size}Q", bundle, 4)
        parts, at = [], 4 + 8 * self.size
        for length in lengths:
            parts.append(bundle[at:at + length])
            at += length
        return parts

    def leave(self):
        for other in self.others:
            self.sent[other] += 1
            self.write(other, LEAVE)
        ended = lambda other: self.confirmed[other] >= self.sent[other] or (None, None) in self.parts[other]
        deadline = time.monotonic() + 10.0
        while not all(map(ended, self.others)) and time.monotonic() < deadline:
            self.take()
            time.sleep(0.001)


def sent(rank, turn):
    """Returns the data that a rank sends in a round of the contract."""
    length = [0, 1, 1000 * (rank + 1), 65536, 300_000 + rank][(rank + turn) % 5]
    return bytes((at * 31 + rank * 7 + turn) % 256 for at in range(length))


def play(own):
    here, size = own.rank, own.size
    for turn in range(12):
        assert own.all_gather(sent(here, turn)) == [sent(rank, turn) for rank in range(size)]
        assert own.star(sent(here, turn + 1)) == [sent(rank, turn + 1) for rank in range(size)]
    receivers = lambda rank: sorted({0, (rank + 2) % size} - {rank})
    for turn in range(12):
        to = {other: sent(here + other, turn) for other in receivers(here)}
        senders = [rank for rank in range(size) if here in receivers(rank)]
        received = own.exchange(to, senders)
        assert received == [sent(rank + here, turn) for rank in senders]


if __name__ == "__main__":
    domain, rank, size, program, group = sys.argv[1:]
    own = Rank(int(domain), int(rank), int(size), program, group)
    play(own)
    own.leave()
    print(f"rank {rank} of {size} kept the contract")
