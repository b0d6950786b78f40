"""Simulated persons for tests: they answer a run's questions only through its folder."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager

from voxpolis.experiments.run.command import main
from voxpolis.experiments.run.registry import scenario as experiment
from voxpolis.records import find_runs
from voxpolis.records.questions import OpenQuestions, answer


def _answer_all(folder, answers, asked, over):
    questions, seen = OpenQuestions(folder), set()
    while not over.is_set():
        for one in questions.now():
            if one["name"] not in seen:
                seen.add(one["name"])
                asked.append(one)
                if (said := answers(one)) is not None:
                    answer(folder, one["name"], said)
        time.sleep(0.01)


@contextmanager
def _beside(work):
    """Run work in a separate thread, which ends when the event passed to it is set."""
    over = threading.Event()
    person = threading.Thread(target=work, args=[over])
    person.start()
    try:
        yield
    finally:
        over.set()
        person.join()


@contextmanager
def answering_here(folder, said):
    """Answer the questions of one run folder with the given words, in order."""
    asked = []
    with _beside(lambda over: _answer_all(folder, lambda _: said.popleft(), asked, over)):
        yield asked


@contextmanager
def answering(out, answers):
    """Answer the questions of the run that appears below a folder; yield the questions.

    ``answers``: returns the words that answer a question, or None to leave it unanswered.
    """
    asked = []

    def work(over):
        while not over.is_set() and not (folders := list(find_runs([out]))):
            time.sleep(0.02)
        if not over.is_set():
            _answer_all(folders[0], answers, asked, over)

    with _beside(work):
        yield asked


def play(scenario, out, **values):
    """Play a scenario in this process; return the exit code and the run folder."""
    code = main(experiment(scenario), {"out": out, "json_output": True, **values})
    (folder,) = find_runs([out])
    return code, folder
