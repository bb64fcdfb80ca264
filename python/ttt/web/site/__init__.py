"""The page without a server: `make site` writes it to build/site (not part of the package).

build.py        the recipe: fetches, compiles, bundles, writes the site
ingredients.py  Pyodide and the compiler: pinned by version and hash
compiler.py     the extension modules as WebAssembly
rules.py        the rules of each game as a small module without Python (rules.pxi)
imports.py      what a module asks of Pyodide, and what it must not ask
bundles.py      the standard library and our Python modules: few files, no more than is used
tracing.mjs     runs the engine under Node: which modules it imports, and their bytecode
host.py         shows the site locally
page/           what the site has in place of the server: engine.js, the workers
"""
