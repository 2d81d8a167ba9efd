// Marking statements: one key each, the next unmarked statement comes by itself.

import { announce, complain, save, submit, undo } from "./saving.js";

const statements = [...document.querySelectorAll(".statement")];
let current = 0;

function chosen(at) {
  return statements[at].querySelector("input:checked")?.value ?? null;
}

function go(at, { focus = true } = {}) {
  statements[current]?.classList.remove("current");
  current = Math.max(0, Math.min(statements.length - 1, at));
  const one = statements[current];
  one.classList.add("current");
  one.setAttribute("aria-current", "true");
  for (const other of statements) if (other !== one) other.removeAttribute("aria-current");
  if (focus) {
    // The statement, not a button: a focused button would suggest an answer.
    one.focus({ preventScroll: true });
    one.scrollIntoView({ block: "nearest" });
  }
}

function unmarkedAfter(at) {
  const order = [...statements.keys()];
  return [...order.slice(at + 1), ...order.slice(0, at + 1)].find((one) => chosen(one) === null);
}

function show(at, value) {
  for (const input of statements[at].querySelectorAll("input")) input.checked = input.value === value;
  const marked = statements.filter((_, one) => chosen(one) !== null).length;
  document.getElementById("count").textContent = `${marked} of ${statements.length} marked`;
}

function mark(at, value) {
  complain("");
  show(at, value);
  save(at, value);
  announce(`Statement ${at + 1}: ${value === "p" ? "present" : "not present"}`);
}

function markAndGo(value) {
  mark(current, value);
  const next = unmarkedAfter(current);
  if (next !== undefined) go(next);
  else document.getElementById("submit").focus();
}

async function takeBack() {
  const told = await undo();
  if (!told) return;
  if (told.place === null) {
    announce("Nothing to undo");
    return;
  }
  show(told.place, told.value);
  go(told.place);
  announce(`Undone: statement ${told.place + 1}`);
}

// The server checks, too; here the first statement that is left is shown at once.
function finish() {
  const left = statements.filter((_, at) => chosen(at) === null).length;
  if (!left) return submit();
  go(unmarkedAfter(-1));
  complain(left === 1 ? "1 statement is not marked yet." : `${left} statements are not marked yet.`);
  return undefined;
}

const KEYS = {
  p: () => markAndGo("p"),
  1: () => markAndGo("p"),
  n: () => markAndGo("n"),
  2: () => markAndGo("n"),
  j: () => go(current + 1),
  k: () => go(current - 1),
  u: takeBack,
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key.toLowerCase();
  // Arrows in a group of radio buttons would mark by themselves: here they move.
  if (key === "arrowdown" || key === "arrowup") {
    if (!event.target.closest(".statement")) return;
    event.preventDefault();
    go(current + (key === "arrowdown" ? 1 : -1));
    return;
  }
  if (key === "enter") {
    if (event.target.closest("a, button:not(#submit)")) return;
    event.preventDefault();
    finish();
    return;
  }
  if (Object.hasOwn(KEYS, key) && !event.repeat) {
    event.preventDefault();
    KEYS[key]();
  }
});

for (const [at, statement] of statements.entries()) {
  statement.addEventListener("change", (event) => {
    go(at, { focus: false });
    mark(at, event.target.value);
  });
  statement.addEventListener("focusin", () => go(at, { focus: false }));
}
document.getElementById("undo").addEventListener("click", takeBack);
document.getElementById("submit").addEventListener("click", finish);
go(unmarkedAfter(-1) ?? 0);
