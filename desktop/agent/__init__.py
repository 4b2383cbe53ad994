"""The agent: takes messages in, builds what the model is shown, asks it, writes down what it said."""
