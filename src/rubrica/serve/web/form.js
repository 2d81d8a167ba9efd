// Answering questions: one key each, the next open question comes by itself.

import { dialogIsOpen, isTyping, showInstructions, showRemark } from "./remarks.js";
import { announce, complain, save, submit, undo } from "./saving.js";

const statements = [...document.querySelectorAll(".statement")];
const { noun, answered } = document.body.dataset;
const PAUSE = 400;
const timers = new Map();
let current = 0;

function range(at) {
  return statements[at].querySelector("input[type=range]");
}

function box(at) {
  return statements[at].querySelector("textarea");
}

function answer(at) {
  if (box(at)) return box(at).value.trim() || null;
  if (range(at)) return "empty" in range(at).dataset ? null : range(at).value;
  return statements[at].querySelector("input:checked")?.value ?? null;
}

// The question, not a radio button: a focused button would suggest an answer.
function target(at) {
  return box(at) ?? range(at) ?? statements[at];
}

function go(at, { focus = true } = {}) {
  current = Math.max(0, Math.min(statements.length - 1, at));
  statements.forEach((statement, number) => {
    statement.classList.toggle("current", number === current);
    if (number === current) statement.setAttribute("aria-current", "true");
    else statement.removeAttribute("aria-current");
  });
  if (focus && statements.length) {
    target(current).focus({ preventScroll: true });
    statements[current].scrollIntoView({ block: "nearest" });
  }
}

function openAfter(at) {
  const order = [...statements.keys()];
  return [...order.slice(at + 1), ...order.slice(0, at + 1)].find((place) => answer(place) === null);
}

function count() {
  const done = statements.filter((_, at) => answer(at) !== null).length;
  document.getElementById("count").textContent = `${done} of ${statements.length} ${answered}`;
}

function show(at, value) {
  if (box(at)) box(at).value = value ?? "";
  else if (range(at)) showNumber(at, value);
  else for (const input of statements[at].querySelectorAll("input")) input.checked = input.value === value;
  count();
}

function showNumber(at, value) {
  const slider = range(at);
  if (value === null) slider.dataset.empty = "";
  else {
    delete slider.dataset.empty;
    slider.value = value;
  }
  statements[at].querySelector("input[type=number]").value = value ?? "";
}

function label(at, value) {
  const input = [...statements[at].querySelectorAll("input[type=radio]")].find((radio) => radio.value === value);
  return input?.nextElementSibling.textContent ?? value ?? "no answer";
}

function mark(at, value, { quiet = false } = {}) {
  complain("");
  show(at, value);
  save(at, value);
  if (!quiet) announce(`${noun} ${at + 1}: ${label(at, value)}`);
}

function markAndGo(at, value) {
  mark(at, value);
  const next = openAfter(at);
  if (next !== undefined) go(next);
  else document.getElementById("submit").focus();
}

async function takeBack() {
  sendTexts();
  const undone = await undo();
  if (!undone) return;
  if (undone.place === null) {
    announce("Nothing to undo");
    return;
  }
  if (showRemark(undone.place, undone.value)) return;
  show(undone.place, undone.value);
  go(undone.place);
  announce(`Undone: ${noun} ${undone.place + 1}`);
}

// Texts are saved a moment after the last key, and before anything else happens.
function sendTexts() {
  for (const [at, timer] of [...timers]) {
    clearTimeout(timer);
    timers.delete(at);
    save(at, answer(at));
  }
  count();
}

// The server checks, too; here the first question that is left is shown at once.
function finish() {
  sendTexts();
  const required = (at) => !statements[at].querySelector("[data-optional]");
  const left = [...statements.keys()].filter((at) => answer(at) === null && required(at));
  if (!left.length) return submit();
  go(left[0]);
  complain(left.length === 1 ? `1 ${noun} is not ${answered} yet.` : `${left.length} ${noun}s are not ${answered} yet.`);
  return undefined;
}

const KEYS = {
  j: () => go(current + 1),
  k: () => go(current - 1),
  u: takeBack,
  i: showInstructions,
};

function choose(key) {
  const radio = [...(statements[current]?.querySelectorAll("input[type=radio]") ?? [])].find(
    (input, number) => input.dataset.key === key || (input.dataset.key.match(/\D/) && key === String(number + 1)),
  );
  if (radio) markAndGo(current, radio.value);
  return Boolean(radio);
}

function onKey(event) {
  const key = event.key.toLowerCase();
  if (dialogIsOpen()) return false;
  if (key === "enter" && (event.ctrlKey || event.metaKey)) return finish() ?? true;
  if (event.altKey && Object.hasOwn(KEYS, key)) return KEYS[key]() ?? true;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (key === "enter") {
    if (event.target.closest("a, button:not(#submit), textarea, summary")) return false;
    return finish() ?? true;
  }
  if (isTyping(event.target)) return false;
  // Arrows in a group of radio buttons would mark by themselves: here they move.
  if ((key === "arrowdown" || key === "arrowup") && event.target.closest(".statement.choice")) {
    go(current + (key === "arrowdown" ? 1 : -1));
    return true;
  }
  if (event.repeat) return false;
  if (choose(key)) return true;
  if (Object.hasOwn(KEYS, key)) return KEYS[key]() ?? true;
  return false;
}

document.addEventListener("keydown", (event) => {
  if (onKey(event)) event.preventDefault();
});

for (const [at, statement] of statements.entries()) {
  statement.addEventListener("focusin", () => go(at, { focus: false }));
  statement.addEventListener("change", (event) => {
    if (event.target.matches("textarea")) return;
    go(at, { focus: false });
    const { value } = event.target;
    if (event.target.matches("[type=number]") && (value === "" || !event.target.checkValidity())) {
      show(at, answer(at));
      return;
    }
    mark(at, value, { quiet: event.target.matches("[type=range]") });
  });
  range(at)?.addEventListener("input", () => showNumber(at, range(at).value));
  box(at)?.addEventListener("input", () => {
    clearTimeout(timers.get(at));
    timers.set(at, setTimeout(sendTexts, PAUSE));
  });
  box(at)?.addEventListener("blur", sendTexts);
}
document.getElementById("undo").addEventListener("click", takeBack);
document.getElementById("submit").addEventListener("click", finish);
go(openAfter(-1) ?? 0);
