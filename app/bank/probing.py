"""From a variant to programs (`plan`), and from what they gave to the key with its evidence (`read`). Pure.

The key is read, never assumed: an option is right because its probe came out true, a repair because the patched
snippet is healthy, a culprit line because a working repair touches it, a cause because the effect goes without it.
The file's `expect` is then compared with that; where they differ the item is not issued.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from app.bank.author_values import exception
from app.bank.evidence import Disagreement, Evidence, ExpressionSeen, Key, OptionSeen, Reading
from app.bank.item import EdgeCase, RepairMatrix, SpotTheError, TrueFalse, Why
from app.bank.parts import NONE, answers, bug_part, culprit_lines, show_answer
from app.bank.plans import Plan, Step
from app.bank.showing import show, show_observation
from app.bank.snippets import QUOTED, operands, quotes
from app.bank.values import same
from app.bank.variants import Variant
from app.sandbox.protocol import JobResult, Observation, Plain, RunResult, Verdict

_ENDED = (Verdict.OK, Verdict.ERROR)
RAISED = re.compile(r"\braised\b")
_TICKED = re.compile(rf"`\s*{QUOTED.pattern}\s*`|{QUOTED.pattern}", re.DOTALL)


def read(variant: Variant, plan: Plan, job: JobResult) -> Reading:
    """Return the observed key of a variant, its evidence, and each point where the run contradicts the file."""
    reader = _Reader(plan, job)
    item = variant.item
    match item:
        case TrueFalse():
            right = _read_true_false(item, reader)
        case SpotTheError():
            right = _read_spot(item, reader)
        case EdgeCase():
            right = _read_edge(item, reader)
        case Why():
            right = _read_why(item, reader)
        case RepairMatrix():
            right = _read_matrix(item, reader)
    values = reader.asked if isinstance(item, EdgeCase) else ()
    return Reading(
        key=Key(right, values),
        evidence=_evidence(item.explanation, reader),
        disagreements=tuple(reader.disagreements),
        undecided=tuple(dict.fromkeys(reader.undecided)),
    )


def truth_of(observation: Observation) -> bool | None:
    """Return the truth value of a probe; `None` where it raised or gave anything but a bool."""
    value = observation.value
    if isinstance(value, dict) and isinstance(value.get("tensor"), dict):
        value = value["tensor"].get("values")  # `a == b` of two 0-d tensors is a 0-d bool tensor
    return value if observation.raised is None and isinstance(value, bool) else None


def quoted(explanation: str, evidence: Evidence) -> str:
    """Return the Markdown of an explanation with every `{{ expression }}` replaced by what was observed, as code."""

    def value_of(match: re.Match[str]) -> str:
        observation = evidence.quoted.get((match[1] or match[2]).strip())
        return _as_code("not observed" if observation is None else show_observation(observation))

    return _TICKED.sub(value_of, explanation)


def _as_code(text: str) -> str:
    """Return text as a Markdown code span, its fence longer than any run of backticks inside."""
    text = " ".join(text.split()) or " "
    fence = "`" * (1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    padding = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{padding}{text}{padding}{fence}"


@dataclass(slots=True)
class _Reader:
    """The results of one job by program and expression, and what has been found wrong so far."""

    plan: Plan
    job: JobResult
    options: list[OptionSeen] = field(default_factory=list)
    also: list[OptionSeen] = field(default_factory=list)
    disagreements: list[Disagreement] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    asked: tuple[Observation, ...] = ()

    def result(self, run: int) -> RunResult:
        if run < len(self.job.results):
            return self.job.results[run]
        return RunResult(Verdict.INTERNAL, reason="no result came back")

    def ended(self, run: int) -> bool:
        """Say whether a program ran to its end, an exception of its own included; report where it did not."""
        result = self.result(run)
        if result.verdict in _ENDED:
            return True
        reason = f" ({result.reason})" if result.reason else ""
        self.undecided.append(f"The run of {_named(self.plan.steps[run])} ended with {result.verdict}{reason}.")
        return False

    def observation(self, run: int, expression: str) -> Observation | None:
        observe, seen = self.plan.programs[run].observe, self.result(run).observations
        place = observe.index(expression) if expression in observe else len(seen)
        return seen[place] if place < len(seen) else None

    def seen(self, run: int, probe: str) -> tuple[ExpressionSeen, ...]:
        """Return what a probe compared; an operand that the probe never came to (it raises alone) is left out."""
        decided = self.observation(run, probe)
        all_shown = decided is None or decided.raised is not None
        pairs = ((operand, self.observation(run, operand)) for operand in operands(probe))
        return tuple(
            ExpressionSeen(operand, found)
            for operand, found in pairs
            if found is not None and (all_shown or found.raised is None)
        )

    def truth(self, probe: str, name: str) -> bool | None:
        """Return what a probe of the truth run says, and report one that says nothing."""
        if not self.ended(0):
            return None
        found = self.observation(0, probe)
        truth = None if found is None else truth_of(found)
        if truth is None:
            self.undecided.append(f"The probe of {name}, `{probe}`, {_why_undecided(found)}.")
        return truth

    def claim(self, part: str, option: str, probe: str) -> bool | None:
        """Read one option of the truth run."""
        holds = self.truth(probe, f"{part} {option}")
        self.options.append(OptionSeen(part, option, holds, probe, self.seen(0, probe)))
        return holds

    def expect(self, part: str, expected: Iterable[str], observed: Iterable[str]) -> None:
        """Report where the options that came out right are not those the file expects."""
        wanted, found = tuple(expected), tuple(observed)
        if set(wanted) != set(found):
            self.disagree(part, _listed(part, wanted), _listed(part, found))

    def disagree(self, part: str, expected: str, observed: str) -> None:
        self.disagreements.append(Disagreement(part, expected, observed))


def _read_true_false(item: TrueFalse, reader: _Reader) -> dict[str, tuple[str, ...]]:
    verdict = reader.truth(item.holds, "the statement")
    seen = reader.seen(0, item.holds)
    for option, wanted in (("true", True), ("false", False)):
        holds = None if verdict is None else verdict is wanted
        reader.options.append(OptionSeen("verdict", option, holds, item.holds, seen))
    places = [(str(place), reason.holds) for place, reason in enumerate(item.reasons, 1)]
    reasons = tuple(place for place, probe in places if reader.claim("reason", place, probe))
    right = {"verdict": () if verdict is None else (str(verdict).lower(),), "reason": reasons}
    reader.expect("verdict", (str(item.expect.verdict).lower(),), right["verdict"])
    reader.expect("reason", (str(item.expect.reason),), reasons)
    return right


def _read_spot(item: SpotTheError, reader: _Reader) -> dict[str, tuple[str, ...]]:
    if reader.truth(item.healthy, "the snippet as shown"):
        reader.disagree("repair", "the snippet as shown is not healthy", "it is healthy without any repair")
    places = [(str(place), symptom.holds) for place, symptom in enumerate(item.symptoms, 1)]
    symptoms = tuple(place for place, probe in places if reader.claim("symptom", place, probe))
    repairs: list[str] = []
    touched: dict[int, int] = {}
    others: dict[int, int] = {}
    for run, step in enumerate(reader.plan.steps[1:], 1):
        seen = _patched(item.healthy, step, run, reader)
        lines = dict.fromkeys(step.patch or {}, run) if seen.holds else {}
        if step.role == "also_heals":
            reader.also.append(seen)
            others |= lines
            if seen.holds is False:
                reader.disagree("culprit", f"changing line {step.option} heals too", "it does not")
            continue
        reader.options.append(seen)
        repairs += [step.option] if seen.holds else []
        touched = lines | touched
    accepted = (others | touched) if item.accept_other_lines else touched
    _report_lines(item, reader, accepted, others)
    right = {"culprit": tuple(map(str, sorted(accepted))), "symptom": symptoms, "repair": tuple(repairs)}
    if set(item.expect.culprit) not in (set(accepted), set(touched)):
        reader.expect("culprit", map(str, item.expect.culprit), map(str, sorted(touched)))
    reader.expect("symptom", (str(item.expect.symptom),), symptoms)
    reader.expect("repair", map(str, item.expect.repair), repairs)
    return right


def _report_lines(item: SpotTheError, reader: _Reader, accepted: dict[int, int], others: dict[int, int]) -> None:
    """Add an option per line: it is a culprit when a working repair touches it (or, if accepted, another cure)."""
    decided = all(seen.holds is not None for seen in reader.options if seen.part == "repair")
    for option in culprit_lines(item):
        line = int(option.id)
        run = accepted.get(line, others.get(line, 0))
        step = reader.plan.steps[run]
        note = "No working change touches this line."
        if run:
            note = f"Changing this line heals ({_named(step)})."
        holds = True if line in accepted else False if decided else None
        reader.options.append(OptionSeen("culprit", option.id, holds, item.healthy, (), run, step.patch, note))


def _patched(probe: str, step: Step, run: int, reader: _Reader) -> OptionSeen:
    """Read a patched run that has to be healthy; a probe that raises there is not."""
    found = reader.observation(run, probe) if reader.ended(run) else None
    holds = None if found is None else (truth_of(found) if found.raised is None else False)
    note = ""
    ended_by = reader.result(run).exception
    if ended_by is not None:
        note = f"With this change the snippet raises {ended_by.type}."
    elif found is not None and found.raised is not None:
        note = f"With this change the check itself raises {found.raised.type}."
    if found is not None and holds is None:
        reader.undecided.append(f"The probe of {_named(step)}, `{probe}`, {_why_undecided(found)}.")
    return OptionSeen(step.role, step.option, holds, probe, reader.seen(run, probe), run, step.patch, note)


def _read_edge(item: EdgeCase, reader: _Reader) -> dict[str, tuple[str, ...]]:
    expected = answers(item)
    observed = _asked(item, expected, reader) if reader.ended(0) else None
    probe = ", ".join(item.asks)
    seen = tuple(ExpressionSeen(ask, found) for ask, found in zip(item.asks, reader.asked, strict=False))
    right = []
    for option, value in expected.items():
        holds = None if observed is None else same(observed.value, value)
        right += [option] if holds else []
        reader.options.append(OptionSeen("value", option, holds, probe, seen))
    if observed is not None and right != ["1"]:
        reader.disagree("value", show_answer(item, expected["1"]), show_answer(item, observed.value))
    return {"value": tuple(right)}


def _asked(item: EdgeCase, expected: dict[str, Plain], reader: _Reader) -> Observation | None:
    """Return what was asked for as one value: the exception of the snippet where that is an answer, or the asks."""
    found = [reader.observation(0, ask) for ask in item.asks]
    ended = reader.observation(0, "raised")
    if ended is not None and ended.value is not None and may_raise(expected):
        reader.asked = (ended,) * len(item.asks)
        return ended
    for place, observation in enumerate(found):
        if observation is not None and observation.raised is not None and _may_raise(item, expected, place):
            found[place] = Observation(exception(observation.raised.type))
    reader.asked = tuple(observation or Observation() for observation in found)
    for ask, observation in zip(item.asks, found, strict=True):
        if observation is None or observation.raised is not None:
            reader.undecided.append(f"What is asked, `{ask}`, {_why_undecided(observation)}.")
            return None
    values = [observation.value for observation in reader.asked]
    return Observation(values[0] if isinstance(item.ask, str) else {"list": values})


def may_raise(expected: dict[str, Plain]) -> bool:
    """Say whether that the snippet raises is among the answers."""
    return any(map(_is_exception, expected.values()))


def _may_raise(item: EdgeCase, expected: dict[str, Plain], place: int) -> bool:
    """Say whether an exception is among the answers for the ask at this place."""
    values = expected.values()
    if not isinstance(item.ask, str):
        lists = [value["list"] for value in values if isinstance(value, dict) and "list" in value]
        return any(_is_exception(value[place]) for value in lists if place < len(value))
    return any(map(_is_exception, values))


def _is_exception(value: Plain) -> bool:
    return isinstance(value, dict) and "exception" in value


def _read_why(item: Why, reader: _Reader) -> dict[str, tuple[str, ...]]:
    effect = reader.truth(item.effect, "the effect")
    reader.also.append(OptionSeen("effect", "", effect, item.effect, reader.seen(0, item.effect)))
    if effect is False:
        reader.disagree("cause", "the effect is there in the snippet as shown", "it is not")
    causes = []
    for run, step in enumerate(reader.plan.steps[1:], 1):
        seen = _counterfactual(item, step, run, reader)
        reader.options.append(seen)
        causes += [step.option] if seen.holds else []
    reader.expect("cause", map(str, item.expect.cause), causes)
    return {"cause": tuple(causes)}


def _counterfactual(item: Why, step: Step, run: int, reader: _Reader) -> OptionSeen:
    """Read a run without one cause: it counts where the run ended as the original did and the effect is gone.

    Where the effect is the exception, it may go; a new exception in its place has shown nothing either way.
    """
    found = reader.observation(run, item.effect) if reader.ended(run) else None
    effect = None if found is None else truth_of(found)
    holds, note = (None if effect is None else not effect), ""
    if found is not None and not ended_alike(item, reader.result(0), reader.result(run)):
        ended_by = reader.result(run).exception
        how = f"raises {ended_by.type}" if ended_by is not None else "no longer raises"
        holds, note = False, f"Without this the snippet {how}, so nothing is shown about the effect."
    elif found is not None and found.raised is not None:
        holds, note = False, f"Without this the effect cannot be looked at: {found.raised.type}."
    elif found is not None and effect is None:
        reader.undecided.append(f"The probe of {_named(step)}, `{item.effect}`, {_why_undecided(found)}.")
    return OptionSeen("cause", step.option, holds, item.effect, reader.seen(run, item.effect), run, step.patch, note)


def _read_matrix(item: RepairMatrix, reader: _Reader) -> dict[str, tuple[str, ...]]:
    if reader.truth(item.healthy, "the snippet as shown") is False:
        reader.disagree("bug-1", "the snippet as shown is healthy", "it is not")
    cures: dict[str, list[str]] = {bug_part(place): [] for place, _ in enumerate(item.bugs, 1)}
    for run, step in enumerate(reader.plan.steps[1:], 1):
        seen = _patched(item.healthy, step, run, reader)
        if step.role == "bug":
            reader.also.append(seen)
            if seen.holds:
                reader.disagree(bug_part(int(step.option)), "the bug breaks the snippet", "it is healthy all the same")
            continue
        reader.options.append(seen)
        cures[step.role] += [step.option] if seen.holds else []
    right = {part: tuple(repairs) or (NONE,) for part, repairs in cures.items()}
    for part, expected in zip(right, item.expect.repairs, strict=True):
        reader.options.append(OptionSeen(part, NONE, right[part] == (NONE,)))
        reader.expect(part, tuple(map(str, expected)) or (NONE,), right[part])
    return right


def ended_alike(item: Why, original: RunResult, other: RunResult) -> bool:
    """Say whether a run without a cause ended as the original did, or without the exception that is the effect."""
    before = original.exception.type if original.exception is not None else None
    after = other.exception.type if other.exception is not None else None
    return before == after or (after is None and RAISED.search(item.effect) is not None)


def _named(step: Step) -> str:
    names = {"truth": "the snippet", "also_heals": f"another cure, of line {step.option}"}
    return names.get(step.role, f"{step.role} {step.option}")


def _why_undecided(found: Observation | None) -> str:
    if found is None:
        return "was not observed"
    if found.raised is not None:
        return f"raised {found.raised.type}: {found.raised.message[:200]}"
    return f"gave {show(found.value)}, which is no truth value"


def _listed(part: str, options: tuple[str, ...]) -> str:
    return f"{part} {' and '.join(options)}" if options else f"no {part}"


def _evidence(explanation: str, reader: _Reader) -> Evidence:
    pairs = ((expression, reader.observation(0, expression)) for expression in quotes(explanation))
    quoted_values = {expression: found for expression, found in pairs if found is not None}
    if reader.result(0).verdict in _ENDED:
        for expression in quotes(explanation):
            found = quoted_values.get(expression)
            if found is None or found.raised is not None:
                reader.undecided.append(f"The explanation quotes `{expression}`, which {_why_undecided(found)}.")
    return Evidence(
        runs=reader.job.results,
        options=tuple(reader.options),
        quoted=quoted_values,
        also=tuple(reader.also),
        torch=reader.job.torch,
        python=reader.job.python,
        layers=reader.job.layers,
        wall_ms=reader.job.wall_ms,
    )
