"""The words of the samples."""

from app.web.views import Heading

TWO_PASSES = """\
w = torch.tensor(3.0, requires_grad=True)
(2 * w - 1).square().backward()
first = w.grad.item()
(2 * w - 1).square().backward()
second = w.grad.item()
"""
FIVE_LINES = """\
w = torch.tensor(2.0, requires_grad=True)
z = w * 3
loss = z.square()
z.add_(1)
loss.backward()
"""
THREE_LEAVES = """\
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = torch.tensor(4.0, requires_grad=True)
loss = a * b * 0.0
loss.backward()
"""
SQUARE = """\
x = torch.tensor(3.0, requires_grad=True)
y = torch.tensor(4.0, requires_grad=True)
loss = x.square() + x * y
loss.backward()
"""
LONG_LINES = '''\
def report(model, batch):
    """A docstring
    over two lines."""
    with torch.no_grad():
        return torch.nn.functional.binary_cross_entropy_with_logits(model(batch["inputs"]), batch["targets"])
'''
WRONG_NOTE = "Nothing is raised, and the gradient is wrong."
BELIEF = "Writing through `.data` is safe as long as nothing raises."
IN_PLACE = (
    "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[torch.FloatTensor []], which is output 0 of MulBackward0, is at version 1; expected version 0 instead."
)
STRANGE = (
    'plain\n\ttab\n\x1b[31mred\x1b[0m\x00nul "admin\u202enimda" \u200bzero width\n<b>not bold</b>\n' + "long " * 60
)
TWO_PASSES_HEADING = Heading(
    "two-backward-passes",
    "Two passes, one buffer",
    "Accumulation",
    "/topics/accumulation",
    "true or false, and why",
    2,
)
FIVE_LINES_HEADING = Heading("five-lines", "Five lines", "In-place", "/topics/in-place", "spot the error", 2)
LEAVES_HEADING = Heading("three-leaves", "Three leaves", "Leaves", "/topics/leaves", "edge case", 3)
SQUARE_HEADING = Heading(
    "a-product-and-a-square", "A square and a product", "Chain rule", "/topics/chain-rule", "why", 1
)
REASONS = (
    "Each pass replaces what the buffer held.",
    "Each pass adds into the buffer the leaf already has.",
    "The second pass fails, because the graph is gone.",
    "The buffer holds the mean of the passes.",
)
EXPLANATION = (
    "The fourth line walks a graph of its own: a fresh forward pass built it, so nothing is missing. What the passes "
    "share is the buffer of `w`, and `backward()` adds into it: 20.0 became 40.0. Set it to `None` between passes "
    "unless the sum is what you want."
)
STATEMENT = "After the second `backward()`, `w.grad` is the gradient of the second pass alone."
