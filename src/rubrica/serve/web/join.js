// Joins a study, or agrees to take part: only then is anything stored.

const token = document.querySelector("meta[name=forgery-token]").content;
const button = document.getElementById("join"),
  trouble = document.getElementById("trouble");

button.addEventListener("click", async () => {
  button.disabled = true;
  try {
    const response = await fetch(document.body.dataset.action, {
      method: "POST",
      headers: { "content-type": "application/json", "x-forgery-token": token },
      body: JSON.stringify({ query: location.search }),
    });
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
