"""The Document Understanding Conferences (DUC) and the Text Analysis Conference (TAC), of NIST."""
