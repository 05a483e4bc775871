// Loopbreak for opencode: shows every tool call to the guard, adds its advice to results, refuses calls of a loop, and ends
// the session if the agent insists.
//
// `loopbreak hook install opencode` writes this file. To install it by hand, copy it into `.opencode/plugin/` of a project,
// or into `~/.config/opencode/plugin/` for all projects. If the program is missing or does not answer, the agent works as if
// there were no plugin.

import { spawnSync } from "node:child_process"

/** The command that answers an event. */
const COMMAND = "loopbreak hook opencode"

/** The longest time that the agent waits for an answer, in milliseconds. */
const TIMEOUT = 10_000

/** Shows an event to the guard and returns its answer, or an empty object. */
function ask(event) {
  const guard = spawnSync(COMMAND, { input: JSON.stringify(event), encoding: "utf8", timeout: TIMEOUT, shell: true })
  try {
    return guard.stdout?.trim() ? JSON.parse(guard.stdout) : {}
  } catch {
    return {}
  }
}

/** Marks a text of the guard, so that it is not taken for a part of the result. */
const note = (text) => `\n\n<hook_context>${text}</hook_context>`

export const Loopbreak = async ({ client, directory }) => {
  const started = Date.now()
  /** The calls that are being made, those whose failure was reported, and the advice about them. */
  const calls = new Map()
  const reported = new Set()
  const advice = new Map()

  /** Shows an event of a session to the guard. Ends the session if the guard says so. */
  const show = async (session, name, details) => {
    const answer = ask({ session_id: session, cwd: directory, hook_event_name: name, ...details })
    if (answer.continue === false) await client.session.abort({ path: { id: session } }).catch(() => {})
    return answer
  }

  /** Shows a failed call to the guard, once. */
  const reportFailure = async (part) => {
    if (part?.type !== "tool" || part.state?.status !== "error" || reported.has(part.callID)) return
    reported.add(part.callID)
    const error = String(part.state.error ?? "")
    // A refusal of the guard is no failure of the tool. Failures of an earlier process were reported by it.
    if (error.includes("Loop guard:") || part.state.time?.end < started) return
    const call = calls.get(part.callID) ?? {
      tool_name: part.tool,
      tool_input: part.state.input ?? {},
      tool_use_id: part.callID,
    }
    calls.delete(part.callID)
    const answer = await show(part.sessionID, "PostToolUseFailure", { ...call, error })
    const text = answer.hookSpecificOutput?.additionalContext
    if (text) advice.set(part.callID, text)
  }

  return {
    "chat.message": async (input, output) => {
      const prompt = output.parts.map((part) => part.text ?? "").join("\n")
      await show(input.sessionID, "UserPromptSubmit", { prompt, prompt_id: output.message?.id })
    },

    // An error is what the model sees as the result of the call. Nobody can be asked here, so a question is a refusal.
    "tool.execute.before": async (input, output) => {
      const call = { tool_name: input.tool, tool_input: output.args, tool_use_id: input.callID }
      const answer = await show(input.sessionID, "PreToolUse", call)
      const { permissionDecision, permissionDecisionReason } = answer.hookSpecificOutput ?? {}
      if (permissionDecision === "deny" || permissionDecision === "ask") throw new Error(permissionDecisionReason)
      if (answer.continue === false) throw new Error(answer.stopReason)
      calls.set(input.callID, call)
    },

    "tool.execute.after": async (input, output) => {
      const call = calls.get(input.callID) ?? {
        tool_name: input.tool,
        tool_input: input.args ?? {},
        tool_use_id: input.callID,
      }
      calls.delete(input.callID)
      const tool_response = { output: output.output, metadata: { exit: output.metadata?.exit } }
      const answer = await show(input.sessionID, "PostToolUse", { ...call, tool_response })
      const text = answer.hookSpecificOutput?.additionalContext
      if (text) output.output += note(text)
    },

    // A call that failed, or that opencode rejected, ends without `tool.execute.after`. Its error is in the message.
    event: async ({ event }) => {
      if (event.type === "message.part.updated") await reportFailure(event.properties.part)
      if (event.type === "session.compacted") await show(event.properties.sessionID, "PostCompact", {})
    },

    // Advice about a failed call stands beside its error.
    "experimental.chat.messages.transform": async (_, output) => {
      for (const part of output.messages.flatMap((message) => message.parts)) {
        await reportFailure(part)
        const text = advice.get(part.callID)
        if (text && !part.state.error.includes(text)) part.state.error += note(text)
      }
    },
  }
}
