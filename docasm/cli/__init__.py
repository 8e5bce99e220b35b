"""The command line: one file per command.

Stdout is data, stderr is talk. The exit code is 0, 1 where something is wrong with what was read, or 2 where
something is wrong with the command itself.
"""

from docasm.cli.program import main as main
