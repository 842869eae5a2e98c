"""What a run means: names in scope, lines, output, warnings, limits, and how values become plain data."""

from typing import Any

import pytest

from app.sandbox.client import SandboxClient
from app.sandbox.limits import LIMITS
from app.sandbox.protocol import Observation, Program, RunResult, Verdict


def run(sandbox: SandboxClient, code: str, *observe: str, wall_s: float | None = None) -> RunResult:
    return sandbox.run([Program(code, observe)], wall_s).results[0]


def values(result: RunResult) -> list[Any]:
    assert all(one.raised is None for one in result.observations), result
    return [one.value for one in result.observations]


PLAIN = (
    ("None", None),
    ("True", True),
    ("'text'", "text"),
    ("'\\ud800'", "\\ud800"),
    ("7", 7),
    ("2 ** 53", 2**53),
    ("2 ** 53 + 1", {"int": str(2**53 + 1)}),
    ("-10 ** 30", {"int": str(-(10**30))}),
    ("10 ** 5000", {"object": "int"}),
    ("1.5", 1.5),
    ("float('nan')", {"float": "nan"}),
    ("-float('inf')", {"float": "-inf"}),
    ("1 + 2j", {"complex": [1.0, 2.0]}),
    ("[1, (2, 'x')]", {"list": [1, {"tuple": [2, "x"]}]}),
    ("{'a': 1, 2: None}", {"dict": [["a", 1], [2, None]]}),
    ("torch.Size([2, 3])", {"shape": [2, 3]}),
    ("torch.ones(2, 3).shape", {"shape": [2, 3]}),
    ("torch.bfloat16", {"dtype": "bfloat16"}),
    ("torch.tensor(2.5)", {"tensor": {"shape": [], "dtype": "float32", "values": 2.5}}),
    ("torch.tensor([[1, 2]])", {"tensor": {"shape": [1, 2], "dtype": "int64", "values": [[1, 2]]}}),
    ("torch.tensor([True])", {"tensor": {"shape": [1], "dtype": "bool", "values": [True]}}),
    ("torch.tensor([1.0], requires_grad=True)", {"tensor": {"shape": [1], "dtype": "float32", "values": [1.0]}}),
    ("torch.nn.Parameter(torch.zeros(1))", {"tensor": {"shape": [1], "dtype": "float32", "values": [0.0]}}),
    ("torch.nn.Buffer(torch.zeros(1))", {"tensor": {"shape": [1], "dtype": "float32", "values": [0.0]}}),
    ("torch.tensor([1.5]).half()", {"tensor": {"shape": [1], "dtype": "float16", "values": [1.5]}}),
    (
        "torch.tensor([float('nan'), float('inf'), -float('inf')])",
        {"tensor": {"shape": [3], "dtype": "float32", "values": ["nan", "inf", "-inf"]}},
    ),
    (
        "torch.tensor([1j]).conj()",
        {"tensor": {"shape": [1], "dtype": "complex64", "values": [{"complex": [0.0, -1.0]}]}},
    ),
    ("torch.tensor([2 ** 60])", {"tensor": {"shape": [1], "dtype": "int64", "values": [{"int": str(2**60)}]}}),
    ("torch.zeros(0, 2)", {"tensor": {"shape": [0, 2], "dtype": "float32", "values": []}}),
    ("torch.zeros(300)", {"tensor": {"shape": [300], "dtype": "float32", "values": None}}),
    ("torch.eye(2).to_sparse()", {"object": "Tensor"}),
    ("torch.ones(1, device='meta')", {"object": "Tensor"}),
    ("torch.tensor([3.0, 1.0]).max(dim=0)[1]", {"tensor": {"shape": [], "dtype": "int64", "values": 0}}),
    ("(torch.ones(1, requires_grad=True) * 2).grad_fn", {"object": "MulBackward0"}),
    ("object()", {"object": "object"}),
    ("type('Int', (int,), {'__eq__': lambda *a: True})(3)", {"object": "Int"}),
    ("range(3)", {"object": "range"}),
    (
        "KeyError('k')",
        {"exception": {"type": "KeyError", "bases": ["LookupError", "Exception", "BaseException"], "message": "'k'"}},
    ),
)


@pytest.fixture(scope="module")
def encoded(sandbox: SandboxClient) -> tuple[Observation, ...]:
    return run(sandbox, "", *(expression for expression, _ in PLAIN)).observations


@pytest.mark.parametrize("row", range(len(PLAIN)), ids=[expression for expression, _ in PLAIN])
def test_value_becomes_plain_data(row: int, encoded: tuple[Observation, ...]) -> None:
    assert encoded[row] == Observation(PLAIN[row][1])


def test_deep_and_wide_values_are_cut(sandbox: SandboxClient) -> None:
    code = "deep = []\nfor _ in range(500): deep = [deep]\nloop = []\nloop.append(loop)"
    result = run(
        sandbox, code, "deep", "loop", "list(range(10 ** 6))", "'a' * 10 ** 6", "{n: n for n in range(10 ** 5)}"
    )
    assert result.verdict is Verdict.OK
    assert len(values(result)[2]["list"]) < 5000
    assert len(values(result)[3]) < 10_000


def test_many_large_observations_stay_within_one_answer(sandbox: SandboxClient) -> None:
    result = run(sandbox, "x = torch.rand(256, dtype=torch.float64)", *["[x] * 50"] * 256)
    assert result.verdict is Verdict.OK
    assert len(result.observations) == 256
    last = result.observations[-1].raised
    assert last is not None
    assert last.type == "OverflowError"


def test_failure_has_its_type_message_and_line(sandbox: SandboxClient) -> None:
    code = "w = torch.tensor(2.0, requires_grad=True)\ny = w * w\ny.backward()\n\ny.backward()\n"
    result = run(sandbox, code, "w.grad", "type(raised).__name__", "raised_line", "isinstance(raised, RuntimeError)")
    assert result.verdict is Verdict.ERROR
    assert result.exception is not None
    assert (result.exception.type, result.exception.line) == ("RuntimeError", 5)
    assert "second time" in result.exception.message
    assert values(result)[1:] == ["RuntimeError", 5, True]


def test_line_is_the_innermost_of_the_snippet(sandbox: SandboxClient) -> None:
    result = run(sandbox, "def f():\n    return torch.ones(2) @ torch.ones(3)\n\nf()\n", "raised_line")
    assert values(result) == [2]


def test_syntax_error_has_its_line(sandbox: SandboxClient) -> None:
    result = run(sandbox, "x = 1\ny = (\n", "raised_line", "type(raised).__name__")
    assert result.verdict is Verdict.ERROR
    assert result.exception is not None
    assert (result.exception.type, result.exception.line) == ("SyntaxError", 2)
    assert values(result) == [2, "SyntaxError"]


def test_null_byte_in_the_code_is_an_error(sandbox: SandboxClient) -> None:
    result = run(sandbox, "x = '\0'")
    assert result.verdict is Verdict.ERROR


def test_names_of_an_honest_run(sandbox: SandboxClient) -> None:
    result = run(
        sandbox, "print('a')\nx = 3", "x", "raised", "raised_line", "stdout", "__name__", "torch.ones(1).item()"
    )
    assert values(result) == [3, None, None, "a\n", "__main__", 1.0]


def test_each_expression_stands_alone_and_in_order(sandbox: SandboxClient) -> None:
    result = run(sandbox, "seen = []", "seen.append(1)", "1 / 0", "nowhere", "x =", "seen", "[seen for _ in seen]")
    kinds = [one.raised.type if one.raised else None for one in result.observations]
    assert kinds == [None, "ZeroDivisionError", "NameError", "SyntaxError", None, None]
    assert result.observations[4].value == {"list": [1]}
    assert result.verdict is Verdict.OK


def test_expression_that_exits_or_never_ends(sandbox: SandboxClient) -> None:
    ended = run(sandbox, "import os, sys", "sys.exit(3)", "2")
    assert [one.value for one in ended.observations] == [None, 2]
    assert run(sandbox, "import os", "os._exit(0)").reason == "ended early"
    assert run(sandbox, "", "[0 for _ in iter(int, 1)]", wall_s=0.2).verdict is Verdict.TIME_LIMIT


def test_runs_are_reproducible(sandbox: SandboxClient) -> None:
    code = "import random, numpy\nx = (torch.rand(2).tolist(), random.random(), float(numpy.random.rand()), hash('a'))"
    one, two = sandbox.run([Program(code, ("x",))] * 2).results
    assert one.observations == two.observations


def test_default_seed_gives_what_it_gives_anywhere(sandbox: SandboxClient) -> None:
    """The first draws of seed 0, as any Python, NumPy and torch give them."""
    code = "import random, numpy\nx = [random.random(), float(numpy.random.rand()), torch.rand(1).item()]"
    drawn = [0.8444218515250481, 0.5488135039273248, 0.49625658988952637]
    assert values(run(sandbox, code, "x")) == [{"list": drawn}]


MAIN_THREAD = """
import gc, logging, signal, sys, threading
me = threading.current_thread()
lock = threading.Lock()
with lock, threading.RLock(), threading.Condition(): pass
logging.getLogger("x").error("said")
caught = []
signal.signal(signal.SIGALRM, lambda number, frame: caught.append(number))
signal.setitimer(signal.ITIMER_REAL, 0.01)
until = __import__("time").monotonic() + 1
while not caught and __import__("time").monotonic() < until: pass
import importlib
importlib.reload(__import__("colorsys"))
"""


def test_child_is_one_whole_interpreter(sandbox: SandboxClient) -> None:
    """Forked without Python's hooks: its one thread is the main one, locks are free, signals and imports work."""
    result = run(
        sandbox,
        MAIN_THREAD,
        "me is threading.main_thread() and me.ident == threading.get_ident()",
        "threading.active_count()",
        "lock.acquire(timeout=0.1)",
        "caught == [signal.SIGALRM]",
        "gc.isenabled()",
        "(sys.stdout.fileno(), sys.stderr.fileno(), sys.stdin.fileno())",
    )
    assert result.verdict is Verdict.OK, result.stderr
    assert values(result) == [True, 1, True, True, True, {"tuple": [1, 2, 0]}]
    assert result.stderr == "said\n"


def test_snippet_is_the_main_module(sandbox: SandboxClient) -> None:
    code = (
        "import dataclasses, inspect, pickle, sys\n"
        "@dataclasses.dataclass\nclass Point:\n    x: int = 1\n"
        "assert pickle.loads(pickle.dumps(Point())) == Point()\n"
        "def f(): return 1\n"
    )
    assert values(run(sandbox, code, "inspect.getsource(f)")) == ["def f(): return 1\n"]


def test_warning_names_the_snippet_and_no_path(sandbox: SandboxClient) -> None:
    code = "x = torch.ones(1, requires_grad=True)\ny = x * 2\ny.grad\nimport warnings\nwarnings.warn('mine')\n"
    result = run(sandbox, code)
    assert result.verdict is Verdict.OK
    assert "<snippet>:3: UserWarning" in result.stderr
    assert "<snippet>:5: UserWarning: mine" in result.stderr


FAILURES = (
    "y = torch.ones(1, requires_grad=True).exp()\ny.backward()\ny.backward()",
    "torch.nn.Linear(2, 2)(torch.ones(3))",
    "import json\njson.loads('{')",
    "torch.load('nowhere')",
    "import warnings\nwarnings.warn('w', stacklevel=9)\nraise ValueError(__import__('torch').__file__)",
    "x = torch.ones(1, requires_grad=True)\nx.register_hook(lambda g: 1 / 0)\nx.sum().backward()",
)


@pytest.mark.parametrize("code", FAILURES)
def test_failure_shows_no_path_of_this_machine(code: str, sandbox: SandboxClient) -> None:
    result = run(sandbox, code, "1 / 0")
    assert result.exception is not None
    for text in (result.exception.message, result.stderr, result.stdout):
        assert "site-packages" not in text
        assert "child.py" not in text
        assert "/lib/python" not in text
    assert 'File "<snippet>"' in result.stderr


def test_wall_limit_can_only_be_lowered(sandbox: SandboxClient) -> None:
    assert LIMITS.wall(None) == LIMITS.wall_s
    assert LIMITS.wall(0.1) == 0.1
    assert LIMITS.wall(600) == LIMITS.wall_max_s
    assert run(sandbox, "while True: pass", wall_s=0.1).verdict is Verdict.TIME_LIMIT


def test_whole_job_comes_back_in_order(sandbox: SandboxClient) -> None:
    job = sandbox.run([Program(f"x = {n}", ("x",)) for n in range(16)])
    assert [one.observations[0].value for one in job.results] == list(range(16))
    assert "seccomp" in job.layers
    assert job.torch.startswith("2.")
    assert job.python.startswith("3.")


HONEST = (
    """
m = torch.nn.Linear(4, 1)
o = torch.optim.Adam(m.parameters())
for _ in range(20):
    o.zero_grad()
    m(torch.ones(8, 4)).square().mean().backward()
    o.step()
""",
    "import torch.utils.data as d\nlist(d.DataLoader(d.TensorDataset(torch.arange(4)), 2, shuffle=True))",
    "torch.func.grad(lambda x: x ** 2)(torch.tensor(3.0))\ntorch.func.vmap(torch.sin)(torch.ones(2, 2))",
    """
class F(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return x * 2
    @staticmethod
    def backward(ctx, g): return g * 2
F.apply(torch.ones(1, requires_grad=True)).backward()
""",
    "with torch.autocast('cpu', dtype=torch.bfloat16): torch.nn.Linear(2, 2)(torch.ones(1, 2)).sum().backward()",
    """
from torch.utils.checkpoint import checkpoint
x = torch.ones(2, requires_grad=True)
checkpoint(torch.sin, x, use_reentrant=False).sum().backward()
""",
    "torch.nn.LSTM(2, 3)(torch.ones(4, 1, 2))[0].sum().backward()\nrepr(torch.nn.MultiheadAttention(4, 2))",
    "import io\nb = io.BytesIO()\ntorch.save({'a': torch.ones(1)}, b)\nb.seek(0)\ntorch.load(b)",
    "torch.nn.utils.clip_grad_norm_(torch.nn.Linear(2, 2).parameters(), 1.0)\ntorch.linalg.svd(torch.eye(3))",
    "import numpy as np\ntorch.from_numpy(np.arange(3)).numpy()\nprint(torch.rand(3, 3))",
    "sched = torch.optim.lr_scheduler.CosineAnnealingLR(torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], 0.1), 3)",
    "torch.autograd.gradcheck(torch.sin, (torch.ones(2, dtype=torch.float64, requires_grad=True),))",
    "with torch.autograd.detect_anomaly(check_nan=False): torch.ones(1, requires_grad=True).exp().backward()",
    "torch.jit.script(torch.nn.Linear(2, 2))(torch.ones(2))",
)


@pytest.mark.parametrize("code", HONEST, ids=range(len(HONEST)))
def test_honest_snippet_runs_and_imports_nothing_new(code: str, sandbox: SandboxClient) -> None:
    before = "import sys\nknown = set(sys.modules)\n"
    result = run(sandbox, before + code, "sorted(set(sys.modules) - known)")
    assert result.verdict is Verdict.OK, result.stderr
    assert values(result) == [{"list": []}]


def test_seed_decides_every_generator(sandbox: SandboxClient) -> None:
    code = (
        "import random\nimport numpy as np\ndrawn = [torch.rand(1).item(), random.random(), float(np.random.rand())]\n"
    )
    jobs = [sandbox.run([Program(code, ("drawn",), seed)]).results[0].observations[0].value for seed in (0, 0, 7)]
    assert jobs[0] == jobs[1]
    first, other = [value["list"] for value in jobs[1:] if isinstance(value, dict)]
    assert not set(first) & set(other)
