"""Real edits of real models: how many Suture and its peers get right."""
