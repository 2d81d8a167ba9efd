// Changes go to the server with the page's token, which other sites cannot know.

export const TOKEN = document.querySelector('meta[name="forgery-token"]').content;

export function post(path, body) {
  return fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Forgery-Token": TOKEN },
    body: JSON.stringify(body),
  });
}
