"""The process that has WhatsApp's library: a crash of that ends this process and nothing else."""
