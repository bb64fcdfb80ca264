"""Shows the built site locally: `python -m ttt.web.site.host [PORT]`."""

import functools
import sys
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from ttt.web.site.build import SITE
from ttt.web.site.ingredients import fail


def main() -> None:
    if not SITE.exists():
        fail("there is no site yet: run make site")
    text = sys.argv[1] if len(sys.argv) > 1 else "8000"
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 65536):
        fail(f"port {text!r}: expected a number from 1 to 65535")
    handler = functools.partial(SimpleHTTPRequestHandler, directory=str(SITE))
    try:
        server = ThreadingHTTPServer(("127.0.0.1", int(text)), handler)
    except OSError as error:
        fail(f"cannot listen on port {text}: {error.strerror}")
    print(f"http://127.0.0.1:{text}/ (Ctrl-C ends it)", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        server.server_close()


if __name__ == "__main__":
    main()
