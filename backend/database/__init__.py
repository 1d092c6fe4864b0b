"""What every room needs of the database: threads and retries, one clock, ids, bulk inserts, migrating."""
