"""The tools of a session as a server of the Model Context Protocol, and the setup of its clients."""
