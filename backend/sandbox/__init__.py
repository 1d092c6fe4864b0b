"""Work of unknown cost, in processes that can be killed: it has a time and a memory limit, and ends with neither."""
