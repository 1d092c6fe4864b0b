Object.assign(console, { createTask: undefined })
