"""Jobs as forks of a process that has already imported their modules."""

from __future__ import annotations

import signal

import pytest

from voxpolis.experiments.study.job_host import CAN_FORK, JobHost

pytestmark = pytest.mark.skipif(not CAN_FORK, reason="jobs are processes of their own here")


@pytest.fixture(scope="module")
def host():
    host = JobHost(["calendar"])
    yield host
    host.close()


def test_job_prints_fails_and_exits_like_a_normal_process(host):
    """Several jobs run concurrently; each has its own variables."""
    serving = host.start(["http.server", "0", "--bind", "127.0.0.1"], {"PYTHONUNBUFFERED": "1"})
    listed = host.start(["calendar", "2026", "2"], {"LC_ALL": "C"})
    failed = host.start(["calendar", "never"], {})
    assert "February 2026" in listed.stdout.read()
    assert listed.wait() == listed.poll() == 0
    assert "never" in failed.stderr.read()
    assert failed.wait() == 2
    assert serving.poll() is None
    serving.terminate()
    assert serving.wait() == -signal.SIGTERM
    serving.terminate()  # the process has already ended


def test_ended_host_raises_an_error():
    host = JobHost(["no_such_module"])
    with pytest.raises(RuntimeError, match="the process that starts jobs has ended"):
        host.start(["calendar"], {})
    host.close()
