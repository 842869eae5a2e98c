"""An interpreter of classic BPF, so that a policy can be asked without being put in force."""

import struct


def answer(code: bytes, data: bytes) -> int:
    """Run the program `code` over `data` and return what it returns."""
    program = list(struct.iter_unpack("<HBBI", code))
    accumulator, at = 0, 0
    while True:
        opcode, yes, no, value = program[at]
        at += 1
        if opcode == 0x20:
            (accumulator,) = struct.unpack_from("<I", data, value)
        elif opcode == 0x54:
            accumulator &= value
        elif opcode == 0x05:
            at += value
        elif opcode == 0x06:
            return int(value)
        else:
            holds = {
                0x15: accumulator == value,
                0x25: accumulator > value,
                0x35: accumulator >= value,
                0x45: bool(accumulator & value),
            }
            at += yes if holds[opcode] else no
