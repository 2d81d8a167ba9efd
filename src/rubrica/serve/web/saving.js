// Saving: answers go out one after another, and wait in this browser while the server is away.

import { TOKEN, post } from "./post.js";

const POSITION = Number(document.body.dataset.position);
// The token names the session: another annotator's waiting answers are not sent as ours.
const WAITING = `rubrica-waiting-${TOKEN.slice(0, 16)}`;
const PAUSE = 1500;

let queue = remembered();
let busy = null;

function remembered() {
  try {
    return JSON.parse(localStorage.getItem(WAITING)) ?? [];
  } catch {
    return [];
  }
}

function remember() {
  try {
    localStorage.setItem(WAITING, JSON.stringify(queue));
  } catch {
    /* then they wait in this window */
  }
}

async function deliver(path, body) {
  const answer = await post(path, body);
  // A server that is overloaded or restarting is away for now; a refusal is final.
  if (answer.status === 429 || answer.status >= 500) throw new Error(`status ${answer.status}`);
  const told = await answer.json();
  return { ok: answer.ok, told };
}

// A later answer to the same statement replaces one that is still waiting.
export function save(place, value) {
  const same = (one) => one.position === POSITION && one.place === place;
  queue = [...queue.filter((one, at) => (at === 0 && busy) || !same(one)), { position: POSITION, place, value }];
  remember();
  return flush();
}

function flush() {
  busy ??= send().finally(() => {
    busy = null;
  });
  return busy;
}

async function send() {
  while (queue.length) {
    tell(queue.length === 1 ? "Saving…" : `Saving ${queue.length}…`, "busy");
    let sent;
    try {
      sent = await deliver("/answer", queue[0]);
    } catch {
      tell(`Not saved: ${queue.length} kept here, trying again`, "away");
      await new Promise((done) => setTimeout(done, PAUSE));
      continue;
    }
    queue.shift();
    remember();
    if (!sent.ok) complain(sent.told.error);
  }
  tell("Saved", "");
}

export function waiting() {
  return queue.length;
}

function tell(text, state) {
  const saved = document.getElementById("saved");
  saved.textContent = text;
  saved.dataset.state = state;
}

export function complain(text) {
  document.getElementById("trouble").textContent = text;
}

export function announce(text) {
  document.getElementById("said").textContent = text;
}

export async function submit() {
  complain("");
  await flush();
  try {
    const { ok, told } = await deliver("/submit", { position: POSITION });
    if (ok) location.assign(told.next);
    else complain(told.error);
  } catch {
    complain("The server does not answer. Your answers are kept; try again.");
  }
}

export async function undo() {
  complain("");
  await flush();
  try {
    const { ok, told } = await deliver("/undo", { position: POSITION });
    if (!ok) complain(told.error);
    return ok ? told : null;
  } catch {
    complain("The server does not answer. Try again.");
    return null;
  }
}

addEventListener("beforeunload", (event) => {
  if (queue.length) event.preventDefault();
});
// Answers that waited when the last page was closed.
if (queue.length) flush();
