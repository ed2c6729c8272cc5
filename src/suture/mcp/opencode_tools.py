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

type Argument = {{ type: "string" | "boolean"; description: string }}

const PROGRAM = {program}
// OpenCode installs this package from npm. Where it can't, it takes JSON schemas, and calls every argument required.
const plugin = await import("@opencode-ai/plugin").catch(() => undefined)

/** The arguments of a tool, as OpenCode wants them. */
export function schema(required: Record<string, Argument>, optional: Record<string, Argument> = {{}}): any {{
  if (plugin === undefined) return {{ ...required, ...optional }}
  const types = plugin.tool.schema
  const described = (argument: Argument) => types[argument.type]().describe(argument.description)
  const entries = Object.entries(required).map(([name, argument]) => [name, described(argument)])
  const others = Object.entries(optional).map(([name, argument]) => [name, described(argument).optional()])
  return Object.fromEntries([...entries, ...others])
}}

/** Shows what a call would do, asks for the permission `edit`, and does exactly that. */
export async function change(tool: string, args: object, context: Context): Promise<string> {{
  const plan = await run([tool, "--preview"], args, context)
  if (plan.decision !== "ask" && plan.decision !== "allow") throw new Error(plan.output)
  // OpenCode takes these for patterns, and has no way to write a name with a `*` as one.
  const always = plan.files.some((file) => /[*?]/.test(file)) ? [] : plan.files
  const metadata = {{ filepath: plan.files.join(", "), diff: plan.diff }}
  await context.ask({{ permission: "edit", patterns: plan.files, always, metadata }})
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
    arguments: list[dict[str, Any]] = [{}, {}]
    for argument, value in schema["properties"].items():
        is_optional = argument not in schema["required"]
        arguments[is_optional][argument] = {"type": value["type"], "description": value["description"]}
    required, optional = (json.dumps(group, indent=2, ensure_ascii=False) for group in arguments)
    lines = [
        f"// {MARK}",
        'import { change, schema } from "../suture"',
        "",
        f"const required = {required} as const",
        f"const optional = {optional} as const",
        "",
        "export default {",
        f"  description: {json.dumps(definition['description'], ensure_ascii=False)},",
        "  args: schema(required, optional),",
        f'  execute: (args: object, context: any) => change("{name}", args, context),',
        "}",
        "",
    ]
    return "\n".join(lines)
