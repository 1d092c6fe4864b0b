"""What a server is: the fields a person writes, presets, what each member enters, what documents declare."""
