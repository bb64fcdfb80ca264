"""The site in Firefox, driven by puppeteer-core: Playwright needs a Firefox of its own. `make
test-site-firefox` runs this."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

if not os.environ.get("TTT_FIREFOX"):
    pytest.skip("needs the site and Firefox: run `make test-site-firefox`", allow_module_level=True)

from support.site import host


def test_a_game_against_the_engine() -> None:
    folder = Path("build/firefox")  # puppeteer-core is installed there
    script = folder / "firefox.mjs"
    shutil.copyfile(Path(__file__).with_name("firefox.mjs"), script)
    with host() as found:
        command = ["node", str(script), found.home, os.environ["TTT_FIREFOX"]]
        done = subprocess.run(command, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    print(result)
    assert result["errors"] == []
    assert result["engine"] == "shared"
    assert result["status"].startswith(("X wins", "O wins", "Draw"))
