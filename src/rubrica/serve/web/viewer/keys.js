// Keys of the viewer: the next row, the previous one, and the next sample on which scores disagree.

import { el, field, option, say } from "../dom.js";
import { ask, change, state } from "./state.js";

const SYSTEMS_AGAINST = "systems";

// `step(by)` moves in the table, `go(input, system)` shows a sample, `failed(error)` says what went wrong.
export function sampleKeys({ facts, step, go, failed }) {
  const by = el("select"),
    against = el("select");
  // Only scores can disagree; texts without any still have a next and a previous row.
  const ofScores = [
    field("disagreement of", by),
    field("and", against),
    button("d", "Next disagreement", () => next(state.by || by.value, state.against || against.value)),
  ];
  const node = el(
    "div",
    { class: "controls keys" },
    button("k", "Previous", () => step(-1)),
    button("j", "Next", () => step(1)),
    ...ofScores,
    button("h", "Metric against people", () => next(metric(), facts().people[0])),
  );
  const note = el("p", { class: "small faded", role: "status" });
  let last = {};

  // The measure that was chosen, or else the first that a metric computed.
  function metric() {
    const { measures, headlines, people } = facts();
    const computed = [...headlines, ...measures].find((name) => !people.includes(name));
    return people.includes(state.by) || !measures.includes(state.by) ? computed : state.by;
  }

  function draw() {
    const { measures, people, summaries } = facts();
    node.hidden = !summaries;
    for (const control of ofScores) control.hidden = !measures.length;
    const now = measures.includes(state.by) ? state.by : metric();
    by.replaceChildren(...measures.map((name) => option(name, name, name === now)));
    const others = [SYSTEMS_AGAINST, ...measures];
    against.replaceChildren(...others.map((name) => option(name, name === SYSTEMS_AGAINST ? "the systems" : name, name === state.against)));
    node.querySelector("[data-key=h]").hidden = !people.length || !metric();
  }

  async function next(measure, other) {
    if (!measure || !other) return;
    const { find } = state;
    // The strongest disagreement comes first, then those after it, as long as nothing else is chosen.
    const order = JSON.stringify([measure, other, find]);
    const goesOn = last.order === order && last.input === state.input && last.system === state.system;
    const { input, system } = goesOn ? last : { input: "", system: "" };
    try {
      const found = await ask(`/next?${new URLSearchParams({ by: measure, against: other, input, system, find })}`);
      last = { order, input: found.input, system: found.system };
      const between = found.against === SYSTEMS_AGAINST ? `the systems by ${found.by}` : `${found.by} and ${found.against}`;
      note.textContent = `Disagreement of ${between}: ${found.place} of ${found.count}, ${Math.round(100 * found.value)} points of rank apart.`;
      go(found.input, found.system);
    } catch (error) {
      failed(error);
    }
  }

  by.addEventListener("change", () => change({ by: by.value }));
  against.addEventListener("change", () => change({ against: against.value }));
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, textarea")) return;
    if (event.key === "f") {
      document.querySelector(".flag-box")?.click();
      return;
    }
    const pressed = node.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (!pressed || pressed.hidden || node.hidden) return;
    event.preventDefault();
    pressed.click();
    say(pressed.dataset.label);
  });
  return { node, note, draw };
}

function button(key, label, onclick) {
  return el(
    "button",
    { type: "button", class: "quiet", "data-key": key, "data-label": label, onclick, "aria-keyshortcuts": key },
    label,
    " ",
    el("kbd", {}, key.toUpperCase()),
  );
}
