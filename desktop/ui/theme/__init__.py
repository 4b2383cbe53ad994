"""How everything looks: tokens, the palettes of light and dark, icons, and the style sheet made of them."""
