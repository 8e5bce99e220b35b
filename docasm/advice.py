"""What `docasm check` lists: problems and what lints find, as severe as the owner of the bundle says."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from docasm.codes import CODES
from docasm.errors import Problem, did_you_mean
from docasm.ignores import Ignore, ignores
from docasm.lints import SECOND_PARSER_CODE, lint
from docasm.lints.subject import BundleFile, Subject
from docasm.severities import Severities


def advice(subject: Subject, problems: Iterable[Problem], severities: Severities) -> tuple[Problem, ...]:
    """The problems and what lints find in a bundle, judged."""
    return judge(subject, [*problems, *lint(subject)], severities)


def judge(subject: Subject, problems: Iterable[Problem], severities: Severities) -> tuple[Problem, ...]:
    """The problems of a bundle without what is silenced; comments that silence nothing are told."""
    found = tuple(dict.fromkeys(problems))
    comments = [each for file in subject.files for each in comments_of(file)]
    silent = _Silence.of(comments)
    loud = [problem for problem in found if not silent.silences(problem)]
    broken = {each.place.path for each in found if each.place and each.severity == "error"}
    checked = [each for each in comments if each.source.path not in broken]
    loud += _without_effect(checked, silent.used, skipped=subject.second_parser is None)
    paths = {file.label: file.relative for file in subject.files}
    judged = (severities.judge(problem, _path(problem, paths)) for problem in loud)
    return tuple(problem for problem in judged if problem is not None)


def comments_of(file: BundleFile) -> Iterable[Ignore]:
    """The comments of a file's YAML; JSON has none, and a soul document has no YAML."""
    if file.kind == "soul" or file.path.suffix == ".json":
        return ()
    return ignores(file.settings.source)


class _Silence:
    """The comments, by what they are for, and which of them had an effect."""

    def __init__(self, by_file: Mapping[tuple[str, str], Sequence[Ignore]]) -> None:
        self._by_file = by_file
        self.used: set[tuple[str, int]] = set()

    @classmethod
    def of(cls, comments: Iterable[Ignore]) -> "_Silence":
        by_file: dict[tuple[str, str], list[Ignore]] = {}
        for each in comments:
            by_file.setdefault((each.source.path, each.code), []).append(each)
        return cls(by_file)

    def silences(self, problem: Problem) -> bool:
        path = problem.place.path if problem.place else ""
        fitting = [each for each in self._by_file.get((path, problem.code), ()) if each.silences(problem)]
        self.used |= {(path, each.offset) for each in fitting}
        return bool(fitting)


def _without_effect(
    comments: Iterable[Ignore], used: set[tuple[str, int]], *, skipped: bool
) -> Iterator[Problem]:
    for each in comments:
        if each.code not in CODES:
            hint = did_you_mean(each.code, CODES, kind="codes")
            message = f"there is no problem `{each.code}` to ignore"
            yield each.source.problem_at("unknown-code", message, each.offset, hint=hint, severity="warning")
        elif skipped and each.code == SECOND_PARSER_CODE:
            continue
        elif (each.source.path, each.offset) not in used:
            where = "this file" if each.line is None else "this line"
            message = f"{where} has no `{each.code}` to ignore"
            yield each.source.problem_at(
                "unused-ignore", message, each.offset, hint="remove the comment", severity="note"
            )


def _path(problem: Problem, paths: Mapping[str, str]) -> str:
    """The path of a problem's file from the bundle."""
    label = problem.place.path if problem.place else ""
    return paths.get(label, label)
