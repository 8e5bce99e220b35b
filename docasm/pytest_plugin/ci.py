"""Where CI is set, nothing is written."""

import os

import pytest

CI = "CI"
"""The environment variable that every CI service sets."""
_SAID = f"docasm: no snapshot is written or removed where {CI} is set; update them elsewhere, and commit them"


def forbid_writing(config: pytest.Config) -> None:
    """Takes `--snapshot-update` back where CI is set to something, and has the summary say so."""
    workeroutput = getattr(config, "workeroutput", None)
    if workeroutput is not None:
        workeroutput["docasm"] = True
    option = config.option
    if os.environ.get(CI) and (option.update_snapshots or option.update_new_snapshots_only):
        option.update_snapshots = option.update_new_snapshots_only = False
        vars(config)["_docasm_ci"] = _SAID
