// Small helpers to make elements, and to tell people what happens.

export const $ = (id) => document.getElementById(id);

const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An HTML element: h("button", {class: "primary", onclick: f}, "Play"). */
export const h = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);

/** An SVG element. */
export const s = (tag, properties, ...children) => fill(document.createElementNS(SVG, tag), properties, children);

/** Says a sentence to screen readers. */
export function announce(text) {
  $("live").textContent = text;
}

let timer = 0;

/** Shows a message for a few seconds. */
export function toast(text) {
  const box = $("toast");
  box.textContent = text;
  box.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => (box.hidden = true), 5000);
}

/** Opens a modal dialog with a title and some content; returns it. */
export function openDialog(title, ...content) {
  const dialog = h("dialog", { "aria-labelledby": "dialog-title" },
    h("div", { class: "row spread" },
      h("h2", { id: "dialog-title" }, title),
      h("button", { type: "button", class: "icon", "aria-label": "Close", onclick: () => dialog.close() }, "×")),
    ...content);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

export const FIRST_GAME = "ultimate";

export const remember = {
  get(name, otherwise) {
    try {
      return localStorage.getItem(`ttt.${name}`) ?? otherwise;
    } catch {
      return otherwise;
    }
  },
  set(name, value) {
    try {
      localStorage.setItem(`ttt.${name}`, value);
    } catch {
      // Private windows may refuse: then nothing is remembered.
    }
  },
};
