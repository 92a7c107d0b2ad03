#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write what some layers leave on a device of theirs, where their own programs need a kernel or are rarely installed.

signature.py KIND FILE: the file keeps its size. Checksums are right, so that libblkid takes it for real.
"""

import os
import struct
import sys
import uuid

KIB, MIB = 1 << 10, 1 << 20


def crc_table(poly):
    table = []
    for i in range(256):
        for _ in range(8):
            i = i >> 1 ^ (poly if i & 1 else 0)
        table.append(i)
    return table


def crc(data, poly, start):
    table = crc_table(poly)
    for byte in data:
        start = start >> 8 ^ table[(start ^ byte) & 0xFF]
    return start


def put(f, at, data):
    f.seek(at)
    f.write(data)


def md_1(f, size, at):
    """Superblock of version 1.x: 256 bytes of head, then the roles of the devices."""
    sb = bytearray(256 + 2 * 128)
    struct.pack_into("<III", sb, 0, 0xA92B4EFC, 1, 0)
    sb[16:32] = uuid.uuid4().bytes
    sb[32:44] = b"host:scratch"
    # Level 1, both sectors and devices as a mirror of two has them.
    struct.pack_into("<QIIQII", sb, 64, 0, 1, 0, size // 512 - 64, 0, 2)
    struct.pack_into("<QQQ", sb, 128, 64, size // 512 - 64, at // 512)
    sb[168:184] = uuid.uuid4().bytes
    struct.pack_into("<I", sb, 220, 128)
    for i in range(128):
        struct.pack_into("<H", sb, 256 + 2 * i, i if i < 2 else 0xFFFF)
    words = struct.unpack("<%dI" % (len(sb) // 4), sb)
    total = sum(words)
    struct.pack_into("<I", sb, 216, (total + (total >> 32)) & 0xFFFFFFFF)
    put(f, at, sb)


def md_12(f, size):
    md_1(f, size, 4 * KIB)


def md_10(f, size):
    md_1(f, size, (size // 512 - 16 & ~7) * 512)


def md_090(f, size):
    sb = bytearray(4 * KIB)
    struct.pack_into("<IIII", sb, 0, 0xA92B4EFC, 0, 90, 0)
    struct.pack_into("<I", sb, 20, 0x12345678)
    put(f, (size & ~(64 * KIB - 1)) - 64 * KIB, sb)


def lvm(f, _):
    """A label in sector 1, which leads to the metadata at 4 KiB."""
    label = bytearray(512)
    label[0:8] = b"LABELONE"
    struct.pack_into("<Q", label, 8, 1)
    struct.pack_into("<I", label, 20, 32)
    label[24:32] = b"LVM2 001"
    label[32:64] = b"k3SfBg2yQm8WnXcT4LrPzVhJdEaYu9oi"
    struct.pack_into("<I", label, 16, crc(label[20:], 0xEDB88320, 0xF597A6CF))
    put(f, 512, label)
    put(f, 4 * KIB + 4, b" LVM2 x[5A%r0N*>")


def btrfs_super(at):
    sb = bytearray(4 * KIB)
    sb[32:48] = uuid.uuid4().bytes
    struct.pack_into("<QQ8sQQ", sb, 48, at, 0, b"_BHRfS_M", 1, 0)
    struct.pack_into("<QQQQQQQ", sb, 88, 0, 0, 0, 256 * MIB, MIB, 6, 1)
    struct.pack_into("<IIIII", sb, 144, 4096, 16384, 16384, 4096, 0)
    struct.pack_into("<I", sb, 0, crc(sb[32:], 0x82F63B78, 0xFFFFFFFF) ^ 0xFFFFFFFF)
    return sb


def btrfs(f, size):
    for at in (64 * KIB, 64 * MIB):
        if at + 4 * KIB <= size:
            put(f, at, btrfs_super(at))


def luks2(f, _):
    for at, magic in ((0, b"LUKS\xba\xbe"), (16 * KIB, b"SKUL\xba\xbe")):
        header = bytearray(4 * KIB)
        header[0:6] = magic
        struct.pack_into(">HQQ", header, 6, 2, 16 * KIB, 1)
        header[72:78] = b"sha256"
        header[168:204] = str(uuid.uuid4()).encode()
        struct.pack_into(">Q", header, 256, at)
        put(f, at, header)


def zfs(f, size):
    """Uberblocks of all four labels; each name of the pool lies before them in a list of names and values."""
    size &= ~(256 * KIB - 1)
    for at in (0, 256 * KIB, size - 512 * KIB, size - 256 * KIB):
        name, value = b"name", b"tank"
        # The name's length, itself, the type of a text (9), one element, and the text.
        pair = struct.pack(">I", len(name)) + name + struct.pack(">III", 9, 1, len(value)) + value
        pair = struct.pack(">II", len(pair) + 8, 32) + pair
        head = struct.pack(">BBHII", 1, 1, 0, 0, 1)
        put(f, at + 16 * KIB, head[:4] + struct.pack(">II", 0, 1) + pair + bytes(8))
        for i in range(128):
            put(f, at + 128 * KIB + i * KIB, struct.pack("<QQQ", 0x00BAB10C, 5000, i))


def main():
    kinds = {
        "md-1.2": md_12,
        "md-1.0": md_10,
        "md-0.90": md_090,
        "lvm": lvm,
        "btrfs": btrfs,
        "luks2": luks2,
        "zfs": zfs,
    }
    size = os.stat(sys.argv[2]).st_size
    with open(sys.argv[2], "r+b") as f:
        kinds[sys.argv[1]](f, size)


main()
