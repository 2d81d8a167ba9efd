"""The HTML of a Mechanical Turk project, which inserts the columns of a task file."""

from __future__ import annotations

from html import escape

from rubrica.study.sheets import BLANK

_LAYOUT = """<!-- The layout of a project for Mechanical Turk: paste it into the editor of the project's design, and
     publish a batch with the file of tasks. The results go to `rubrica study clean` and `study human`. -->
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
  #rubrica {{ max-width: 46rem; margin: 0 auto; font: 1rem/1.5 sans-serif; color: #1d1a18; background: #fff; }}
  #rubrica .text {{ padding: 1rem; border: 1px solid #b9b2aa; white-space: pre-line; }}
  #rubrica fieldset {{ margin: .75rem 0; padding: .5rem 1rem; border: 1px solid #b9b2aa; }}
  #rubrica legend {{ padding: 0; float: left; width: 100%; font-weight: 600; }}
  #rubrica label {{ display: inline-block; margin: .5rem 1.5rem 0 0; padding: .25rem 0; }}
  #rubrica :focus-visible {{ outline: 2px solid #9c3d22; outline-offset: 2px; }}
</style>
<section id="rubrica">
<h1>{heading}</h1>
{instructions}
{content}
</section>
<script>
  // Shorter tasks leave the last texts and questions empty.
  for (const text of document.querySelectorAll("#rubrica .text")) {{
    text.hidden = text.previousElementSibling.hidden = text.textContent.trim() === "";
  }}
  for (const field of document.querySelectorAll("#rubrica fieldset")) {{
    const text = field.querySelector("legend").textContent.trim();
    if (text === "" || text === "{blank}") {{
      field.hidden = true;
      for (const input of field.querySelectorAll("input")) input.disabled = true;
    }}
  }}
</script>
"""
_UNITS = """<h2>Text</h2>
<div class="text" dir="auto">${{summary_text}}</div>
<h2>Statements</h2>
{statements}"""
_STATEMENT = """<fieldset>
<legend dir="auto">${{statement_{number}}}</legend>
<label><input type="radio" name="S{number}Answer" value="p" required> present</label>
<label><input type="radio" name="S{number}Answer" value="n"> not present</label>
</fieldset>"""
_INSTRUCTIONS = (
    "Read the text. Then mark each statement: present if the text says so, in whatever words; "
    "not present otherwise, even if you know that it is true."
)


def turk_layout(statements: int, instructions: str = _INSTRUCTIONS) -> str:
    """Return the layout for tasks of up to this many statements; answers are called as `clean` reads them.

    Mechanical Turk inserts the columns of the task file for `${...}`.
    """
    numbered = "\n".join(_STATEMENT.format(number=n) for n in range(1, statements + 1))
    content = _UNITS.format(statements=numbered)
    return project_layout("Which statements does the text support?", instructions, content)


def project_layout(heading: str, instructions: str, content: str) -> str:
    """Return the HTML of a project whose texts and questions are `content`."""
    return _LAYOUT.format(
        heading=escape(heading),
        instructions=f"<p>{escape(instructions)}</p>" if instructions else "",
        content=content,
        blank=BLANK,
    )
