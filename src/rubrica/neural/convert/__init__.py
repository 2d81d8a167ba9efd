"""Convert checkpoints of other programs, once; nothing that scores imports this."""
