// What the viewer shows, and how it asks the server.

import { TOKEN } from "../post.js";
import { addressState } from "../state.js";

export const { state, change, reread } = addressState({
  sort: "",
  descending: "",
  find: "",
  input: "",
  system: "",
  measure: "rouge-1",
  kind: "",
  reference: "1",
  other: "",
  by: "",
  against: "",
  columns: "",
  slice: "",
});

export async function ask(path, options) {
  const answer = await fetch(path, options);
  const value = await answer.json();
  if (!answer.ok) throw new Error(value.error ?? answer.statusText);
  return value;
}

export function give(file) {
  return ask(`/drop?${new URLSearchParams({ name: file.name })}`, {
    method: "POST",
    headers: { "x-forgery-token": TOKEN, "content-type": "application/octet-stream" },
    body: file,
  });
}

export function storeFlag(flag) {
  return ask("/flag", {
    method: "POST",
    headers: { "x-forgery-token": TOKEN, "content-type": "application/json" },
    body: JSON.stringify(flag),
  });
}
