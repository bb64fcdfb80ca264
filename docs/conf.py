"""Settings of Sphinx; `make docs` builds the site in build/docs. Nothing is fetched meanwhile."""

import os
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.logging import getLogger

sys.path.insert(0, str(Path(__file__).parent))

import ttt
from ttt.version import __version__
from ttt_core.interface import Position

# A board has these members from the compiled module of its game; the interface documents them.
for name, member in vars(Position).items():
    if not hasattr(ttt.Board, name):
        setattr(ttt.Board, name, member)

os.environ["TTT_TINY"] = "1"  # a notebook that trains takes seconds instead of minutes

project = "ttt"
release = __version__
copyright = "the authors of ttt, MIT licence"
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "source_pages",
]
exclude_patterns = ["**/.ipynb_checkpoints"]
nitpicky = True
nitpick_ignore_regex = [("py:.*", r".*")]  # of annotations; references in the text use MyST

myst_enable_extensions = ["colon_fence", "deflist", "html_image"]
myst_heading_anchors = 3

nb_execution_mode = "force"
nb_execution_timeout = 300
nb_execution_raise_on_error = True
nb_merge_streams = True

default_role = "code"  # of `text` in docstrings
smartquotes = False  # quotes in docstrings belong to code

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_title = f"ttt {release}"
html_static_path = ["_static"]
html_css_files = ["ttt.css"]
html_show_sphinx = False
html_show_copyright = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True}
templates_path: list[str] = []


def trim_blocks(app: Sphinx, document: nodes.document) -> None:
    """Removes the empty line that ends an interactive example in the source."""
    for block in document.findall(nodes.literal_block):
        text = block.astext()
        if text.endswith("\n"):
            block.rawsource = text.rstrip("\n")
            block[:] = [nodes.Text(block.rawsource)]


def demand_docstring(
    app: Sphinx, kind: str, name: str, member: Any, options: Any, lines: list[str]
) -> None:
    """A field of a named tuple needs a docstring of its own: Python's says nothing."""
    if lines and lines[0].startswith("Alias for field number"):
        getLogger(__name__).warning("%s has no docstring", name)


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", trim_blocks)
    app.connect("autodoc-process-docstring", demand_docstring)
