// Joins a study, or agrees to take part: only then is anything stored.

import { post } from "./post.js";

const button = document.getElementById("join"),
  trouble = document.getElementById("trouble");

button.addEventListener("click", async () => {
  button.disabled = true;
  try {
    const response = await post(document.body.dataset.action, { query: location.search });
    const answer = await response.json();
    if (response.ok) {
      location.assign(answer.next);
      return;
    }
    trouble.textContent = answer.error;
  } catch {
    trouble.textContent = "The server did not answer. Try again.";
  }
  button.disabled = false;
});
