"""Events from the core to whoever shows them: published, never stored, dropped rather than piled up."""
