// What the page of pyramids has and shows: its data, the choices, and what they lead to.

import { pageData } from "../dom.js";
import { addressState } from "../state.js";

export const data = pageData();
export const defaults = { input: data.pyramids[0].instance, text: "", unit: "", show: "all" };
export const { state, change, reread } = addressState(defaults);

export function viewNow() {
  return data.pyramids.find((one) => one.instance === state.input) ?? data.pyramids[0];
}

export function textsOf(view) {
  return [
    ...view.peers,
    ...view.references.filter((one) => !view.peers.some((peer) => peer.name === one.name)),
  ];
}

export function textNow(view) {
  const all = textsOf(view);
  return all.find((one) => one.name === state.text) ?? view.peers[0] ?? all[0];
}

export function unitsIn(text) {
  return new Set(text.contributions.map((one) => one.unit));
}
