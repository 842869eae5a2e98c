"""The attacks that telling ones stand for each class, as data: what is tried, and how it must end.

`{canary}` is a directory anybody may write to, with a database in it; `{port}` a listening socket; `{sibling}` the pid
of a process that must live on. Rows in `SYSTEM_CALLS` are made by number, past every wrapper.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Attack:
    """One hostile snippet. `says` must appear in its stdout or in the message of what it raised."""

    name: str
    code: str
    verdict: str = "error"
    reason: str | None = None
    raised: str | None = None
    says: str = ""
    wall_s: float = 5.0


def denied(name: str, code: str, raised: str = "PermissionError", says: str = "") -> Attack:
    """An attack that meets an exception."""
    return Attack(name, code, raised=raised, says=says)


def shrugged(name: str, code: str, says: str) -> Attack:
    """An attack that runs to its end and achieves nothing."""
    return Attack(name, code, verdict="ok", says=says)


def stopped(name: str, code: str, wall_s: float = 0.4) -> Attack:
    """An attack that never ends by itself."""
    return Attack(name, code, verdict="time_limit", wall_s=wall_s)


def killed(name: str, code: str, reason: str) -> Attack:
    """An attack on the harness or on the process itself."""
    return Attack(name, code, verdict="killed", reason=reason)


def greedy(name: str, code: str) -> Attack:
    """An attack on the memory of the machine."""
    return Attack(name, code, verdict="memory_limit")


PROCESSES = (
    denied("fork", "import os\nos.fork()"),
    denied("fork_bomb", "import os\nwhile True: os.fork()"),
    denied("subprocess", "import subprocess\nsubprocess.run(['/bin/id'])"),
    shrugged("shell", "import os\nprint(os.waitstatus_to_exitcode(os.system('id')))", "127"),
    denied("spawn", "import os\nos.posix_spawn('/bin/id', ['id'], {})"),
    denied("exec", "import os, sys\nos.execv('/bin/sh', ['sh'])"),
    denied("multiprocessing", "import multiprocessing as m\nm.get_context('fork').Process(target=print).start()"),
    denied("loader_workers", "from torch.utils.data import DataLoader\nnext(iter(DataLoader([1, 2], num_workers=1)))"),
    denied(
        "thread", "import threading\nthreading.Thread(target=print).start()", "RuntimeError", "can't start new thread"
    ),
    denied("daemonise", "import os\nos.setsid()"),
    shrugged(
        "many_threads_asked", "torch.set_num_threads(64)\nx = torch.ones(900, 900)\nprint((x @ x)[0, 0].item())", "900"
    ),
)

TIME = (
    stopped("spin", "while True: pass"),
    stopped("sleep", "import time\ntime.sleep(60)"),
    stopped("matmul_in_c", "x = torch.ones(4000, 4000)\nwhile True: x = x @ x"),
    stopped("regex", "import re\nre.match(r'(a+)+$', 'a' * 40 + 'b')"),
    stopped("power", "9 ** 9 ** 9"),
    stopped("swallow_everything", "while True:\n  try:\n    while True: pass\n  except BaseException: pass"),
    stopped(
        "ignore_signals", "import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))\nwhile True: pass"
    ),
    stopped(
        "reset_timers", "import signal\nsignal.alarm(0)\nsignal.setitimer(signal.ITIMER_REAL, 0)\nwhile True: pass"
    ),
    stopped("deadlock", "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()"),
    stopped("endless_str", "class E(Exception):\n  def __str__(self):\n    while True: pass\nraise E"),
    denied("digits", "str(10 ** 200_000)", "ValueError", "4300 digits"),
    denied("input", "input()", "EOFError"),
    denied("raise_cpu_limit", "import resource\nresource.setrlimit(resource.RLIMIT_CPU, (999, 999))", "ValueError"),
    shrugged("finaliser_at_exit", "class A:\n  def __del__(self):\n    while True: pass\na = A()\nprint('end')", "end"),
    shrugged("atexit", "import atexit\natexit.register(print, 'ran')\nprint('end')", "end"),
)

MEMORY = (
    greedy("bytes", "kept = []\nwhile True: kept.append(bytearray(10 ** 7))"),
    greedy("one_tensor", "torch.ones(2 * 10 ** 9)"),
    greedy("touched", "torch.empty(2 * 10 ** 9).fill_(1)"),
    greedy("expanded", "torch.ones(1).expand(10 ** 10).contiguous()"),
    greedy("string", "'a' * 10 ** 11"),
    greedy("tensors", "kept = [torch.ones(10 ** 6) for _ in range(10 ** 4)]"),
    denied("shared_mapping", "import mmap\nkept = [mmap.mmap(-1, 1 << 28) for _ in range(40)]", "OSError", "allocate"),
    denied("page_tables", "import mmap\nmmap.mmap(-1, 1 << 38)", "OSError", "allocate"),
    denied(
        "shared_memory", "from multiprocessing.shared_memory import SharedMemory\nSharedMemory(create=True, size=9)"
    ),
    denied("raise_memory_limit", "import resource\nresource.setrlimit(resource.RLIMIT_AS, (-1, -1))", "ValueError"),
    denied("descriptors", "import os\nwhile True: os.pipe()", "OSError", "Too many open files"),
    denied("pipe_buffers", "import os, fcntl\nfcntl.fcntl(os.pipe()[1], 1031, 1 << 20)"),
)

CRASHES = (
    killed("null_pointer", "import ctypes\nctypes.string_at(0)", "crashed"),
    killed("overwritten_heap", "import ctypes\nctypes.memset(torch.ones(4).data_ptr(), 0, 10 ** 8)", "crashed"),
    killed("bad_bytecode", "def f(): 0\nf.__code__ = f.__code__.replace(co_code=b'\\x64\\xff' * 8)\nf()", "crashed"),
    killed("abort", "import os\nos.abort()", "crashed"),
    killed("exit_zero", "import os\nprint('as if fine')\nos._exit(0)", "ended early"),
    killed("exit_ninety_six", "import os\nos._exit(96)", "ended early"),
    denied("system_exit", "import sys\nsys.exit(0)", "SystemExit"),
    denied("kill_oneself", "import os\nos.kill(os.getpid(), 9)"),
    denied("stop_oneself", "import signal\nsignal.raise_signal(signal.SIGSTOP)"),
    denied("core_dump", "import resource\nresource.setrlimit(resource.RLIMIT_CORE, (-1, -1))", "ValueError"),
    denied("out_of_range", "torch.ones(4).as_strided((10 ** 7,), (1,))", "RuntimeError"),
)

OUTPUT = (
    Attack("print_flood", "while True: print('A' * 100)", "output_limit", says="AAAA"),
    Attack("error_flood", "import sys\nwhile True: sys.stderr.write('A' * 100)", "output_limit"),
    Attack("raw_flood", "import os\nwhile True: os.write(1, b'A' * 4096)", "output_limit", says="AAAA"),
    Attack("one_print", "print('A' * 10 ** 8)", "output_limit", says="AAAA"),
    shrugged("not_utf8", "import os\nos.write(1, bytes([255, 254, 0, 128]))", "\\xff\\xfe\0\\x80"),
    shrugged("surrogate", "print('\\ud800')", "\\ud800"),
    denied("huge_message", "raise ValueError('A' * 10 ** 7)", "ValueError", "AAAA"),
    denied(
        "broken_message",
        "class E(Exception):\n  def __str__(self): raise KeyboardInterrupt\nraise E",
        "E",
        "unprintable",
    ),
    denied("huge_name", "raise type('X' * 10 ** 7, (Exception,), {})", "X" * 200 + "…"),
    denied("closed_stdout", "import os, sys\nsys.stdout.close()\nos.close(1)\nprint()", "ValueError"),
    denied(
        "hostile_stdout",
        "import sys\nclass F:\n  def write(self, text): 1 / 0\nsys.stdout = F()\nprint()",
        "ZeroDivisionError",
    ),
)

PLACES = ("/", "/tmp", "/var/tmp", "/dev/shm", "/run", "/root", "/proc/self", ".", "{canary}")
NOWHERE = f"found = []\nfor place in {PLACES}:\n"
FILES = (
    denied("passwords", "open('/etc/passwd')", "FileNotFoundError|PermissionError"),
    denied("database", "open('{canary}/app.db')", "FileNotFoundError|PermissionError"),
    denied(
        "database_by_sqlite",
        "import sqlite3\nsqlite3.connect('{canary}/app.db').execute('select 1 from x')",
        "OperationalError",
    ),
    denied("listing", "import os\nos.listdir('{canary}')", "FileNotFoundError|PermissionError"),
    denied("mode", "import os\nos.chmod('{canary}/app.db', 0)"),
    denied("times", "import os\nos.utime('{canary}/app.db')"),
    denied("truncate", "import os\nos.truncate('{canary}/app.db', 0)"),
    denied("unlink", "import os\nos.unlink('{canary}/app.db')"),
    denied("append", "open('{canary}/app.db', 'a')"),
    denied("rename", "import os\nos.rename('{canary}/app.db', '{canary}/b')"),
    denied("symlink", "import os\nos.symlink('/etc/passwd', '{canary}/link')"),
    denied("unnamed_file", "import os\nos.open('{canary}', os.O_TMPFILE | os.O_RDWR)"),
    denied("chdir", "import os\nos.chdir('{canary}')"),
    denied("chroot", "import os\nos.chroot('/')"),
    shrugged(
        "write_somewhere",
        NOWHERE + "  try: found.append(open(place + '/w', 'w'))\n  except OSError: pass\nprint(found)",
        "[]",
    ),
    denied("environment_file", "open('/proc/self/environ')", "FileNotFoundError|PermissionError"),
    denied(
        "parent_environment", "import os\nopen(f'/proc/{os.getppid()}/environ')", "FileNotFoundError|PermissionError"
    ),
    denied("other_root", "import os\nos.listdir('/proc/1/root')", "FileNotFoundError|PermissionError"),
    denied("own_memory", "open('/proc/self/mem', 'r+b')"),
    denied("save", "torch.save(torch.ones(1), '{canary}/x.pt')", "RuntimeError"),
    denied("load", "torch.load('{canary}/app.db')", "FileNotFoundError|PermissionError"),
    denied("map_file", "torch.from_file('{canary}/app.db', shared=True, size=1)", "RuntimeError"),
    denied("the_application", "import app.settings", "ModuleNotFoundError"),
    denied("the_sandbox", "import app.sandbox.limits", "ModuleNotFoundError"),
    shrugged("environment", "import os\nprint(dict(os.environ))", "{}"),
)

NETWORK = (
    denied("tcp", "import socket\nsocket.create_connection(('127.0.0.1', {port}), 1)"),
    denied("udp", "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM)"),
    denied("unix", "import socket\nsocket.socket(socket.AF_UNIX).connect('{canary}/socket')"),
    denied("netlink", "import socket\nsocket.socket(socket.AF_NETLINK, socket.SOCK_RAW)"),
    denied("pair", "import socket\nsocket.socketpair()"),
    denied("urllib", "import urllib.request as u\nu.urlopen('http://127.0.0.1:{port}/', timeout=1)", "URLError"),
    denied("dns", "import socket\nsocket.gethostbyname('localhost')", "gaierror"),
    denied("descriptor_passing", "import socket\nsocket.recv_fds(socket.socket(fileno=3), 9, 9)"),
    denied("store", "import torch.distributed as d\nd.TCPStore('127.0.0.1', 0, 1, True)", "DistStoreError"),
)

FORGERIES = (
    killed("frame_without_length", "import os\nos.write(3, b'{\"done\": null}')", "protocol error"),
    killed(
        "two_frames",
        "import os\nframe = b'{\"done\":null}'\nos.write(3, (len(frame).to_bytes(4, 'big') + frame) * 2)",
        "protocol error",
    ),
    killed(
        "frame_then_end",
        "import os\nframe = b'{\"done\":null}'\nos.write(3, len(frame).to_bytes(4, 'big') + frame)",
        "protocol error",
    ),
    killed(
        "frame_then_exit",
        "import os\nframe = b'{\"done\":null}'\nos.write(3, len(frame).to_bytes(4, 'big') + frame)\nos._exit(0)",
        "ended early",
    ),
    killed(
        "deep_frame",
        "import os\nframe = b'[' * 9999\nos.write(3, len(frame).to_bytes(4, 'big') + frame)",
        "protocol error",
    ),
    killed(
        "nan_frame",
        "import os\nframe = b'{\"done\":NaN}'\nos.write(3, len(frame).to_bytes(4, 'big') + frame)",
        "protocol error",
    ),
    killed("flood", "import os\nwhile True: os.write(3, b'{}' * 999)", "protocol error"),
    killed("closed_channel", "import os\nos.closerange(0, 99)", "ended early"),
    killed("replaced_channel", "import os\nos.dup2(1, 3)", "ended early"),
    killed("poisoned_builtins", "import builtins\nbuiltins.len = None", "ended early"),
    shrugged("patched_json", "import json, os\njson.dumps = os.write = None\nprint('end')", "end"),
    shrugged(
        "patched_torch",
        "torch.equal = torch.Tensor.__eq__ = lambda *a: True\ntorch.Tensor.item = lambda s: 42\nprint('end')",
        "end",
    ),
    shrugged("audit_hook", "import sys\nsys.addaudithook(lambda *a: None)\nprint('end')", "end"),
    shrugged("profiler_left_on", "import sys\nprint('end')\nsys.setprofile(lambda *a: None)", "end"),
    denied("harness_frames", "import sys\nsys._getframe(1).f_locals['answer']", "KeyError"),
)

POISONS = (
    shrugged("torch_function", "torch.ones = torch.tensor = None\nprint('end')", "end"),
    shrugged("modules", "import sys\nsys.modules['torch'] = sys.modules['json'] = None\nprint('end')", "end"),
    shrugged("defaults", "torch.set_default_dtype(torch.float64)\ntorch.set_grad_enabled(False)\nprint('end')", "end"),
    shrugged("environment_left", "import os\nos.environ['LEFT'] = '1'\nprint('end')", "end"),
    shrugged("recursion_limit", "import sys\nsys.setrecursionlimit(60)\nprint('end')", "end"),
)

ATTACKS = (*PROCESSES, *TIME, *MEMORY, *CRASHES, *OUTPUT, *FILES, *NETWORK, *FORGERIES, *POISONS)

# name, number, arguments, the errno that must come back
SYSTEM_CALLS = (
    ("vfork", 58, (), "EPERM"),
    ("clone", 56, (17, 0, 0, 0, 0), "EPERM"),
    ("clone_user", 56, (0x10000011, 0, 0, 0, 0), "EPERM"),
    ("clone3", 435, (0, 0), "ENOSYS"),
    ("execveat", 322, (0, 0, 0, 0, 0), "EPERM"),
    ("memfd_create", 319, (0, 0), "EPERM"),
    ("mlockall", 151, (3,), "EPERM"),
    ("shmget", 29, (0, 4096, 0o1666), "EPERM"),
    ("msgget", 68, (1, 0o1666), "EPERM"),
    ("semget", 64, (1, 1, 0o1666), "EPERM"),
    ("mq_open", 240, (0, 0o102, 0o666, 0), "EPERM"),
    ("ptrace", 101, (16, 1, 0, 0), "EPERM"),
    ("process_vm_readv", 310, (1, 0, 0, 0, 0, 0), "EPERM"),
    ("process_vm_writev", 311, (1, 0, 0, 0, 0, 0), "EPERM"),
    ("pidfd_open", 434, (1, 0), "EPERM"),
    ("pidfd_getfd", 438, (3, 0, 0), "EPERM"),
    ("pidfd_send_signal", 424, (3, 9, 0, 0), "EPERM"),
    ("unshare", 272, (0x10000000,), "EPERM"),
    ("setns", 308, (0, 0), "EPERM"),
    ("mount", 165, (0, 0, 0, 0, 0), "EPERM"),
    ("open_tree", 428, (-100, 0, 1), "EPERM"),
    ("fsopen", 430, (0, 0), "EPERM"),
    ("pivot_root", 155, (0, 0), "EPERM"),
    ("keyctl", 250, (0, -3, 1), "EPERM"),
    ("io_uring_setup", 425, (4, 0), "EPERM"),
    ("bpf", 321, (0, 0, 0), "EPERM"),
    ("perf_event_open", 298, (0, 0, 0, 0, 0), "EPERM"),
    ("userfaultfd", 323, (0,), "EPERM"),
    ("setuid", 105, (0,), "EPERM"),
    ("capset", 126, (0, 0), "EPERM"),
    ("clock_settime", 227, (0, 0), "EPERM"),
    ("personality", 135, (0xFFFFFFFF,), "EPERM"),
    ("prctl_dumpable", 157, (4, 1, 0, 0, 0), "EPERM"),
    ("prctl_parent_death", 157, (1, 0, 0, 0, 0), "EPERM"),
    ("seccomp", 317, (0, 0, 0), "EPERM"),
    ("landlock", 444, (0, 0, 1), "EPERM"),
    ("flock", 73, (1, 2), "EPERM"),
    ("fcntl_setlk", 72, (1, 6, 0), "EPERM"),
    ("fcntl_setown", 72, (1, 8, 1), "EPERM"),
    ("fcntl_setsig", 72, (1, 10, 9), "EPERM"),
    ("tiocsti", 16, (0, 0x5412, 0), "EPERM"),
    ("inotify_init", 253, (), "EPERM"),
    ("fanotify_init", 300, (0, 0), "EPERM"),
    ("splice", 275, (0, 0, 1, 0, 1, 0), "EPERM"),
    ("vmsplice", 278, (1, 0, 0, 0), "EPERM"),
    ("name_to_handle_at", 303, (-100, 0, 0, 0, 0), "EPERM"),
    ("open_by_handle_at", 304, (3, 0, 0), "EPERM"),
    ("setpriority", 141, (0, 0, -20), "EPERM"),
    ("sched_setaffinity", 203, (0, 0, 0), "EPERM"),
    ("kill_all", 62, (-1, 9), "EPERM"),
    ("kill_sibling", 62, ("{sibling}", 9), "EPERM"),
    ("tgkill_sibling", 234, ("{sibling}", "{sibling}", 9), "EPERM"),
    ("sigqueue_sibling", 129, ("{sibling}", 9, 0), "EPERM"),
    ("prlimit_of_another", 302, ("{sibling}", 7, 0, 0), "EPERM"),
    ("a_call_of_tomorrow", 470, (), "ENOSYS"),
)

INT_80 = """
import ctypes, mmap
m = mmap.mmap(-1, 4096, prot=7)
m.write(bytes.fromhex('b814000000cd80c3'))
ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))()
"""
KILLING_CALLS = (
    ("x32", "import ctypes\nctypes.CDLL(None).syscall(ctypes.c_long(0x40000000 + 39))"),
    ("int_80", INT_80),
)


def calls_code() -> str:
    """Return a snippet that makes every call of `SYSTEM_CALLS` and keeps each errno's name in `found`."""
    rows = ", ".join(
        f"({number}, ({', '.join(map(str, arguments))}{',' * bool(arguments)}))"
        for _, number, arguments, _ in SYSTEM_CALLS
    )
    return f"""
import ctypes, errno
library = ctypes.CDLL(None, use_errno=True)
found = []
for number, arguments in [{rows}]:
    ctypes.set_errno(0)
    result = library.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments))
    found.append(errno.errorcode[ctypes.get_errno()] if result == -1 else "let through")
"""
