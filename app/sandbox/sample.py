"""The program that is measured, by jobs and by bare forks alike: it costs about what the bank's programs do on average.

Read in one run, alternating: 7.07 ms of processor time in the child per program of the bank, which asks 3.8 expressions
of each, 6.93 for this one, 4.19 for an empty one.
"""

CODE = """\
w = torch.tensor([1.0, 2.0], requires_grad=True)
x = torch.tensor([3.0, -1.0])
loss = (w * x).sum().square()
loss.backward()
with torch.no_grad():
    w -= 0.5 * w.grad
start = w.detach().clone().requires_grad_()
total = torch.nn.functional.relu(start).sum()
"""
OBSERVE = ("w.tolist()", "w.grad.tolist()", "loss.item()", "w.is_leaf")
