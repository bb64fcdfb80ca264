"""The web page and its JSON API: `ttt web` (extra `[web]`: Starlette and uvicorn).

service.py      what the API answers, as dictionaries; knows nothing of HTTP
records.py      games, positions and analyses as JSON
limits.py       the limits of the server
searches.py     searches in threads: bounded in number, ended when nobody waits for them
puzzles.py      the shipped puzzles
app.py          the routes; guard.py checks requests; stream.py sends events; files.py the page
openapi.py      the description at /api
server.py       uvicorn, the address and the running searches in the terminal
page/           the page: HTML, one style sheet, ES modules
"""
