"""The tools of a session as a server of the Model Context Protocol, with the official SDK (`suture[mcp]`)."""
