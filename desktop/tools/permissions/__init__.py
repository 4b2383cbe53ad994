"""May this call run? Judged from its claim, before it runs. And what a person is asked, and agrees to."""
