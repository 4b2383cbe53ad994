"""Appointments: when jobs are due, which there are, who runs them and what came of each run."""
