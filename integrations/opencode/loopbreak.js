// Loopbreak for opencode: shows every tool call to the guard, adds its advice to results, and refuses calls of a loop.
//
// Copy this file into `.opencode/plugin/` of a project, or into `~/.config/opencode/plugin/` for all projects. The program
// `loopbreak` has to be on the PATH. If it is missing or does not answer, the agent works as if there were no plugin.

import { spawnSync } from "node:child_process"

/** The longest time that the agent waits for an answer, in milliseconds. */
const TIMEOUT = 10_000

/** Shows an event to the guard and returns its answer, or an empty object. */
function ask(event) {
  const guard = spawnSync("loopbreak", ["hook", "claude-code"], {
    input: JSON.stringify(event),
    encoding: "utf8",
    timeout: TIMEOUT,
  })
  try {
    return guard.stdout?.trim() ? JSON.parse(guard.stdout) : {}
  } catch {
    return {}
  }
}

/** Returns why a call is not to be made, or undefined. Nobody can be asked here, so a question is a refusal. */
function refusal(answer) {
  const { permissionDecision, permissionDecisionReason } = answer.hookSpecificOutput ?? {}
  if (permissionDecision === "deny" || permissionDecision === "ask") return permissionDecisionReason
  return answer.continue === false ? answer.stopReason : undefined
}

export const Loopbreak = async ({ directory }) => {
  const show = (session, name, details) =>
    ask({ session_id: session, cwd: directory, hook_event_name: name, ...details })

  return {
    "chat.message": async (input, output) => {
      const prompt = output.parts.map((part) => part.text ?? "").join("\n")
      show(input.sessionID, "UserPromptSubmit", { prompt })
    },

    // An error is what the model sees as the result of the call.
    "tool.execute.before": async (input, output) => {
      const call = { tool_name: input.tool, tool_input: output.args, tool_use_id: input.callID }
      const reason = refusal(show(input.sessionID, "PreToolUse", call))
      if (reason !== undefined) throw new Error(reason)
    },

    "tool.execute.after": async (input, output) => {
      const call = { tool_name: input.tool, tool_input: input.args ?? {}, tool_use_id: input.callID }
      const tool_response = { output: output.output, exit_code: output.metadata?.exit ?? 0 }
      const answer = show(input.sessionID, "PostToolUse", { ...call, tool_response })
      const advice = answer.hookSpecificOutput?.additionalContext
      if (advice) output.output += `\n\n${advice}`
    },
  }
}
