// Share: the address, the game as text or picture, and pasted games.

import { h, openDialog, toast } from "./dom.js";
import { engine } from "./engine.js";

async function copy(what, text) {
  try {
    await navigator.clipboard.writeText(text);
    toast(`${what} copied.`);
  } catch {
    toast("The browser does not allow copying here.");
  }
}

function download(blob, name) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** An SVG picture as PNG. */
async function toPng(svg, scale = 2) {
  const picture = new Image();
  const address = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    picture.src = address;
    await picture.decode();
    const canvas = h("canvas", { width: picture.naturalWidth * scale, height: picture.naturalHeight * scale });
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  } finally {
    URL.revokeObjectURL(address);
  }
}

export function share(app) {
  const { state } = app;
  const name = state.record.game;
  const ref = () => state.ref();
  const guard = (work) => async () => {
    try {
      await work();
    } catch (error) {
      toast(error.message);
    }
  };
  const button = (text, work) => h("button", { type: "button", onclick: guard(work) }, text);
  const saved = () => engine.export(state.ref(state.moves), "game", { headers: app.headers(), result: state.result });
  const svg = () => engine.export(ref(), "svg", { size: 640 });
  const address = h("input", { readonly: true, value: location.href, "aria-label": "Address of this position", onfocus: () => address.select() });
  const text = h("textarea", { id: "paste", rows: 4, spellcheck: "false", placeholder: "moves such as 4 4 5 5, a position, or a saved game" });
  const wrong = h("p", { class: "wrong", role: "alert" });
  const form = h("form", {}, h("label", { for: "paste" }, h("h3", {}, "Paste a game")), text, wrong, h("button", { type: "submit", class: "primary" }, "Open"));
  const dialog = openDialog("Share",
    h("div", { class: "row fill" }, address, button("Copy link", () => copy("Link", location.href))),
    h("h3", {}, "Copy"),
    h("div", { class: "row" },
      button("Moves", async () => copy("Moves", (await engine.export(ref(), "moves")).trim())),
      button("Position", async () => copy("Position", state.shown.position)),
      button("Text", async () => copy("Text", await engine.export(ref(), "text"))),
      button("SVG", async () => copy("SVG", await svg())),
      button("PNG", async () => {
        await navigator.clipboard.write([new ClipboardItem({ "image/png": await toPng(await svg()) })]);
        toast("PNG copied.");
      })),
    h("h3", {}, "Download"),
    h("div", { class: "row" },
      button("Game", async () => download(new Blob([await saved()], { type: "text/plain" }), `${name}.txt`)),
      button("SVG", async () => download(new Blob([await svg()], { type: "image/svg+xml" }), `${name}.svg`)),
      button("PNG", async () => download(await toPng(await svg()), `${name}.png`))),
    h("p", { class: "soft small" }, "ttt replay FILE shows a downloaded game in the terminal."),
    form);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    try {
      await paste(app, text.value);
      dialog.close();
    } catch (error) {
      wrong.textContent = error.message;
    }
  });
}

/** Opens the game in a text. */
export async function paste(app, text) {
  const { record } = app.state;
  const found = await engine.parse(text, record.game, record.option_text);
  await app.open({ game: found.game, options: found.option_text, start: found.start, moves: found.moves }, true);
  const headers = found.headers ?? {};
  const loser = { "1-0": "o", "0-1": "x" }[headers.Result];
  if (loser && !app.state.position.outcome) app.state.resign(loser);
}
