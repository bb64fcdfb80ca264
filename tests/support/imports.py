"""What a Python source imports when it runs: at the top of the file or inside a function, but not
under `if TYPE_CHECKING`."""

import ast
from collections.abc import Collection, Iterator


def running_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below one, without the bodies of `if TYPE_CHECKING`."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            for other in child.orelse:
                yield other
                yield from running_nodes(other)
        else:
            yield child
            yield from running_nodes(child)


def imports_of(source: str, modules: Collection[str] = ()) -> set[str]:
    """The modules that a source imports; `from a import b` is a.b where `modules` has that."""
    found = set()
    for node in running_nodes(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "relative imports are not used here"
            base = node.module or ""
            names = {f"{base}.{alias.name}" for alias in node.names}
            found |= {name if name in modules else base for name in names}
    return found
