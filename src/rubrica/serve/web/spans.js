// Marking errors: choose words, a category and a severity; each error is saved at once.

import { dialogIsOpen, isTyping, showInstructions, showRemark } from "./remarks.js";
import { announce, complain, save, submit, undo } from "./saving.js";

const MOST = 100;
const words = [...document.querySelectorAll(".word")];
const list = document.getElementById("errors");
const slider = document.querySelector(".statement input[type=range]");
const typed = document.querySelector(".statement input[type=number]");
const errors = new Map(Object.entries(JSON.parse(list.dataset.spans)).map(([place, span]) => [Number(place), span]));
let anchor = null;
let head = 0;

function bounds() {
  return [Math.min(anchor, head), Math.max(anchor, head)];
}

function spanText(span) {
  const inside = words.filter((word) => Number(word.dataset.start) < span.end && Number(word.dataset.end) > span.start);
  if (!inside.length) return "";
  const range = document.createRange();
  range.setStartBefore(inside[0]);
  range.setEndAfter(inside.at(-1));
  return range.toString();
}

function drawWords() {
  const [first, last] = anchor === null ? [-1, -2] : bounds();
  const spans = [...errors.values()];
  words.forEach((word, at) => {
    const start = Number(word.dataset.start);
    word.setAttribute("aria-selected", String(at >= first && at <= last));
    word.classList.toggle("marked", spans.some((span) => span.start <= start && start < span.end));
    word.tabIndex = at === head ? 0 : -1;
  });
}

function drawErrors() {
  list.replaceChildren(
    ...[...errors].sort((a, b) => a[1].start - b[1].start).map(([place, span]) => {
      const item = document.createElement("li");
      const quote = document.createElement("q");
      quote.dir = "auto";
      quote.textContent = spanText(span);
      const kind = document.createElement("span");
      kind.textContent = ` ${span.category}, ${span.severity} `;
      const remove = document.createElement("button");
      Object.assign(remove, { type: "button", className: "quiet", textContent: "Remove" });
      remove.setAttribute("aria-label", `Remove the error ${span.category}: ${spanText(span)}`);
      remove.addEventListener("click", () => change(place, null));
      item.append(quote, kind, remove);
      return item;
    }),
  );
  document.getElementById("count").textContent =
    errors.size === 1 ? "1 error marked" : `${errors.size} errors marked`;
}

function draw() {
  drawWords();
  drawErrors();
}

function change(place, span) {
  if (span === null) errors.delete(place);
  else errors.set(place, span);
  save(place, span === null ? null : JSON.stringify(span));
  draw();
}

function chosen(name) {
  return document.querySelector(`input[name=${name}]:checked`).value;
}

function add() {
  complain("");
  if (anchor === null) {
    complain("Choose the words of the error first.");
    return;
  }
  const place = Array.from({ length: MOST }, (_, at) => at + 1).find((at) => !errors.has(at));
  if (place === undefined) {
    complain(`At most ${MOST} errors can be marked.`);
    return;
  }
  const [first, last] = bounds();
  const span = {
    start: Number(words[first].dataset.start),
    end: Number(words[last].dataset.end),
    category: chosen("category"),
    severity: chosen("severity"),
  };
  anchor = null;
  change(place, span);
  announce(`Error added: ${span.category}, ${span.severity}`);
}

// A first click chooses a word, a second one all words up to it, a third begins anew.
function pick(at, extend) {
  if (anchor === null || (!extend && anchor !== head)) anchor = at;
  head = at;
  drawWords();
}

function move(step, extend) {
  const next = Math.max(0, Math.min(words.length - 1, head + step));
  if (extend) anchor ??= head;
  else anchor = next;
  head = next;
  drawWords();
  words[head].focus();
}

function next(name, at) {
  const inputs = [...document.querySelectorAll(`input[name=${name}]`)];
  const input = inputs[at ?? (inputs.findIndex((radio) => radio.checked) + 1) % inputs.length];
  if (!input) return false;
  input.checked = true;
  announce(`${name}: ${input.value}`);
  return true;
}

function showScore(value) {
  if (value === null) slider.dataset.empty = "";
  else {
    delete slider.dataset.empty;
    slider.value = value;
  }
  typed.value = value ?? "";
}

function score(value) {
  showScore(value);
  save(0, value);
}

async function takeBack() {
  const undone = await undo();
  if (!undone || undone.place === null) {
    if (undone) announce("Nothing to undo");
    return;
  }
  if (showRemark(undone.place, undone.value)) return;
  if (undone.place === 0) showScore(undone.value);
  else if (undone.value === null) errors.delete(undone.place);
  else errors.set(undone.place, JSON.parse(undone.value));
  draw();
  announce("Undone");
}

function finish() {
  if (slider && "empty" in slider.dataset) {
    slider.focus();
    complain("The overall score is missing.");
    return undefined;
  }
  return submit();
}

function onWordKey(event, key) {
  const box = document.querySelector(".words");
  const rightward = getComputedStyle(box).direction === "rtl" ? -1 : 1;
  const steps = { arrowright: rightward, arrowleft: -rightward, arrowdown: 10, arrowup: -10, home: -words.length, end: words.length };
  if (Object.hasOwn(steps, key)) {
    move(steps[key], event.shiftKey);
    return true;
  }
  if (key === "enter" || key === " ") {
    if (key === " ") pick(head, event.shiftKey);
    else add();
    return true;
  }
  return false;
}

function onKey(event) {
  const key = event.key.toLowerCase();
  if (dialogIsOpen()) return false;
  if (key === "enter" && (event.ctrlKey || event.metaKey)) return finish() ?? true;
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return false;
  if (event.target.matches(".word") && onWordKey(event, key)) return true;
  if (/^[1-9]$/.test(key)) return next("category", Number(key) - 1);
  if (key === "s") return next("severity");
  if (key === "u") return takeBack() ?? true;
  if (key === "i") return showInstructions() ?? true;
  return false;
}

document.addEventListener("keydown", (event) => {
  if (onKey(event)) event.preventDefault();
});
words.forEach((word, at) => {
  word.addEventListener("click", (event) => {
    pick(at, event.shiftKey);
    word.focus();
  });
});
slider?.addEventListener("input", () => showScore(slider.value));
slider?.addEventListener("change", () => score(slider.value));
typed?.addEventListener("change", () => {
  if (typed.value !== "" && typed.checkValidity()) score(String(Number(typed.value)));
  else showScore("empty" in slider.dataset ? null : slider.value);
});
document.getElementById("add").addEventListener("click", add);
document.getElementById("undo").addEventListener("click", takeBack);
document.getElementById("submit").addEventListener("click", finish);
draw();
words[0]?.focus();
