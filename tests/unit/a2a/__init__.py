"""What an agent's task says, without a database."""
