"""The model host: a child process that imports the heavy model libraries so that the program need not."""
