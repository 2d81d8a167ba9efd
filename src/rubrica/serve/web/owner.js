// The owner's page: pause and resume, ask another annotator, refresh while nobody works on the page.

import { post } from "./post.js";

const REFRESH = 15_000;

function complain(text) {
  document.getElementById("trouble").textContent = text;
}

async function change(path, body) {
  complain("");
  try {
    const answer = await post(path, body);
    const content = await answer.json();
    if (answer.ok) return true;
    complain(content.error);
  } catch {
    complain("The server does not answer. Try again.");
  }
  return false;
}

async function pause() {
  const paused = document.getElementById("pause").dataset.paused === "1";
  if (!(await change("/dashboard/pause", { paused: !paused }))) return;
  await refresh();
  document.getElementById("said").textContent = paused ? "The study runs again" : "The study is paused";
  document.getElementById("pause").focus();
}

async function assign(button) {
  const annotator = button.parentElement.querySelector("select").value;
  if (await change("/dashboard/assign", { task: Number(button.dataset.task), annotator })) {
    button.disabled = true;
    button.textContent = "Asked";
  }
}

// The server escapes all texts; the new page replaces the old one part by part.
async function refresh() {
  const answer = await fetch(location.href);
  if (!answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const refreshes = document.getElementById("refresh").checked;
  document.querySelector("header").replaceWith(fresh.querySelector("header"));
  document.querySelector("main").replaceWith(fresh.querySelector("main"));
  document.getElementById("refresh").checked = refreshes;
}

document.addEventListener("click", (event) => {
  if (event.target.id === "pause") pause();
  else if (event.target.matches(".assign")) assign(event.target);
});
setInterval(() => {
  const busy = document.activeElement?.closest("main") || document.hidden;
  if (document.getElementById("refresh").checked && !busy) refresh();
}, REFRESH);
