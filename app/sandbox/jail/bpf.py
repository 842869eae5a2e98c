"""A small assembler for classic BPF: labels in, the kernel's 8-byte instructions out."""

import struct
from dataclasses import dataclass, field

LOAD = 0x20  # ld [offset], a 32-bit word
AND = 0x54  # alu and
JUMP_EQUAL = 0x15
JUMP_GREATER_EQUAL = 0x35
RETURN = 0x06
NEXT = ""


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction; `yes` and `no` are labels to jump to, or `NEXT`."""

    code: int
    value: int
    yes: str = NEXT
    no: str = NEXT


@dataclass(slots=True)
class Assembly:
    """Instructions in order and the labels among them. Jumps go forward only, as the kernel demands."""

    instructions: list[Instruction] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)

    def load(self, offset: int) -> None:
        """Load the 32-bit word at `offset` of the call's data."""
        self.instructions.append(Instruction(LOAD, offset))

    def mask(self, bits: int) -> None:
        """Keep only `bits` of what was loaded."""
        self.instructions.append(Instruction(AND, bits))

    def if_equal(self, value: int, yes: str = NEXT, no: str = NEXT) -> None:
        """Jump by whether the loaded word equals `value`."""
        self.instructions.append(Instruction(JUMP_EQUAL, value, yes, no))

    def if_at_least(self, value: int, yes: str = NEXT, no: str = NEXT) -> None:
        """Jump by whether the loaded word is at least `value`."""
        self.instructions.append(Instruction(JUMP_GREATER_EQUAL, value, yes, no))

    def answer(self, value: int) -> None:
        """Return `value` to the kernel."""
        self.instructions.append(Instruction(RETURN, value))

    def label(self, name: str) -> None:
        """Name the next instruction."""
        if name in self.labels:
            raise ValueError(f"label {name} is set twice")
        self.labels[name] = len(self.instructions)

    def code(self) -> bytes:
        """Return the program as the kernel reads it."""
        return b"".join(self._pack(at, one) for at, one in enumerate(self.instructions))

    def _pack(self, at: int, one: Instruction) -> bytes:
        return struct.pack("<HBBI", one.code, self._offset(at, one.yes), self._offset(at, one.no), one.value)

    def _offset(self, at: int, label: str) -> int:
        if label == NEXT:
            return 0
        offset = self.labels[label] - at - 1
        if not 0 <= offset <= 255:
            raise ValueError(f"label {label} is {offset} instructions away")
        return offset
