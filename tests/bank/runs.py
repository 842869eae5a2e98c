"""A stand-in for the sandbox: it answers expressions from a table, per program."""

from collections.abc import Callable, Mapping, Sequence

from app.sandbox.protocol import JobResult, Observation, Plain, Program, Raised, RunResult, Verdict

LAYERS = ("none",)


class Failed:
    """Says that an expression raises."""

    def __init__(self, name: str) -> None:
        self.name = name


Answers = Mapping[str, Plain | Failed]


def result(program: Program, answers: Answers, raises: str | None = None) -> RunResult:
    """Return the result of one program; an expression that `answers` does not have gives `None`."""
    observations = []
    for expression in program.observe:
        answer = answers.get(expression)
        if expression == "raised" and raises is not None:
            answer = {"exception": {"type": raises, "bases": ["Exception"], "message": "m"}}
        failed = isinstance(answer, Failed)
        raised = Raised(answer.name, "m") if isinstance(answer, Failed) else None
        observations.append(Observation(None if failed else answer, raised))  # type: ignore[arg-type]  # narrowed above
    exception = Raised(raises, "m", 5) if raises is not None else None
    verdict = Verdict.ERROR if raises is not None else Verdict.OK
    return RunResult(verdict, exception=exception, observations=tuple(observations))


def stopped(verdict: Verdict) -> RunResult:
    """Return the result of a program that did not run to its end."""
    return RunResult(verdict, reason="stopped")


def job(results: Sequence[RunResult]) -> JobResult:
    """Return results as one job."""
    return JobResult(tuple(results), "2.13.0", "3.11", LAYERS, 1.0)


def answering(answer: Callable[[Program], RunResult]) -> Callable[[Sequence[Program]], JobResult]:
    """Return a run function that asks `answer` for each program."""
    return lambda programs: job([answer(program) for program in programs])
