"""The default instructions for annotators."""

from __future__ import annotations


def paragraphs_of(text: str) -> list[str]:
    """Return the paragraphs of a text, which blank lines separate."""
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]


WORDS = {
    "rate": [
        "You will see short texts, each with a list of statements. Mark a statement as present if the "
        "text says it, in whatever words, and as not present if it does not.",
        "Judge by the text alone: what you know from elsewhere does not count, even if it is true.",
        "Look through mistakes of grammar, spelling and capital letters as long as the meaning is "
        "clear. Names may be shorter or longer, numbers and dates a little less exact. A statement "
        "with another person, place or number is not present.",
        "If only a part of a statement is in the text, it is not present.",
        "Every answer is saved at once. You can stop at any time and come back by your link.",
    ],
    "write": [
        "You will see short texts. Write down what each text says, as a list of short sentences with "
        "one fact each.",
        "Each sentence must be understood by somebody who has not read the text: repeat names "
        "instead of writing he, she or it. Use 4 to 20 words.",
        "Write what the text says and nothing else, the important things first.",
        "Everything is saved as you write. You can stop at any time and come back by your link.",
    ],
}
KEYS = {
    "rate": [
        ("P", "mark the statement as present and go to the next"),
        ("N", "mark it as not present and go to the next"),
        ("J", "next statement"),
        ("K", "previous statement"),
        ("U", "undo the last mark"),
        ("Enter", "submit when all are marked"),
    ],
    "write": [
        ("Enter", "next line"),
        ("Alt+U", "undo the last change of a line"),
        ("Ctrl+Enter", "submit"),
    ],
}
