"""Suture as OpenCode's own edit tools: files that override the built-in ones by name.

OpenCode then asks for its permission `edit`, shows the diff, and keeps its plan mode read-only, which it does not do
for the tools of a server. Each call runs `suture tool`. What was approved is what is written: the second run gets the
fingerprint of what the first one showed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..agent.profiles import profile_named
from ..agent.tool_styles import definitions
from .client_files import MARK, ClientFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

#: The built-in tools that are replaced. Which of them a model gets is OpenCode's choice.
TOOLS = ("edit", "write", "apply_patch")
_TYPES = {"string": "string()", "boolean": "boolean()"}

_HELPER = """\
// {mark}
type Context = {{
  directory: string
  abort: AbortSignal
  ask(request: object): Promise<void>
  metadata(update: object): void
}}
type Answer = {{
  decision: string
  fingerprint: string
  title: string
  output: string
  files: string[]
  diff: string
}}

const PROGRAM = {program}

/** Shows what a call would do, asks for the permission `edit`, and does exactly that. */
export async function change(tool: string, args: object, context: Context): Promise<string> {{
  const plan = await run([tool, "--preview"], args, context)
  if (plan.decision !== "ask" && plan.decision !== "allow") throw new Error(plan.output)
  const metadata = {{ filepath: plan.files.join(", "), diff: plan.diff }}
  await context.ask({{ permission: "edit", patterns: plan.files, always: ["*"], metadata }})
  const done = await run([tool, "--approved", plan.fingerprint], args, context)
  if (done.decision !== "done") throw new Error(done.output)
  context.metadata({{ title: done.title, metadata }})
  return done.output
}}

async function run(words: string[], args: object, context: Context): Promise<Answer> {{
  const command = [...PROGRAM, "tool", ...words, "--profile", "opencode", "--json"]
  const input = new Blob([JSON.stringify(args)])
  const child = Bun.spawn(command, {{ cwd: context.directory, stdin: input, stdout: "pipe", stderr: "pipe" }})
  const stop = () => child.kill()
  context.abort.addEventListener("abort", stop)
  try {{
    const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    await child.exited
    const answer = output ? JSON.parse(output) : {{}}
    if (answer.decision === undefined) throw new Error(errors || answer.problems?.[0]?.message || "suture failed")
    return answer
  }} finally {{
    context.abort.removeEventListener("abort", stop)
  }}
}}
"""


def opencode_files(folder: str, program: Sequence[str]) -> list[ClientFile]:
    """The tools of OpenCode in its directory, and what they share."""
    helper = _HELPER.format(mark=MARK, program=json.dumps(list(program)))
    tools = {tool["name"]: tool for tool in definitions(profile_named("opencode"), "mcp")}
    files = [ClientFile(f"{folder}/tool/{name}.ts", text=_tool(name, tools[name])) for name in TOOLS]
    return [ClientFile(f"{folder}/suture.ts", text=helper), *files]


def _tool(name: str, definition: Mapping[str, Any]) -> str:
    schema = definition["inputSchema"]
    lines = [
        f"// {MARK}",
        'import { tool } from "@opencode-ai/plugin"',
        'import { change } from "../suture"',
        "",
        "export default tool({",
        f"  description: {json.dumps(definition['description'], ensure_ascii=False)},",
        "  args: {",
    ]
    for argument, value in schema["properties"].items():
        optional = "" if argument in schema["required"] else ".optional()"
        description = json.dumps(value["description"], ensure_ascii=False)
        lines.append(f"    {argument}: tool.schema.{_TYPES[value['type']]}{optional}.describe({description}),")
    lines += ["  },", f'  execute: (args, context) => change("{name}", args, context),', "})", ""]
    return "\n".join(lines)
