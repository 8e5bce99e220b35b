"""A bundle that changes while other threads render: they see the old set or the new one, never half."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Barrier, Thread

import pytest

import docasm
from docasm import compiler
from tests.bundles import LAYOUT, load, skill
from tests.changing import CRON, DM, change, system


@pytest.fixture(autouse=True)
def _quick_turns() -> Iterator[None]:
    """Threads take turns much more often than they would."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


@contextmanager
def readers(look: Callable[[], object], number: int = 3) -> Iterator[None]:
    """Threads that look again and again; what any of them raises is raised here."""
    failures: list[BaseException] = []
    done: list[bool] = []
    barrier = Barrier(number + 1)

    def read() -> None:
        barrier.wait()
        try:
            while not done:
                look()
            look()
        except BaseException as failure:
            failures.append(failure)

    threads = [Thread(target=read) for _ in range(number)]
    for thread in threads:
        thread.start()
    barrier.wait()
    try:
        yield
    finally:
        done.append(True)
        for thread in threads:
            thread.join()
    if failures:
        raise failures[0]


class TestThreads:
    """Two skills, included and selected, say the same number in each set."""

    FILES: Mapping[str, str] = {"docasm.yaml": "variables: {n: 0}", "layouts/dm.md": LAYOUT}

    @staticmethod
    def pair(number: int) -> Mapping[str, str]:
        return {
            "skills/a.md": skill(f"n{number} <<c>>"),
            "skills/b.md": skill(f"n{number}"),
            "skills/c.md": f"n{number}",
        }

    @staticmethod
    def look(bundle: docasm.Bundle, seen: set[str]) -> None:
        for variables in ({}, {"v": "x"}):
            render = bundle.render(DM, variables=variables)
            words = render.messages[0].content.split()
            assert len(words) == 3
            assert len(set(words)) == 1, words
            seen.add(words[0])

    def test_both_files_change_and_are_read_again(self, tmp_path: Path) -> None:
        bundle, seen = load(tmp_path, {**self.FILES, **self.pair(0)}), set[str]()
        with readers(lambda: self.look(bundle, seen)):
            for number in range(1, 41):
                change(tmp_path, self.pair(number % 2))
                assert len(bundle.refresh().changed) == 3
        assert seen == {"n0", "n1"}

    def test_one_skill_stands_for_another(self, tmp_path: Path) -> None:
        """All read the name of one set, and each edit replaces it."""
        files = {
            **self.FILES,
            "docasm.yaml": "adopted: [main]",
            "skills/main.md": skill("<<inner>> <<inner>>"),
        }
        bundle, seen = load(tmp_path, {**files, "skills/inner.md": "n0"}), set[str]()

        def look() -> None:
            words = system(bundle).split()
            assert words[0] == words[1], words
            seen.update(words)
            assert bundle.problems == ()
            assert len(bundle.skills) in (2, 3)

        with readers(look):
            for number in range(60):
                bundle.create("inner", f"n{number}")
                bundle.create("other", skill(f"<<inner>> n{number}"))
                bundle.adopt("main", "dm")
                bundle.remove("other")
                bundle.remove("inner")
        assert len(seen) > 1

    def test_adopting_moves_from_one_whole_set_to_another(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, {"docasm.yaml": "adopted: [a]", "skills/a.md": skill("A")})
        allowed = {("a",), ("a", "n")}

        def look() -> None:
            assert bundle.render(DM).skills in allowed

        with readers(look):
            for number in range(200):
                bundle.create("n", skill(f"n{number}"))
                bundle.adopt("n")
                bundle.remove("n")

    def test_many_writers(self, tmp_path: Path) -> None:
        """No change is lost."""
        bundle = load(tmp_path, {"skills/a.md": skill("A")})

        def write(number: int) -> None:
            for count in range(5):
                bundle.create(f"n{number}-{count}", skill(f"N{number}"))
                bundle.refresh()
                bundle.adopt(f"n{number}-{count}", "cron")

        threads = [Thread(target=write, args=(number,)) for number in range(4)]
        with readers(lambda: bundle.render(DM), 2):
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert len(bundle.skills) == 21
        assert len(bundle.render(CRON).skills) == 20
        assert system(bundle) == "A"

    def test_many_selections_at_once(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """More documents than are kept, so that threads throw out the oldest at the same time."""
        monkeypatch.setattr(compiler, "MAX_KEPT", 2)
        bundle = load(tmp_path, {"skills/a.md": skill("A")})
        numbers = iter(range(10**9))
        with readers(lambda: bundle.render(DM, variables={f"v{next(numbers)}": 1})):
            for number in range(30):
                bundle.create("n", skill(f"N{number}"))
        assert system(bundle) == "A\n\nN29"
