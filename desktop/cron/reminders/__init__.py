"""Reminders understood without a model: what a person writes, as a text and the moment it is meant for."""
