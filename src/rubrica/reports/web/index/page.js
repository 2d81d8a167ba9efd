// The index of a run's pages: what each shows, and the command that writes it alone.

import { el, pageData } from "../dom.js";
import { count } from "../format.js";
import { section, shell } from "../shell.js";

const run = pageData();

shell(
  run,
  count(run.pages.length, "page"),
  run.pages.map(({ href, name, about, command }) =>
    el(
      "section",
      {},
      el("h2", {}, el("a", { href }, name)),
      el("p", {}, about),
      el("p", { class: "signature" }, command),
    ),
  ),
  run.notes.length > 0 && section("Not shown", null, el("ul", {}, run.notes.map((note) => el("li", {}, note)))),
);
