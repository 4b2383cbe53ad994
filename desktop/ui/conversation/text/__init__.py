"""What a message is drawn with: Markdown, code, formulas, pictures."""
