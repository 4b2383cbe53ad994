"""One file of everything but secrets: made, looked at before anything is changed, and merged back."""
