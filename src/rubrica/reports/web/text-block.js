// A summary as it stands, line by line; one that is empty or not given says so.

import { el } from "./dom.js";

export function textBlock(text) {
  if (text === null) return el("p", { class: "faded" }, "(text not given)");
  if (!text.trim()) return el("p", { class: "faded" }, "(empty summary)");
  return el(
    "div",
    { class: "text", lang: "" },
    text.split("\n").map((line) => el("p", { dir: "auto" }, line)),
  );
}
