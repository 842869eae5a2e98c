"""What crosses the process boundary: jobs in, run results out, and plain data for every observed value.

Only the standard library is imported here, because the web process, the sandbox service and the process that
runs a person's code all read this file.

A value that a snippet computed travels as *plain data*, never as `repr` text and never as a pickle:

==============================================  ====================================================
Python value                                    plain data (JSON)
==============================================  ====================================================
`None`, `bool`, `str`, small `int`              itself
`float`                                         itself; `{"float": "nan" | "inf" | "-inf"}`
`int` beyond 2**53                              `{"int": "123..."}`
`complex`                                       `{"complex": [re, im]}`
tensor                                          `{"tensor": {"shape": [..], "dtype": "float32", "values": nested}}`
                                                a 0-d tensor has `values` a bare number; non-finite numbers inside
                                                `values` are the strings "nan", "inf", "-inf"; `values` is `null`
                                                for a tensor with more elements than `limits` allows
`torch.Size`                                    `{"shape": [2, 3]}`
`torch.dtype`                                   `{"dtype": "float32"}`
list, tuple                                     `{"list": [..]}`, `{"tuple": [..]}`
dict                                            `{"dict": [[key, value], ..]}`
exception                                       `{"exception": {"type": "RuntimeError", "bases": [..], "message": "."}}`
anything else                                   `{"object": "MulBackward0"}` (the name of its type)
==============================================  ====================================================
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from enum import StrEnum
from typing import Any, TypeAlias

# JSON data; mypy takes no recursive alias here, so the leaves are spelled `Any`.
Plain: TypeAlias = bool | int | float | str | dict[str, Any] | None


class Verdict(StrEnum):
    """How a run ended. Right or wrong is never a verdict."""

    OK = "ok"
    ERROR = "error"
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    KILLED = "killed"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class Program:
    """One run: `code` is executed in a fresh child, then each expression of `observe` is evaluated in order.

    `seed`, from 0 to 2**32 - 1, seeds torch, `random` and NumPy before the code starts.
    """

    code: str
    observe: tuple[str, ...] = ()
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception as data. `line` is the line of the snippet (from 1), or `None` outside of it."""

    type: str
    message: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Observation:
    """What one expression gave: a plain `value`, or `raised` where evaluating it failed."""

    value: Plain = None
    raised: Raised | None = None


@dataclass(frozen=True, slots=True)
class RunResult:
    """What came back from one run. `observations` is empty unless the verdict is `ok` or `error`."""

    verdict: Verdict
    reason: str | None = None
    exception: Raised | None = None
    observations: tuple[Observation, ...] = ()
    stdout: str = ""
    stderr: str = ""
    wall_ms: float = 0.0


@dataclass(frozen=True, slots=True)
class JobResult:
    """The results of a job's programs in order, and where they ran."""

    results: tuple[RunResult, ...]
    torch: str
    python: str
    layers: tuple[str, ...]
    wall_ms: float


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer of the sandbox: whether running code requires it, whether a probe saw its effect, and what it saw."""

    name: str
    required: bool
    engaged: bool
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Health:
    """`state` is `starting`, `ready` or `unavailable`; `message` says what is missing and what to do."""

    state: str
    torch: str = ""
    python: str = ""
    message: str = ""
    layers: tuple[Layer, ...] = ()


@dataclass(frozen=True, slots=True)
class BareForks:
    """How many bare forks of the warm process are made per second: of those that run the sample, of those that end."""

    running_per_s: float
    ending_per_s: float


def to_json(value: Any) -> Any:
    """Return a dataclass of this module as JSON data; plain data in it is handed on, not copied."""
    if is_dataclass(value):
        return {name: to_json(getattr(value, name)) for name in value.__dataclass_fields__}
    return [to_json(one) for one in value] if isinstance(value, tuple) else value


def read_raised(data: Mapping[str, Any] | None) -> Raised | None:
    """Rebuild an exception from `to_json` data."""
    return None if data is None else Raised(data["type"], data["message"], data["line"])


def read_observation(data: Mapping[str, Any]) -> Observation:
    """Rebuild an observation from `to_json` data."""
    return Observation(data["value"], read_raised(data["raised"]))


def read_run_result(data: Mapping[str, Any]) -> RunResult:
    """Rebuild a run result from `to_json` data."""
    return RunResult(
        verdict=Verdict(data["verdict"]),
        reason=data["reason"],
        exception=read_raised(data["exception"]),
        observations=tuple(map(read_observation, data["observations"])),
        stdout=data["stdout"],
        stderr=data["stderr"],
        wall_ms=data["wall_ms"],
    )


def read_job_result(data: Mapping[str, Any]) -> JobResult:
    """Rebuild a job result from `to_json` data."""
    return JobResult(
        results=tuple(map(read_run_result, data["results"])),
        torch=data["torch"],
        python=data["python"],
        layers=tuple(data["layers"]),
        wall_ms=data["wall_ms"],
    )


def read_health(data: Mapping[str, Any]) -> Health:
    """Rebuild a health report from `to_json` data."""
    layers: Sequence[Mapping[str, Any]] = data["layers"]
    return Health(
        data["state"], data["torch"], data["python"], data["message"], tuple(Layer(**layer) for layer in layers)
    )
