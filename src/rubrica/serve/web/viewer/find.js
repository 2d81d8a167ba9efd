// The find box: completes names of columns and their values, and says what cannot be understood.

import { el } from "../dom.js";
import { ask } from "./state.js";

const NUMBER_TEST = ">",
  NAME_TEST = "=",
  TEXT_TEST = ":";

// `columns()` gives [{name, test}], the names with the sign that usually follows; `changed(text)` hears every change.
export function findBox({ value, columns, changed }) {
  const input = el("input", {
    type: "search",
    id: "find",
    value,
    placeholder: 'lead3 rouge-1.f1>40 summary:"two words"',
    role: "combobox",
    "aria-expanded": "false",
    "aria-controls": "completions",
    "aria-autocomplete": "list",
    autocomplete: "off",
    spellcheck: "false",
  });
  const list = el("ul", { id: "completions", role: "listbox", "aria-label": "Completions", hidden: true });
  let active = -1,
    turn = 0;

  // The word at the cursor: where it begins, and its column, test and value if it has them.
  function word() {
    const before = input.value.slice(0, input.selectionStart ?? input.value.length);
    const text = /(?:"[^"]*"|[^\s"])*$/.exec(before)[0];
    const start = before.length - text.length;
    const parts = /^([-!]?)("[^"]+"|[^\s"/<>=:!]+)(<=|>=|!=|<|>|=|:)(.*)$/.exec(text);
    return parts ? { start, text, sign: parts[1], column: parts[2], test: parts[3], typed: parts[4] } : { start, text };
  }

  async function complete() {
    const mine = (turn += 1);
    const at = word();
    let found = [];
    if (at.column) {
      const column = at.column.replaceAll('"', "");
      if (!columns().some(({ name, test }) => name === column && test === NAME_TEST)) {
        hide();
        return;
      }
      const query = new URLSearchParams({ column, typed: at.typed.replaceAll('"', "") });
      const names = await ask(`/values?${query}`).catch(() => []);
      found = names.map((name) => ({ shown: name, text: `${at.sign}${at.column}${at.test}${quotedIfNeeded(name)} ` }));
    } else if (at.text) {
      const typed = at.text.replace(/^[-!]/, "").toLowerCase(),
        sign = at.text.slice(0, at.text.length - typed.length);
      found = columns()
        .filter(({ name }) => name.toLowerCase().includes(typed))
        .slice(0, 12)
        .map(({ name, test }) => ({ shown: name, text: `${sign}${quotedIfNeeded(name)}${test}` }));
    }
    if (mine === turn) draw(found, at);
  }

  function draw(found, at) {
    active = -1;
    list.hidden = !found.length || document.activeElement !== input;
    input.setAttribute("aria-expanded", String(!list.hidden));
    input.removeAttribute("aria-activedescendant");
    list.replaceChildren(
      ...found.map(({ shown, text }, number) => {
        const item = el("li", { role: "option", id: `completion-${number}`, "aria-selected": "false" }, shown);
        item.addEventListener("pointerdown", (event) => {
          event.preventDefault();
          take(text, at);
        });
        item.take = () => take(text, at);
        return item;
      }),
    );
  }

  function take(text, at) {
    const rest = input.value.slice(at.start + at.text.length);
    input.value = input.value.slice(0, at.start) + text + rest;
    const cursor = at.start + text.length;
    input.setSelectionRange(cursor, cursor);
    hide();
    changed(input.value);
    if (!text.endsWith(" ")) complete();
  }

  function hide() {
    turn += 1;
    draw([], null);
  }

  function move(by) {
    const items = [...list.children];
    items[active]?.setAttribute("aria-selected", "false");
    active = (active + by + items.length + (active < 0 && by < 0 ? 1 : 0)) % items.length;
    items[active].setAttribute("aria-selected", "true");
    items[active].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", items[active].id);
  }

  input.addEventListener("input", () => {
    changed(input.value);
    complete();
  });
  input.addEventListener("blur", hide);
  input.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") move(event.key === "ArrowDown" ? 1 : -1);
    else if ((event.key === "Enter" || event.key === "Tab") && active >= 0) list.children[active].take();
    else if (event.key === "Escape") hide();
    else return;
    event.preventDefault();
  });
  return { input, list };
}

function quotedIfNeeded(name) {
  return /[\s"/<>=:!]/.test(name) ? `"${name.replaceAll('"', "")}"` : name;
}

// What can be asked for, from the server's facts.
export function findColumns({ measures, fields, texts }) {
  return [
    ...["input", "system", "type", ...fields].map((name) => ({ name, test: NAME_TEST })),
    ...["words", ...measures].map((name) => ({ name, test: NUMBER_TEST })),
    ...texts.map((name) => ({ name, test: TEXT_TEST })),
  ];
}
