"""What the zygote imports and runs before any fork, so that no child does it again.

A child that imports something the zygote has not pays for it in its own time (constructing the first optimizer imports
eight hundred modules), and may need files the jail does not hold. `SNIPPETS` run once with their output thrown away;
none may warn, since torch warns once per process and the person's own run would then stay silent.
"""

import contextlib
import ctypes
import importlib
import io
import traceback
import warnings
from collections.abc import Callable, Iterator
from functools import partial

MODULES = """
abc argparse array ast asyncio base64 binascii bisect builtins cProfile calendar cmath codecs collections
collections.abc concurrent.futures contextlib copy copyreg csv ctypes dataclasses datetime decimal difflib dis
encodings.ascii encodings.idna encodings.latin_1 encodings.utf_16 encodings.utf_8_sig enum errno faulthandler
fractions functools gc gzip hashlib heapq hmac html http inspect io itertools json keyword linecache locale logging
math mmap multiprocessing multiprocessing.connection
multiprocessing.pool multiprocessing.popen_fork multiprocessing.queues multiprocessing.resource_tracker
multiprocessing.shared_memory multiprocessing.synchronize numbers operator os pathlib pickle
platform pprint profile pstats queue random re reprlib resource secrets select shutil signal socket sqlite3 statistics
string struct subprocess symtable sys tempfile textwrap threading time timeit token tokenize traceback tracemalloc
types typing typing_extensions unicodedata unittest unittest.mock urllib.request uuid warnings weakref zlib
numpy numpy.linalg numpy.random numpy.testing
torch torch.amp torch.autograd torch.autograd.forward_ad torch.autograd.functional torch.autograd.gradcheck
torch.autograd.graph torch.autograd.profiler torch.distributions torch.fft torch.func torch.futures torch.jit
torch.linalg torch.masked torch.multiprocessing torch.nested torch.nn torch.nn.attention torch.nn.functional
torch.nn.init torch.nn.modules torch.nn.parameter torch.nn.utils torch.nn.utils.parametrizations
torch.nn.utils.parametrize torch.nn.utils.prune torch.nn.utils.rnn torch.nn.utils.stateless torch.optim
torch.optim.lr_scheduler torch.optim.swa_utils torch.overrides torch.package torch.profiler torch.random
torch.serialization torch.sparse torch.special torch.storage torch.testing torch.types torch.utils
torch.utils.checkpoint torch.utils.data torch.utils.hooks torch.utils._pytree torch.utils._python_dispatch
torch.utils.flop_counter
"""

SNIPPETS = (
    """
x = torch.randn(3, 4, requires_grad=True)
y = ((x * 2 + 1).relu().sigmoid().exp() @ torch.randn(4, 2)).pow(2).mean()
y.backward(retain_graph=True)
repr((x, x.grad, y, y.grad_fn, y.grad_fn.next_functions, torch.tensor([1e-9, 1e9]), torch.tensor(3), x.shape))
torch.autograd.grad(y, x, create_graph=True)[0].sum().backward()
z = x.detach().clone(); z[0] += 1; z.numpy(); torch.from_numpy(z.numpy()); z.tolist(); z.view(-1); z.t(); z.item
torch.einsum("ij,kj->ik", z, z); torch.stack([z, z]); torch.cat([z, z]); torch.where(z > 0, z, -z); z.max(dim=0)
torch.linalg.svd(z); torch.fft.fft(z); torch.logsumexp(z, 0); z.sort(); z.topk(2); z.half(); z.bfloat16(); z.long()
with torch.no_grad(): z.add_(1)
with torch.inference_mode(): z + 1
h = x.register_hook(lambda g: g * 2); h.remove()
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t): (x * x).sum().backward()
with torch.autograd.detect_anomaly(check_nan=False): (x * x).sum().backward()
""",
    """
m = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Dropout(), nn.BatchNorm1d(8), nn.LayerNorm(8), nn.Linear(8, 2))
repr(m); m.train(); m.eval(); m.train(); m.state_dict(); m.load_state_dict(m.state_dict()); copy.deepcopy(m)
for kind in (optim.SGD, optim.Adam, optim.AdamW, optim.RMSprop, optim.Adagrad):
    o = kind(m.parameters(), lr=0.1)
    s = optim.lr_scheduler.StepLR(o, 1)
    nn.functional.cross_entropy(m(torch.randn(5, 4)), torch.tensor([0, 1, 0, 1, 0])).backward()
    o.step(); o.zero_grad(); s.step(); repr(o); o.state_dict()
o = optim.SGD(m.parameters(), lr=0.1, momentum=0.9, nesterov=True)
nn.utils.clip_grad_norm_(m.parameters(), 1.0)
for loss in (nn.MSELoss(), nn.L1Loss(), nn.SmoothL1Loss(), nn.BCEWithLogitsLoss(), nn.HuberLoss()):
    loss(torch.randn(3, requires_grad=True), torch.rand(3)).backward()
nn.functional.nll_loss(torch.randn(2, 3).log_softmax(1), torch.tensor([0, 2])); nn.functional.kl_div
nn.Conv2d(1, 2, 3, padding=1)(torch.randn(1, 1, 5, 5)).sum().backward(); nn.MaxPool2d(2)(torch.randn(1, 1, 4, 4))
nn.Embedding(5, 3)(torch.tensor([1, 2])).sum().backward()
nn.LSTM(3, 4, batch_first=True)(torch.randn(2, 5, 3))[0].sum().backward(); nn.GRU(3, 4)(torch.randn(5, 2, 3))
nn.MultiheadAttention(4, 2, batch_first=True)(*[torch.randn(1, 3, 4)] * 3)
nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)(torch.randn(1, 3, 4)).sum().backward()
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2); self.register_buffer("b", torch.ones(2)); self.p = nn.Parameter(torch.ones(2))
    def forward(self, x): return self.fc(x) * self.p + self.b
n = Net(); n(torch.randn(1, 2)).sum().backward(); repr(n); dict(n.named_parameters()); n.requires_grad_(False)
""",
    """
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); return x * x
    @staticmethod
    def backward(ctx, g): return 2 * g * ctx.saved_tensors[0]
x = torch.ones(2, dtype=torch.float64, requires_grad=True)
Square.apply(x).sum().backward(); torch.autograd.gradcheck(Square.apply, (x,))
torch.utils.checkpoint.checkpoint(lambda t: t.sin(), x, use_reentrant=False).sum().backward()
torch.func.grad(lambda t: (t * t).sum())(x.detach()); torch.func.vmap(lambda t: t * 2)(torch.ones(2, 2))
torch.func.jacrev(lambda t: t * t)(x.detach()); torch.func.jvp(lambda t: t * t, (x.detach(),), (x.detach(),))
torch.func.functional_call(nn.Linear(2, 2), dict(nn.Linear(2, 2).named_parameters()), (torch.ones(1, 2),))
torch.func.hessian(lambda t: (t * t).sum())(x.detach())
torch.autograd.functional.jacobian(lambda t: t * t, x); torch.autograd.functional.hessian(lambda t: t.pow(3).sum(), x)
with torch.amp.autocast("cpu", dtype=torch.bfloat16): nn.Linear(2, 2)(torch.ones(1, 2))
d = torch.utils.data.TensorDataset(torch.arange(6.0), torch.arange(6))
list(torch.utils.data.DataLoader(d, batch_size=2, shuffle=True)); torch.utils.data.random_split(d, [3, 3])
torch.distributions.Normal(0.0, 1.0).rsample().item(); torch.distributions.Categorical(logits=torch.ones(3)).sample()
torch.sparse_coo_tensor(torch.tensor([[0, 1]]), torch.ones(2), (2,)).to_dense()
torch.manual_seed(1); torch.Generator().manual_seed(2); torch.randperm(3); torch.get_rng_state()
b = io.BytesIO(); torch.save({"a": torch.ones(1)}, b); b.seek(0); torch.load(b)
torch.testing.assert_close(torch.ones(1), torch.ones(1)); torch.allclose(torch.ones(1), torch.ones(1))
""",
)

FAILURES = (
    "w = torch.ones(2, requires_grad=True); l = (w * w).sum(); l.backward(); l.backward()",
    "w = torch.ones(2, requires_grad=True); w += 1",
    "torch.ones(2).sum().backward()",
    "torch.ones(2, 3) @ torch.ones(2, 3)",
    "torch.empty(10**16)",
    "w = torch.ones(2, requires_grad=True); e = w.exp(); e.add_(1); e.sum().backward()",
    "x = ",
)

PRELUDE = "import copy, io, torch, torch.utils.data, torch.utils.checkpoint\nfrom torch import nn, optim\n"


def warm() -> list[str]:
    """Import and run everything; return what failed, each as one line."""
    failed = []
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), _silence():
        for name in MODULES.split():
            failed += _attempt(name, partial(importlib.import_module, name))
        for number, code in enumerate(SNIPPETS):
            failed += _attempt(f"snippet {number}", partial(exec, PRELUDE + code, {"__name__": "warm"}))
        for code in FAILURES:
            _fail(code)
        failed += _attempt("libgcc_s", lambda: ctypes.CDLL("libgcc_s.so.1"))
    return failed


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _attempt(what: str, step: Callable[[], object]) -> list[str]:
    try:
        step()
    except Exception as error:  # noqa: BLE001 - torch's versions differ; what fails is reported, and a test reads it
        return [f"{what}: {type(error).__name__}: {error}"]
    return []


def _fail(code: str) -> None:
    try:
        exec(compile(PRELUDE + code, "<snippet>", "exec"), {"__name__": "warm"})
    except Exception:  # noqa: BLE001 - formatting the failure is the point
        traceback.format_exc()
