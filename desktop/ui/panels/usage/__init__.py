"""What the models used and cost: by day, model, conversation and cause, and the budget of a month."""
