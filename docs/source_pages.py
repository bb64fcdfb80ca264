"""A Sphinx extension: links to files of the project outside of docs/ lead to pages of the site.

A link such as `[pvs.pxi](../../src/ttt_core/search/pvs.pxi)` works in an editor and on a code host.
In the site it leads to a page with the highlighted file, or, for a Markdown file that a page of the
site includes, to that page. A link to a file that does not exist is a warning, so the build fails.
"""

import posixpath
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

PROJECT = Path(__file__).resolve().parent.parent
INCLUDED = {
    "CHANGELOG.md": "reference/changelog",
    "CONTRIBUTING.md": "reference/contributing",
    "bench/RESULTS.md": "reference/measurements",
    "README.md": "index",
}
"""Files that are pages of the site."""
FOLDER = "source"
PAGES = "source_pages"
"""The metadata of a document: the files that it links to."""
LANGUAGES = {
    ".c": "c",
    ".js": "javascript",
    ".md": "markdown",
    ".mjs": "javascript",
    ".pxd": "cython",
    ".pxi": "cython",
    ".py": "python",
    ".pyi": "python",
    ".pyx": "cython",
    ".toml": "toml",
}


class SourceLinks(SphinxTransform):
    """Replaces what MyST makes of a link to a file, a download, by a link to its page."""

    default_priority = 200

    def apply(self, **options: Any) -> None:
        for node in list(self.document.findall(self.is_file_link)):
            folder = Path(self.env.doc2path(self.env.docname)).parent
            target = node["reftarget"]
            if isinstance(node, addnodes.pending_xref):  # Markdown, without its suffix
                target = str(self.env.srcdir / target) + ".md"
            path = Path(posixpath.normpath(folder / target))
            if not path.is_file():
                continue
            name = path.relative_to(PROJECT).as_posix()
            if name in INCLUDED:
                link = addnodes.pending_xref("", *node.children, **node.attributes)
                link["refdomain"], link["reftarget"] = "doc", INCLUDED[name]
                link.setdefault("reftargetid", None)
            else:
                self.env.metadata[self.env.docname].setdefault(PAGES, set()).add(name)
                uri = self.env.app.builder.get_relative_uri(self.env.docname, f"{FOLDER}/{name}")
                link = nodes.reference("", "", *node.children, refuri=uri, internal=True)
            node.replace_self(link)

    def is_file_link(self, node: nodes.Node) -> bool:
        if isinstance(node, addnodes.pending_xref):
            return node.get("refdomain") == "doc" and node["reftarget"] not in self.env.found_docs
        return isinstance(node, addnodes.download_reference)


def pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """The pages of the linked files."""
    names = set[str]().union(*(data.get(PAGES, ()) for data in app.env.metadata.values()))
    for name in sorted(names):
        text = (PROJECT / name).read_text(encoding="utf-8")
        language = LANGUAGES.get(posixpath.splitext(name)[1], "text")
        highlighter: Any = app.builder.highlighter
        body = highlighter.highlight_block(text, language, force=True, linenos=False)
        yield f"{FOLDER}/{name}", {"title": name, "body": f"<h1>{name}</h1>{body}"}, "page.html"


def setup(app: Sphinx) -> dict[str, Any]:
    app.add_transform(SourceLinks)
    app.connect("html-collect-pages", pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
