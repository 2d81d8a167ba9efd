// A flag and a note on a summary, stored as they change.

import { el, field } from "../dom.js";
import { storeFlag } from "./state.js";

export function flagForm(flag) {
  if (!flag) return null;
  const box = el("input", { type: "checkbox", class: "flag-box" }),
    note = el("textarea", { rows: "2", maxlength: "4000" }),
    saved = el("span", { class: "small faded", role: "status" });
  box.checked = flag.flagged;
  note.value = flag.note;
  async function store() {
    saved.textContent = "Saving …";
    try {
      await storeFlag({ ...flag, flagged: box.checked, note: note.value });
      saved.textContent = "Saved";
    } catch (error) {
      saved.textContent = error.message;
    }
  }
  box.addEventListener("change", store);
  note.addEventListener("change", store);
  return el("div", { class: "controls flag" }, el("label", { class: "check" }, box, "flag", " ", el("kbd", {}, "F")), field("note", note), saved);
}
