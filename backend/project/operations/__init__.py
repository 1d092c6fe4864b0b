"""What whoever runs an installation looks at: readiness, metrics, what is allowed, storage and workers."""
