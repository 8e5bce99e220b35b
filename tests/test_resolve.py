"""Variables that are tools: called if they are used, once, and never trusted."""

import asyncio
import gc
import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import docasm
from docasm.resolve import Resolvers
from docasm.source import Source
from tests.bundles import LAYOUT, load, skill, write_bundle
from tests.judge import Structure
from tests.strategies import hostile_text

DM = docasm.Trigger.dm("Hello")
PROFILE = "variables: {profile: {tool: get_profile, args: {of: admin, tags: [a]}, result_field: content}}"
USING = skill("# Chat\n\n{{ profile }}\n")
FILES = {"docasm.yaml": PROFILE, "skills/chat.md": USING}
PLACE = docasm.Place


class MuteError(Exception):
    """An error that has no words."""

    def __str__(self) -> str:
        raise ValueError("no words")


class Counted:
    """A resolver that notes its calls."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer
        self.calls: list[Any] = []

    def __call__(self, tool: str, args: Mapping[str, Any]) -> Any:
        self.calls.append((tool, args))
        return self.answer


def system(bundle: docasm.Bundle, **options: Any) -> str:
    return bundle.render(DM, **options).messages[0].content


def later(
    answer: Any, steps: int = 1, done: list[str] | None = None
) -> Callable[..., Coroutine[Any, Any, Any]]:
    """An async resolver that lets others go first, and notes when it is done."""

    async def resolver(*_: Any) -> Any:
        for _step in range(steps):
            await asyncio.sleep(0)
        if done is not None:
            done.append(str(answer))
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return resolver


def problem(bundle: docasm.Bundle, **options: Any) -> docasm.Problem:
    """The one problem of a render."""
    with pytest.raises(docasm.DocasmError) as caught:
        bundle.render(DM, **options)
    (found,) = caught.value.problems
    return found


class TestKinds:
    """Every kind of resolver."""

    @pytest.mark.parametrize(
        "resolvers",
        [
            {"get_profile": lambda args: {"content": f"I am {args['of']}."}},
            {"get_profile": lambda args: f"I am {args['of']}."},
            {"get_profile": {"content": "I am admin.", "more": 1}},
            {"get_profile": "I am admin."},
            lambda tool, args: f"I am {args['of']}." if tool == "get_profile" else 1 / 0,
        ],
        ids=["function", "function of text", "result", "text", "callable"],
    )
    def test_one_that_is_not_async(self, tmp_path: Path, resolvers: Resolvers) -> None:
        write_bundle(tmp_path, FILES)
        loaded = docasm.Bundle.load(tmp_path, resolvers=resolvers)
        assert system(loaded) == "# Chat\n\nI am admin."
        assert system(docasm.Bundle.load(tmp_path), resolvers=resolvers) == system(loaded)
        assert asyncio.run(loaded.arender(DM)).messages == loaded.render(DM).messages

    @pytest.mark.parametrize(
        "resolvers",
        [{"get_profile": later({"content": "I am."})}, later("I am.")],
        ids=["mapping", "callable"],
    )
    def test_one_that_is_async(self, tmp_path: Path, resolvers: Resolvers) -> None:
        render = asyncio.run(load(tmp_path, FILES).arender(DM, resolvers=resolvers))
        assert render.messages[0].content == "# Chat\n\nI am."

    def test_async_ones_are_awaited_together_and_their_order_of_ending_does_not_count(
        self, tmp_path: Path
    ) -> None:
        names, done = ("a", "b", "c"), list[str]()
        sources = ", ".join(f"{name}: {{tool: get_{name}}}" for name in names)
        body = "# Chat\n\n" + "\n\n".join(f"{{{{ {name} }}}}" for name in names)
        files = {"docasm.yaml": f"variables: {{{sources}}}", "skills/chat.md": skill(body)}
        resolvers = {
            f"get_{name}": later(f"{name}!", steps=9 - at, done=done) for at, name in enumerate(names)
        }
        render = asyncio.run(load(tmp_path, files).arender(DM, resolvers=resolvers))
        assert done == ["c!", "b!", "a!"]
        assert render.messages[0].content == "# Chat\n\na!\n\nb!\n\nc!"

    def test_a_task_and_a_future_can_be_awaited_too(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, FILES)

        async def with_a_task() -> docasm.Render:
            return await bundle.arender(
                DM, resolvers=lambda tool, _: asyncio.get_running_loop().create_task(later(tool)())
            )

        assert "get_profile" in asyncio.run(with_a_task()).markdown

    def test_an_async_one_in_a_render_that_is_not(self, tmp_path: Path) -> None:
        files = {
            "docasm.yaml": "variables: {a: {tool: get_a}, b: {tool: get_b}}",
            "skills/chat.md": skill("# {{ a }}\n\n{{ b }}\n"),
        }
        bundle = load(tmp_path, files)
        with pytest.raises(docasm.DocasmError) as caught:
            bundle.render(DM, resolvers=later("x"))
        gc.collect()  # where Python would tell of a coroutine that nobody awaited
        assert [each.message for each in caught.value.problems] == [
            "the tool `get_a` is asynchronous",
            "the tool `get_b` is asynchronous",
        ]
        assert caught.value.problems[0].hint == "use `await bundle.arender(...)`"

    def test_those_of_a_render_go_before_those_of_load(self, tmp_path: Path) -> None:
        write_bundle(tmp_path, FILES)
        bundle = docasm.Bundle.load(tmp_path, resolvers={"get_profile": "loaded"})
        assert system(bundle, resolvers={"get_profile": "rendered"}) == "# Chat\n\nrendered"
        assert system(bundle, resolvers={"other": "rendered"}) == "# Chat\n\nloaded"

    def test_the_arguments_are_the_functions_to_change(self, tmp_path: Path) -> None:
        seen: list[str] = []

        def resolver(args: Any) -> str:
            seen.append(repr(args))
            args["tags"].append("b")
            args.clear()
            return "x"

        bundle = load(tmp_path, FILES)
        bundle.render(DM, resolvers={"get_profile": resolver})
        bundle.render(DM, resolvers={"get_profile": resolver})
        assert seen == ["{'of': 'admin', 'tags': ['a']}"] * 2

    def test_arguments_can_be_json_text(self, tmp_path: Path) -> None:
        resolver = Counted("x")
        files = {**FILES, "docasm.yaml": """variables: {profile: {tool: t, args: '{"kind": 0}'}}"""}
        load(tmp_path, files).render(DM, resolvers=resolver)
        assert resolver.calls == [("t", {"kind": 0})]


class TestOnlyIfUsed:
    """A tool costs nothing where nobody reads what it says."""

    def calls(self, folder: Path, files: Mapping[str, str], **options: Any) -> int:
        resolver = Counted("what it says")
        load(folder, {**FILES, **files}).render(DM, resolvers=resolver, **options)
        return len(resolver.calls)

    def test_one_that_is_used(self, tmp_path: Path) -> None:
        assert self.calls(tmp_path, {}) == 1

    def test_one_that_no_text_uses(self, tmp_path: Path) -> None:
        assert self.calls(tmp_path, {"skills/chat.md": skill("# Chat")}) == 0

    def test_one_that_the_render_overrides(self, tmp_path: Path) -> None:
        assert self.calls(tmp_path, {}, variables={"profile": "mine"}) == 0

    def test_one_of_a_skill_that_is_not_selected(self, tmp_path: Path) -> None:
        files = {
            "skills/chat.md": skill("# Chat"),
            "skills/other.md": skill("{{ profile }}", "triggers: [cron]"),
        }
        assert self.calls(tmp_path, files) == 0

    def test_one_of_a_section_that_is_dropped(self, tmp_path: Path) -> None:
        layout = LAYOUT.replace("<<history>>", "{{ profile }}\n\n<<history>>")
        files = {"skills/chat.md": skill("# Chat"), "layouts/dm.md": layout}
        assert self.calls(tmp_path, files) == 0
        assert self.calls(tmp_path, files, history=[docasm.Turn("user", "Hi")]) == 1

    def test_one_that_is_used_everywhere_and_under_two_names(self, tmp_path: Path) -> None:
        tool = "{tool: get, args: {of: admin, kind: 0}}"
        again = "{tool: get, args: {kind: 0, of: admin}, result_field: x}"
        layout = LAYOUT.replace("<<tools>>", "<<shown>>")
        files = {
            "docasm.yaml": f"variables: {{profile: {tool}, again: {again}}}",
            "skills/chat.md": skill("# {{ profile }}\n\n{{ profile }}\n\nAgain: {{ profile }} {{ again }}\n"),
            "skills/more.md": skill("{{ again }}\n"),
            "layouts/dm.md": f"---\nslots: {{shown: {{from: profile}}}}\n---\n{layout}",
        }
        resolver = Counted({"content": "one", "x": "two"})
        text = load(tmp_path, files).render(DM, resolvers=resolver).markdown
        assert "# one\n\none\n\nAgain: one two\n\ntwo\n\n## Tools\n\none\n" in text
        assert resolver.calls == [("get", {"of": "admin", "kind": 0})]

    def test_other_arguments_are_another_call(self, tmp_path: Path) -> None:
        files = {
            "docasm.yaml": "variables: {a: {tool: t, args: {n: 1}}, b: {tool: t, args: {n: true}}}",
            "skills/chat.md": skill("{{ a }}\n\n{{ b }}\n"),
        }
        resolver = Counted("x")
        load(tmp_path, files).render(DM, resolvers=resolver)
        assert [args for _, args in resolver.calls] == [{"n": 1}, {"n": True}]

    def test_each_render_calls_again(self, tmp_path: Path) -> None:
        bundle, resolver = load(tmp_path, FILES), Counted("x")
        bundle.render(DM, resolvers=resolver)
        bundle.render(DM, resolvers=resolver)
        assert len(resolver.calls) == 2


class TestAnotherProvider:
    """A render for another provider asks only what the first did not."""

    FILES: Mapping[str, str] = {
        "docasm.yaml": "variables: {a: {tool: get_a}, b: {tool: get_b}}",
        "skills/chat.md": skill('{{ a }}\n\n{% if provider == "other" %}\n{{ b }}\n{% endif %}\n'),
    }

    def test_results_are_kept(self, tmp_path: Path) -> None:
        resolver = Counted("said")
        render = load(tmp_path, self.FILES).render(DM, resolvers=resolver)
        other = render.for_provider("other")
        assert render.messages[0].content == "said"
        assert other.messages[0].content == "said\n\nsaid"
        assert other.provider == "other"
        assert len(resolver.calls) == 2  # a tag asks for all that it could need

    def test_what_only_the_other_text_uses_is_asked_of_the_same_resolvers(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, {**self.FILES, "skills/chat.md": skill("{{ a }}\n"), "layouts/dm.md": LAYOUT})
        layouts = bundle.contents.compiler.layouts.found
        source = Source("other.md", "system:\n<<skills>>\n\n{{ b }}\n\nuser:\n<<input>>\n")
        (body,) = layouts["dm"].bodies
        layouts["dm"] = replace(layouts["dm"], bodies=(replace(body, by_provider={"other": source}),))

        resolver = Counted("said")
        render = bundle.render(DM, resolvers=resolver)
        assert (render.messages[0].content, len(resolver.calls)) == ("said", 1)
        assert render.for_provider("other").messages[0].content == "said\n\nsaid"
        assert [tool for tool, _ in resolver.calls] == ["get_a", "get_b"]

        render = asyncio.run(bundle.arender(DM, resolvers=later("said")))
        with pytest.raises(docasm.DocasmError, match="the tool `get_b` is asynchronous"):
            render.for_provider("other")

    def test_the_same_text_is_the_same_render(self, tmp_path: Path) -> None:
        resolver = Counted("said")
        bundle = load(tmp_path, {**self.FILES, "skills/chat.md": skill("{{ a }}\n")})
        render = bundle.render(DM, resolvers=resolver)
        assert render.for_provider(render.provider) is render
        assert render.for_provider("other").messages is render.messages
        assert len(resolver.calls) == 1

    def test_after_async_ones(self, tmp_path: Path) -> None:
        render = asyncio.run(load(tmp_path, self.FILES).arender(DM, resolvers=later("said")))
        assert render.for_provider("other").messages[0].content == "said\n\nsaid"


class TestErrors:
    """Each with its code, the tool's name and the place that uses it."""

    @pytest.mark.parametrize(
        ("resolvers", "code", "message"),
        [
            (None, "no-resolver", "nothing resolves the tool `get_profile`"),
            ({"get_profil": 1}, "no-resolver", "nothing resolves the tool `get_profile`"),
            (
                {"get_profile": {"contents": "x", "n\n2": 1}},
                "bad-result",
                "the result of the tool `get_profile` has no `content`; it has `contents`, `n 2`",
            ),
            ({"get_profile": {}}, "bad-result", "has no `content`; it has nothing"),
            ({"get_profile": 7}, "bad-result", "is no text but of the type `int`"),
            ({"get_profile": None}, "bad-result", "is no text but of the type `NoneType`"),
            ({"get_profile": b"x"}, "bad-result", "is no text but of the type `bytes`"),
            ({"get_profile": ["x"]}, "bad-result", "is no text but of the type `list`"),
            ({"get_profile": {"content": {"a": 1}}}, "bad-result", "is no text but of the type `dict`"),
            (lambda *_: 1 / 0, "tool-failed", "the tool `get_profile` failed: division by zero"),
            ({"get_profile": lambda _: [][0]}, "tool-failed", "failed: list index out of range"),
            ({"get_profile": lambda _: next(iter(()))}, "tool-failed", "failed: StopIteration"),
            ({"get_profile": lambda: 1}, "tool-failed", "takes 0 positional arguments but 1 was given"),
        ],
    )
    def test_what_goes_wrong(self, tmp_path: Path, resolvers: Resolvers, code: str, message: str) -> None:
        bundle = load(tmp_path, FILES)
        found = problem(bundle, resolvers=resolvers)
        assert (found.code, found.severity) == (code, "error")
        assert message in found.message
        assert "`get_profile`" in found.message
        assert found.place == PLACE(f"{tmp_path}/skills/chat.md", 6, 1)
        assert found.source_line == "{{ profile }}"
        with pytest.raises(docasm.DocasmError) as caught:
            asyncio.run(bundle.arender(DM, resolvers=resolvers))
        assert caught.value.problems == (found,)

    @pytest.mark.parametrize(
        ("error", "told"),
        [
            (ValueError("no\n\n  relay\x85answers"), "no relay answers"),
            (KeyError(), "KeyError"),
            (MuteError(), "MuteError"),
            (RuntimeError("x" * 1000), "x" * 300 + "..."),
            (docasm.DocasmError([docasm.Problem("bad-event", "of its own", hint="mend it")]), "of its own"),
            (asyncio.CancelledError(), "CancelledError"),
        ],
    )
    def test_what_an_async_tool_raises(self, tmp_path: Path, error: BaseException, told: str) -> None:
        with pytest.raises(docasm.DocasmError) as caught:
            asyncio.run(load(tmp_path, FILES).arender(DM, resolvers=later(error)))
        (found,) = caught.value.problems
        assert (found.code, found.message) == ("tool-failed", f"the tool `get_profile` failed: {told}")

    @pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
    def test_what_ends_a_program_ends_it(self, tmp_path: Path, error: type[BaseException]) -> None:
        def resolver(*_: Any) -> None:
            raise error

        with pytest.raises(error):
            load(tmp_path, FILES).render(DM, resolvers=resolver)

    def test_a_render_that_is_cancelled(self, tmp_path: Path) -> None:
        async def cancelled() -> None:
            task = asyncio.ensure_future(load(tmp_path, FILES).arender(DM, resolvers=later("x", steps=1000)))
            await asyncio.sleep(0)
            task.cancel()
            await task

        with pytest.raises(asyncio.CancelledError):
            asyncio.run(cancelled())

    def test_all_that_fail_are_told_at_once_each_where_it_is_used_first(self, tmp_path: Path) -> None:
        files = {
            "docasm.yaml": "variables: {a: {tool: get_a}, b: {tool: get_b}}",
            "skills/chat.md": skill("# {{ b }}\n\n{{ a }}\n\n{{ b }}\n"),
        }
        with pytest.raises(docasm.DocasmError) as caught:
            load(tmp_path, files).render(DM)
        assert [f"{each.place}: {each.message}" for each in caught.value.problems] == [
            f"{tmp_path}/skills/chat.md:4:3: nothing resolves the tool `get_b`",
            f"{tmp_path}/skills/chat.md:6:1: nothing resolves the tool `get_a`",
        ]

    def test_a_failure_is_not_remembered(self, tmp_path: Path) -> None:
        bundle = load(tmp_path, FILES)
        assert problem(bundle).code == "no-resolver"
        assert system(bundle, resolvers={"get_profile": "x"}) == "# Chat\n\nx"

    @pytest.mark.parametrize(
        ("variable", "told"),
        [
            ("{tool: 7}", "`tool` must be text"),
            ("{tool: ''}", "`tool` must be the name of a tool"),
            ("{tool: null}", "`tool` must be the name of a tool"),
            ("{tool: t, args: [1]}", "`args` must be a mapping, or JSON text of one"),
            ("{tool: t, args: '[1]'}", "`args` must be a mapping, or JSON text of one"),
            ("{tool: t, args: '{'}", "`args` must be a mapping, or JSON text of one"),
            ("{tool: t, result_field: 7}", "`result_field` must be text"),
        ],
    )
    def test_sources_that_make_no_sense(self, tmp_path: Path, variable: str, told: str) -> None:
        with pytest.raises(docasm.DocasmError) as caught:
            load(tmp_path, {**FILES, "docasm.yaml": f"variables:\n  profile: {variable}"})
        (found,) = caught.value.problems
        assert (found.code, found.message) == ("wrong-type", told)
        assert found.place is not None
        assert found.place.line == 2

    def test_a_mapping_with_other_keys_is_no_tool(self, tmp_path: Path) -> None:
        files = {
            "docasm.yaml": "variables: {hammer: {tool: hammer, weight: 2}}",
            "skills/chat.md": skill("{{ hammer.tool }} {{ hammer.weight }}"),
        }
        assert system(load(tmp_path, files)) == "hammer 2"

    def test_the_bundle_has_no_problem_with_tools_that_nobody_answers_for_yet(self, tmp_path: Path) -> None:
        assert load(tmp_path, FILES).problems == ()


class TestWhoseTool:
    """Which of several values of a variable is used."""

    def text(self, folder: Path, files: Mapping[str, str]) -> tuple[str, tuple[docasm.Problem, ...]]:
        render = load(folder, files).render(DM, resolvers=lambda tool, _: f"from {tool}")
        return render.messages[0].content, render.problems

    def test_of_two_skills_the_first_wins_and_the_other_is_warned_of(self, tmp_path: Path) -> None:
        files = {
            f"skills/{name}.md": skill("It: {{ x }}\n", f"triggers: [dm]\nvariables:\n  x: {{tool: {name}}}")
            for name in "ab"
        }
        text, (found,) = self.text(tmp_path, files)
        assert text == "It: from a\n\nIt: from a"
        assert (found.code, found.severity, str(found.place)) == (
            "conflicting-variables",
            "warning",
            f"{tmp_path}/skills/b.md:4:6",
        )
        assert f"the variable `x` is another tool at {tmp_path}/skills/a.md:4:6" in found.message

    def test_the_same_tool_twice_is_no_conflict(self, tmp_path: Path) -> None:
        both = skill("It: {{ x }}\n", "triggers: [dm]\nvariables: {x: {tool: t}}")
        assert self.text(tmp_path, {"skills/a.md": both, "skills/b.md": both}) == (
            "It: from t\n\nIt: from t",
            (),
        )

    def test_a_skills_plain_value_is_its_own(self, tmp_path: Path) -> None:
        files = {
            "skills/a.md": skill("It: {{ x }}\n", "triggers: [dm]\nvariables: {x: plain}"),
            "skills/b.md": skill("It: {{ x }}\n", "triggers: [dm]\nvariables: {x: {tool: t}}"),
        }
        assert self.text(tmp_path, files) == ("It: plain\n\nIt: from t", ())

    @pytest.mark.parametrize(("value", "text"), [("plain", "plain"), ("{tool: u}", "from u")])
    def test_the_bundle_goes_before_skills(self, tmp_path: Path, value: str, text: str) -> None:
        files = {
            "docasm.yaml": f"variables: {{x: {value}}}",
            "skills/a.md": skill("It: {{ x }}\n", "triggers: [dm]\nvariables: {x: {tool: t}}"),
            "skills/b.md": skill("It: {{ x }}\n", "triggers: [dm]\nvariables: {x: mine}"),
        }
        assert self.text(tmp_path, files) == (f"It: {text}\n\nIt: {text}", ())

    def test_an_included_skill_has_its_tool(self, tmp_path: Path) -> None:
        files = {
            "docasm.yaml": "adopted: [a]",
            "skills/a.md": skill("<<b>>\n"),
            "skills/b.md": skill("It: {{ x }}\n", "variables: {x: {tool: t}}"),
        }
        assert self.text(tmp_path, files) == ("It: from t", ())


class TestSlots:
    """A slot of the layout's own shows what a tool says."""

    LAYOUT = (
        "---\nslots: {notes: {from: notes, max_items: 2}}\nvariables: {notes: {tool: get_notes}}\n---\n"
        "system:\n<<skills>>\n\n## Notes\n\n<<notes>>\n\nuser:\n<<input>>\n"
    )
    FILES: Mapping[str, str] = {"layouts/dm.md": LAYOUT, "skills/chat.md": skill("# Chat")}

    @pytest.mark.parametrize(
        ("answer", "text"),
        [
            ("One.", "\n\n## Notes\n\nOne."),
            (["a", "b"], "\n\n## Notes\n\n- a\n- b"),
            ({"content": ["a", "b", "c"]}, "\n\n## Notes\n\n- a\n- b\n\n(1 item is not shown.)"),
            ("", ""),
            ([], ""),
        ],
    )
    def test_what_it_shows(self, tmp_path: Path, answer: Any, text: str) -> None:
        bundle = load(tmp_path, self.FILES)
        assert system(bundle, resolvers={"get_notes": answer}) == f"# Chat{text}"

    @pytest.mark.parametrize("answers", [("one", "two"), ("", "two"), ("one", "")])
    def test_it_is_no_part_of_what_stays(self, tmp_path: Path, answers: Sequence[str]) -> None:
        bundle = load(tmp_path, self.FILES)
        one, other = (bundle.render(DM, resolvers={"get_notes": each}) for each in answers)
        stays = one.stable_prefix("variables")
        assert one.markdown[:stays] == other.markdown[:stays]
        assert len("system:\n# Chat") <= stays < one.stable_prefix()

    @pytest.mark.parametrize("answer", [7, [1], {"content": {}}])
    def test_what_it_does_not(self, tmp_path: Path, answer: Any) -> None:
        found = problem(load(tmp_path, self.FILES), resolvers={"get_notes": answer})
        assert found.code == "bad-result"
        assert "is no text, nor a list of texts, but of the type" in found.message
        assert (found.place, found.source_line) == (PLACE(f"{tmp_path}/layouts/dm.md", 10, 1), "<<notes>>")

    def test_a_list_is_for_the_slot_alone(self, tmp_path: Path) -> None:
        layout = self.LAYOUT.replace("## Notes", "{{ notes }}\n\n## Notes")
        resolver = Counted(["a"])
        found = problem(load(tmp_path, {**self.FILES, "layouts/dm.md": layout}), resolvers=resolver)
        assert (found.code, found.source_line, len(resolver.calls)) == ("bad-result", "{{ notes }}", 1)


class TestScenario:
    """`results` of a scenario, and its variables."""

    def scenario(self, folder: Path, text: str, **options: Any) -> docasm.Scenario:
        write_bundle(folder, {**FILES, "dm.yaml": f"trigger: {{type: dm, text: Hi}}\n{text}"})
        return docasm.load_scenario(folder / "dm.yaml", **options)

    def test_results(self, tmp_path: Path) -> None:
        scenario = self.scenario(tmp_path, "results: {get_profile: {content: Canned.}}")
        assert scenario.render().messages[0].content == "# Chat\n\nCanned."
        assert scenario.results == {"get_profile": {"content": "Canned."}}

    def test_resolvers_answer_for_what_is_not_canned(self, tmp_path: Path) -> None:
        live = {"get_profile": "Live."}
        assert "Live." in self.scenario(tmp_path, "", resolvers=live).render().markdown
        canned = self.scenario(tmp_path, "results: {get_profile: Canned.}", resolvers=live)
        assert "Canned." in canned.render().markdown

    def test_a_variable_of_a_scenario_can_be_a_tool(self, tmp_path: Path) -> None:
        text = "variables: {profile: {tool: other}, unused: {tool: never}}\nresults: {other: Other.}"
        render = self.scenario(tmp_path, text).render()
        assert render.messages[0].content == "# Chat\n\nOther."
        assert [each.code for each in render.problems] == ["unused-variable"]

    def test_without_results(self, tmp_path: Path) -> None:
        with pytest.raises(docasm.DocasmError, match="no-resolver"):
            self.scenario(tmp_path, "").render()

    def test_results_are_a_mapping(self, tmp_path: Path) -> None:
        with pytest.raises(docasm.DocasmError, match="`results` must be a mapping"):
            self.scenario(tmp_path, "results: [1]")


WORDS = re.compile("Ends|Shown|Last")
BODY = "# On {{ x }}\n\nIt says: {{ x }}\n\n{{ x }}\n\n```\n{{ x }}\n```\n\n## Ends\n"
SHOWN = (
    "---\nslots: {shown: {from: x}}\nvariables: {x: {tool: t}}\n---\n"
    "system:\n<<skills>>\n\n## Shown\n\n<<shown>>\n\n## Last\n\nThe end.\n\nuser:\n<<input>>\n"
)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> docasm.Bundle:
    return load(tmp_path_factory.mktemp("hostile"), {"skills/chat.md": skill(BODY), "layouts/dm.md": SHOWN})


@pytest.fixture(scope="module")
def listing(tmp_path_factory: pytest.TempPathFactory) -> docasm.Bundle:
    return load(tmp_path_factory.mktemp("listing"), TestSlots.FILES)


class TestUntrusted:
    """What a tool says forges no message and bends no outline."""

    @given(value=hostile_text())
    def test_hostile_text(self, hostile: docasm.Bundle, value: str) -> None:
        render = hostile.render(DM, resolvers={"t": {"content": f"x{value}"}})
        plain = hostile.render(DM, resolvers={"t": "plain"})
        assert [each.role for each in render.messages] == ["system", "user"]
        assert docasm.split(render.markdown) == render.messages
        assert render.messages[1] == plain.messages[1]
        told, wanted = (Structure(each.messages[0].content, WORDS).told for each in (render, plain))
        assert told == wanted

    @given(values=st.lists(hostile_text().map("x".__add__), min_size=1, max_size=4))
    def test_hostile_items(self, listing: docasm.Bundle, values: list[str]) -> None:
        render = asyncio.run(listing.arender(DM, resolvers=later(values)))
        plain = listing.render(DM, resolvers={"get_notes": "plain"})
        assert [each.role for each in render.messages] == ["system", "user"]
        assert docasm.split(render.markdown) == render.messages
        told, wanted = (Structure(each.messages[0].content, WORDS).told for each in (render, plain))
        assert told == wanted

    def test_what_is_no_text_for_unicode(self, hostile: docasm.Bundle) -> None:
        assert problem(hostile, resolvers={"t": "\ud800"}).code == "lone-surrogate"
