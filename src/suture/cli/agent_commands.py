"""The subcommands of `suture` for agents and their clients, as data: part of the table in `table.py`."""

from __future__ import annotations

from .command_values import Argument, Command, Option

#: The profiles of `mcp`, and the clients of `install`.
PROFILES = ("core", "all", "minimal", "lines", "definitions", "cursor", "claude", "codex", "opencode")
CLIENTS = (
    "claude-code",
    "codex",
    "opencode",
    "gemini",
    "qwen",
    "copilot",
    "cline",
    "continue",
    "cursor",
    "zed",
    "vscode",
)


CLIENT = Argument("CLIENT", "The client", completes=(), choices=CLIENTS)
USER = Option(("--user",), "Use the settings of the user, for all projects")
YES = Option(("-y", "--yes"), "Do not ask")
#: Who is asked for an approval.
APPROVERS = ("elicit", "client", "queue")

AGENT_COMMANDS = (
    Command(
        "install",
        "Make Suture the edit tool of an agent's client",
        (CLIENT,),
        (
            USER,
            Option(("--headless",), "Write the variant for runs without a person, where nobody is asked"),
            YES,
            Option(("--print",), "Print what would be written, and write nothing"),
            Option(("--profile",), "The tools to offer, instead of those that fit the client", "NAME", PROFILES),
            Option(("--approve",), "Who approves changes, instead of the one that fits the client", "WHO", APPROVERS),
            Option(("--program",), "The command line that starts Suture, if it runs elsewhere", "COMMAND"),
        ),
        "It shows the changes of the client's settings and asks. suture uninstall removes them, suture undo takes\n"
        "them back. Anything that is left to do by hand is printed.",
        (
            ("suture install claude-code", "Set up Claude Code in this project"),
            ("suture install codex --user", "Set up Codex in all projects"),
            ("suture install opencode --headless --yes", "Set up OpenCode in a container or in CI"),
            (
                "suture install codex --program 'ssh devbox suture --root /srv/app'",
                "Set up Codex for a project on another machine",
            ),
        ),
    ),
    Command(
        "uninstall",
        "Remove Suture from the settings of a client",
        (CLIENT,),
        (USER, YES),
        examples=(("suture uninstall claude-code", ""),),
    ),
    Command(
        "mcp",
        "Serve the tools to agents over the Model Context Protocol",
        (),
        (
            Option(("--profile",), "The tools to offer (default core)", "NAME", PROFILES),
            Option(("--approve",), "Who approves changes (default elicit)", "WHO", APPROVERS),
            Option(("--approvals",), "The directory of requests for --approve queue", "DIR", completes="folder"),
            Option(
                ("--reads",),
                "exact: an edit of a file that was not read is accepted if it fits exactly one place",
                "MODE",
                ("require", "exact"),
            ),
            Option(("--approval-timeout",), "How long a call waits for an approval (default 50)", "SECONDS"),
            Option(("--isolated",), "Keep each session's changes out of the workspace until it merges them"),
            Option(
                ("--claims",), "Claim files for so long once they are read, and keep out of those of others", "SECONDS"
            ),
            Option(("--keep-always",), "Keep answers 'approve always' for later sessions"),
            Option(("--structured",), "Also send structured content, which hides the text in some clients"),
            Option(("--http",), "Serve over HTTP instead of standard input and output", "HOST:PORT"),
            Option(("--allow-host",), "Accept this host name in HTTP requests", "NAME", is_repeatable=True),
            Option(("--session-timeout",), "When an idle session ends (default 1800)", "SECONDS"),
        ),
        "Clients start it and use standard input and output; --http needs suture[mcp]. With --approve elicit the\n"
        "server asks the user through the client, with client the client has to ask, with queue another process\n"
        "answers.",
        (
            ("suture install claude-code", "Set a client up, so that it starts the server"),
            ("suture mcp --http :8000", "Serve several clients on this machine"),
        ),
    ),
    Command(
        "review",
        "Decide about the edits that agents ask for, see what they did, and take it back",
        (),
        (
            Option(("--terminal",), "Use the terminal instead of a page; in a pipe, print what waits"),
            Option(("--host",), "The address that the page listens on", "HOST", default="127.0.0.1"),
            Option(("--port",), "The port of the page (default: any that is free)", "PORT"),
            Option(("--no-open",), "Do not open the page in a browser"),
            Option(
                ("--approvals",),
                "Also show the requests in this directory",
                "DIR",
                is_repeatable=True,
                completes="folder",
            ),
        ),
        "It shows the requests of every program of the user that asks through the queue: suture mcp --approve queue,\n"
        "suture apply --review, and sessions with an ApprovalQueue. The page needs suture[review].",
        (
            ("suture review", "Open the page"),
            ("suture review --terminal", "Decide in the terminal, also over ssh"),
            ("suture review --json", "Print what waits, for programs"),
        ),
    ),
    Command(
        "tool",
        "Run one tool call of an agent",
        (Argument("TOOL", "The name of the tool, such as edit", completes=()),),
        (
            Option(("--profile",), "The names of the tools and their arguments (default core)", "NAME", PROFILES),
            Option(("--preview",), "Show what the call would do, and its fingerprint"),
            Option(("--approved",), "Do what was shown with this fingerprint, and nothing else", "FINGERPRINT"),
        ),
        "The arguments are a JSON object on standard input. For clients whose tools are programs: the client shows\n"
        "the preview to the user, who approves it. A call that reads needs no approval.",
        (('echo \'{"filePath": "app.py"}\' | suture tool read', "Print a file with numbered lines"),),
    ),
)
