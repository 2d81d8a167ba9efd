// Which columns the table shows: F-scores to begin with, others as they are chosen; the address stores the choice.

import { el } from "../dom.js";
import { change, state } from "./state.js";

const ALWAYS = ["input", "system", "type"];

export function shownColumns({ measures, fields, headlines }) {
  const known = ["words", ...fields, ...measures];
  return [...ALWAYS, ...(chosen()?.filter((name) => known.includes(name)) ?? ["words", ...headlines])];
}

// The address holds the names as JSON, because a name may contain anything.
function chosen() {
  try {
    const names = JSON.parse(state.columns);
    return Array.isArray(names) ? names : null;
  } catch {
    return null;
  }
}

export function columnChooser({ facts, changed }) {
  const place = el("div", { class: "column-list" });
  const node = el("details", { class: "chooser" }, el("summary", {}, "Columns"), place);

  function draw() {
    const { measures, fields } = facts();
    const now = shownColumns(facts());
    const names = ["words", ...fields, ...measures];
    const boxes = names.map((name) => {
      const box = el("input", { type: "checkbox" });
      box.checked = now.includes(name);
      box.addEventListener("change", () => {
        const left = names.filter((other) => (other === name ? box.checked : shownColumns(facts()).includes(other)));
        change({ columns: JSON.stringify(left) });
        changed();
      });
      return el("label", { class: "check" }, box, el("bdi", {}, name));
    });
    const reset = el("button", { type: "button", class: "quiet" }, "Only F-scores");
    reset.addEventListener("click", () => {
      change({ columns: "" });
      draw();
      changed();
    });
    place.replaceChildren(...boxes, reset);
  }
  return { node, draw };
}
