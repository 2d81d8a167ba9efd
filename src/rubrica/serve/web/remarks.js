// What every task has beside its questions: the instructions, a flag and a comment.

import { save } from "./saving.js";

const PLACES = { flag: -1, comment: -2 };
const PAUSE = 400;
const dialog = document.getElementById("instructions");
const flag = document.getElementById("flag");
const comment = document.getElementById("comment");
let timer;

export function showInstructions() {
  if (!dialog.open) dialog.showModal();
}

// Keys are letters of a text while somebody types one.
export function isTyping(target) {
  return target.matches("textarea, input:not([type=radio]):not([type=checkbox]):not([type=range])");
}

export function dialogIsOpen() {
  return dialog.open;
}

// Show a remark that was undone; false if the place is not that of a remark.
export function showRemark(place, value) {
  if (place === PLACES.flag) flag.checked = value !== null;
  else if (place === PLACES.comment) comment.value = value ?? "";
  return place < 0;
}

document.getElementById("help").addEventListener("click", showInstructions);
document.getElementById("close").addEventListener("click", () => dialog.close());
flag?.addEventListener("change", () => save(PLACES.flag, flag.checked ? "1" : null));
function saveComment() {
  clearTimeout(timer);
  save(PLACES.comment, comment.value.trim() || null);
}
comment?.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(saveComment, PAUSE);
});
comment?.addEventListener("change", saveComment);
