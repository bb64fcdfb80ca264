// Plays tic-tac-toe on the site in Firefox, against its engine, by WebDriver BiDi. Arguments: the
// address of the site, the program. Prints the version, the kind of engine and the end of the game.

import puppeteer from "puppeteer-core";

const [home, program] = process.argv.slice(2);
const patience = 240_000; // milliseconds, for a busy machine
const browser = await puppeteer.launch({ browser: "firefox", executablePath: program, timeout: patience, protocolTimeout: patience });
try {
  const page = await browser.newPage();
  const errors = [];
  page.on("pageerror", (error) => errors.push(error.message));
  page.setDefaultTimeout(patience);
  await page.goto(`${home}/?game=tictactoe`);
  await page.waitForSelector("#board[data-ready]");
  await page.waitForSelector("body[data-engine]");
  const legal = "#board .cell.legal";
  for (let ply = 2; await page.$(legal); ply += 2) {
    await page.click(legal);
    await page.waitForSelector(`#board[data-ply="${ply}"], #board:not(:has(.cell.legal))`);
  }
  const end = await page.evaluate(() => [document.body.dataset.engine, document.getElementById("status").textContent]);
  console.log(JSON.stringify({ version: await browser.version(), engine: end[0], status: end[1], errors }));
} finally {
  await browser.close();
}
