"""Running the programs of one item: in batches, each program once per attempt, results remembered."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from app.sandbox.protocol import JobResult, Observation, Program, RunResult, Verdict

Run: TypeAlias = Callable[[Sequence[Program]], JobResult]

BATCH = 16
FIRST, RESEEDED, REPEATED = 0, 1, 2
SEED = 1
CUT_SHORT = frozenset({Verdict.INTERNAL, Verdict.KILLED, Verdict.TIME_LIMIT})


@dataclass(slots=True)
class Lab:
    """Runs programs and remembers their results per attempt: the first, one with another seed, one like the first.

    A run that was cut short is made once more, because a busy machine is no mistake of an item.
    """

    run: Run
    results: dict[tuple[Program, int], RunResult] = field(default_factory=dict)
    runs: int = 0
    probes: int = 0
    torch: str = ""
    python: str = ""
    layers: tuple[str, ...] = ()

    @property
    def programs(self) -> int:
        """Return how many different programs were run."""
        return len({program for program, _ in self.results})

    def execute(self, programs: Iterable[Program], attempts: Sequence[int] = (FIRST,)) -> None:
        """Run what has not been run yet of these attempts at each program."""
        wanted = dict.fromkeys((program, attempt) for program in programs for attempt in attempts)
        fresh = [one for one in wanted if one not in self.results]
        self._pass(fresh)
        self._pass([one for one in fresh if self.results[one].verdict in CUT_SHORT])

    def _pass(self, wanted: Sequence[tuple[Program, int]]) -> None:
        for start in range(0, len(wanted), BATCH):
            batch = wanted[start : start + BATCH]
            job = self.run([seeded(program) if attempt == RESEEDED else program for program, attempt in batch])
            missing = [RunResult(Verdict.INTERNAL, reason="no result came back")] * len(batch)
            self.results.update(zip(batch, [*job.results, *missing], strict=False))
            self.torch, self.python, self.layers = job.torch, job.python, job.layers
            self.runs += len(batch)
            self.probes += sum(len(program.observe) for program, _ in batch)

    def result(self, program: Program, attempt: int = FIRST) -> RunResult:
        """Return what came back from a program that was run."""
        return self.results[program, attempt]

    def job(self, programs: Iterable[Program]) -> JobResult:
        """Return the first results of some programs as one job."""
        return JobResult(tuple(map(self.result, programs)), self.torch, self.python, self.layers, 0.0)

    def seen(self, program: Program, attempt: int = FIRST) -> dict[str, Observation]:
        """Return what each expression of a program gave."""
        return dict(zip(program.observe, self.result(program, attempt).observations, strict=False))


def seeded(program: Program) -> Program:
    """Return the same program with another state of every random generator."""
    return replace(program, seed=SEED)
