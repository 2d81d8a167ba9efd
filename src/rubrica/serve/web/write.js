// Writing statements: each line is saved a moment after the last key.

import { dialogIsOpen, showInstructions, showRemark } from "./remarks.js";
import { announce, complain, save, submit, undo } from "./saving.js";

const list = document.querySelector(".slots");
const timers = new Map();
const known = new Map();
const PAUSE = 400;

function lines() {
  return [...list.querySelectorAll("input")];
}

function count() {
  const written = lines().filter((line) => line.value.trim()).length;
  document.getElementById("count").textContent = `${written} written`;
}

function keep(line) {
  const place = Number(line.dataset.place);
  clearTimeout(timers.get(place));
  timers.delete(place);
  const value = line.value.trim() || null;
  if ((known.get(place) ?? null) === value) return;
  known.set(place, value);
  count();
  save(place, value);
}

function watch(line) {
  const place = Number(line.dataset.place);
  known.set(place, line.value.trim() || null);
  line.addEventListener("input", () => {
    clearTimeout(timers.get(place));
    timers.set(place, setTimeout(() => keep(line), PAUSE));
  });
  line.addEventListener("blur", () => keep(line));
}

function another() {
  const place = lines().length;
  const item = document.createElement("li");
  item.className = "slot";
  const label = document.createElement("label");
  label.className = "unseen";
  label.htmlFor = `w${place}`;
  label.textContent = `Statement ${place + 1}`;
  const line = document.createElement("input");
  Object.assign(line, { id: `w${place}`, autocomplete: "off", maxLength: 500 });
  line.dataset.place = String(place);
  item.append(label, line);
  list.append(item);
  watch(line);
  return line;
}

function finish() {
  for (const line of lines()) keep(line);
  if (lines().some((line) => line.value.trim())) return submit();
  complain("Nothing is written yet.");
  return undefined;
}

async function takeBack() {
  for (const line of lines()) keep(line);
  const undone = await undo();
  if (!undone || undone.place === null) {
    if (undone) announce("Nothing to undo");
    return;
  }
  if (showRemark(undone.place, undone.value)) return;
  const line = lines()[undone.place];
  line.value = undone.value ?? "";
  known.set(undone.place, undone.value ?? null);
  line.focus();
  count();
  announce(`Undone: line ${undone.place + 1}`);
}

document.addEventListener("keydown", (event) => {
  if (dialogIsOpen()) return;
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    finish();
  } else if (event.altKey && event.key.toLowerCase() === "u") {
    event.preventDefault();
    takeBack();
  } else if (event.altKey && event.key.toLowerCase() === "i") {
    event.preventDefault();
    showInstructions();
  } else if (event.key === "Enter" && event.target.matches(".slots input")) {
    event.preventDefault();
    const all = lines();
    const next = all[all.findIndex((line) => line === event.target) + 1] ?? another();
    next.focus();
  }
});

lines().forEach(watch);
document.getElementById("more").addEventListener("click", () => another().focus());
document.getElementById("undo").addEventListener("click", takeBack);
document.getElementById("submit").addEventListener("click", finish);
(lines().find((line) => !line.value) ?? lines()[0]).focus();
