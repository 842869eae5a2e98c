"""Scores, their errors and times in words, with no more digits than they carry."""

from app.grading.item_analysis import Estimate
from app.grading.score import Score
from app.models import Quiz

NO_SPREAD = 1e-9


def points_words(earned: float, possible: float) -> str:
    """Return points such as `8.5 of 12`."""
    return f"{rounded(earned)} of {rounded(possible)}"


def rounded(points: float) -> str:
    """Return points to at most two places; a third of a point is no finer than that."""
    return f"{round(points, 2):g}"


def score_words(score: Score | None) -> str:
    """Return a score such as `2 of 3, 67 %`; nothing where there is none."""
    return "" if score is None else f"{points_words(score.earned, score.possible)}, {100 * score.share:.0f} %"


def error_words(score: Score | None) -> str:
    """Return the standard error in percent points, such as `± 33`; items that all earned the same show none."""
    if score is None or score.standard_error is None:
        return ""
    return f"± {100 * score.standard_error:.0f}" if score.standard_error > NO_SPREAD else "all items alike"


def error_sentence(score: Score) -> str:
    """Return what the standard error of a score says."""
    if score.standard_error is None:
        return "One item says too little for a standard error."
    if score.standard_error <= NO_SPREAD:
        return "All items earned the same share, so they show no standard error: that is no proof of precision."
    error = score.standard_error * score.possible
    places = 1 if error < 10 else 0
    low, high = max(0.0, score.earned - error), min(score.possible, score.earned + error)
    return (
        f"Standard error {error:.{places}f}: with other items of this kind, "
        f"between {low:.{places}f} and {high:.{places}f} two times in three."
    )


def mark_words(quiz: Quiz, score: Score | None) -> str:
    """Return on which side of the pass mark a score is, where there is one."""
    if quiz.pass_mark is None or score is None:
        return ""
    return "at or above the pass mark" if score.share >= quiz.pass_mark else "below the pass mark"


def duration_words(seconds: float | None) -> str:
    """Return a time such as `1:42`, or `1:02:03`; nothing where it is not known."""
    if seconds is None:
        return ""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def estimate_words(estimate: Estimate | None, fewest: int, *, percent: bool = False) -> str:
    """Return a figure with its error, such as `0.31 ± 0.12`, with no digit below the error's first; "" for too few."""
    if estimate is None or estimate.count < fewest or estimate.standard_error is None:
        return ""
    times = 100 if percent else 1
    value, error = times * estimate.value, times * estimate.standard_error
    places = 0 if percent else 2 if error < 0.1 else 1
    return f"{value:.{places}f} ± {error:.{places}f}"
