"""What the question-answering metrics share: answers to ask about, questions, and how answers are compared."""
