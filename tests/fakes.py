"""The one seam of the tests: a sandbox that answers what a test wants. The real one runs wherever it counts."""

from collections.abc import Callable, Sequence

from app.errors import UnavailableError
from app.sandbox.client import RETRY_S, SandboxClient
from app.sandbox.protocol import Health, JobResult, Program


class FakeSandbox(SandboxClient):
    """Passes runs on to `behind` until told to fail; counts them."""

    def __init__(self, behind: SandboxClient) -> None:
        self.behind = behind
        self.failure: UnavailableError | None = None
        self.change: Callable[[JobResult], JobResult] | None = None
        self.before: Callable[[], None] | None = None
        self.jobs = 0

    def run(
        self,
        programs: Sequence[Program],
        wall_s: float | None = None,
        *,
        wait_s: float = RETRY_S,
        answer_s: float | None = None,
    ) -> JobResult:
        """Fail, or run for real and change the result."""
        self.jobs += 1
        if self.before is not None:
            self.before()
        if self.failure is not None:
            raise self.failure
        result = self.behind.run(programs, wall_s, wait_s=wait_s, answer_s=answer_s)
        return result if self.change is None else self.change(result)

    def health(self) -> Health:
        """Say the truth about the sandbox behind, or that it is away."""
        if self.failure is not None:
            return Health("unavailable", message=self.failure.message)
        return self.behind.health()

    def close(self) -> None:
        """Leave the sandbox behind open: other tests use it."""
