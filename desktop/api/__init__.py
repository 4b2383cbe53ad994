"""What front ends may ask of the program: a module a subject, the same in this process and through ipc."""
