// Loopbreak for Cline CLI: shows every tool call to the guard, adds its advice to results, refuses calls of a loop, and ends
// the run if the agent insists.
//
// `loopbreak hook install cline` writes this file. To install it by hand, copy it into `.cline/plugins/` of a project, or into
// `~/.cline/plugins/` for all projects. If the program is missing or does not answer, the agent works as if there were no
// plugin.

import { spawn } from "node:child_process"

/** The command that answers an event. */
const COMMAND = "loopbreak hook cline"

/** The longest time that the agent waits for an answer, in milliseconds. Cline itself waits three seconds for a plugin. */
const TIMEOUT = 2_500

/** Shows an event to the guard and returns its answer, or an empty object. */
function ask(event) {
  return new Promise((resolve) => {
    const guard = spawn(COMMAND, { shell: true, stdio: ["pipe", "pipe", "ignore"], timeout: TIMEOUT })
    let output = ""
    guard.stdout.setEncoding("utf8").on("data", (text) => (output += text))
    guard.stdin.on("error", () => {})
    guard.on("error", () => resolve({}))
    guard.on("close", () => {
      try {
        resolve(output.trim() ? JSON.parse(output) : {})
      } catch {
        resolve({})
      }
    })
    guard.stdin.end(JSON.stringify(event))
  })
}

/** Returns the text of a message that the user wrote, without the tags that Cline puts around it. */
function textOf(message) {
  const blocks = typeof message?.content === "string" ? [{ type: "text", text: message.content }] : (message?.content ?? [])
  const texts = blocks.filter((block) => block.type === "text").map((block) => block.text)
  return texts.join("\n").replace(/<\/?user_input[^>]*>/g, "")
}

/** Returns the text of a result, and its error. A tool can do several things at once, such as running several commands. */
function outcomeOf(result) {
  const output = result?.output
  const parts = Array.isArray(output) ? output : [output]
  const texts = parts.map((part) => {
    if (typeof part === "string") return part
    if (typeof part?.result !== "string") return part?.error ?? JSON.stringify(part ?? "")
    const error = part.error && !part.result.includes(part.error) ? part.error : ""
    return [part.result, error].filter(Boolean).join("\n")
  })
  const failed = result?.isError === true || parts.some((part) => part?.success === false)
  return { text: texts.join("\n"), failed }
}

/** The session, and the calls whose outcome the guard knows. */
let session = { id: undefined, cwd: undefined }
const known = new Set()
/** Advice about calls that Cline rejected. */
const advice = new Map()

/** Shows an event to the guard. */
function show(snapshot, name, details) {
  return ask({
    session_id: session.id ?? snapshot.conversationId ?? snapshot.agentId,
    agent_id: snapshot.parentAgentId ? snapshot.agentId : undefined,
    cwd: session.cwd ?? process.cwd(),
    hook_event_name: name,
    ...details,
  })
}

/** Shows a prompt to the guard. Subagents get theirs from an agent. */
async function showPrompt(snapshot, message) {
  if (message?.role !== "user" || message.metadata?.displayRole === "system") return
  const source = snapshot.parentAgentId ? "agent" : "user"
  await show(snapshot, "UserPromptSubmit", { prompt: textOf(message), prompt_id: message.id, source })
}

/** Handles an event. An error of this plugin does not reach the agent. */
const safe = (handle) => async (context) => {
  try {
    return await handle(context)
  } catch {
    return undefined
  }
}

export default {
  name: "loopbreak",
  manifest: { capabilities: ["hooks"] },

  setup(_, context) {
    session = { id: context?.session?.sessionId, cwd: context?.workspaceInfo?.rootPath }
  },

  hooks: {
    beforeRun: safe(async ({ snapshot }) => {
      await showPrompt(snapshot, snapshot.messages.at(-1))
    }),

    // The user may also write while the agent works.
    onEvent: safe(async (event) => {
      if (event.type === "message-added" && event.snapshot) await showPrompt(event.snapshot, event.message)
    }),

    // Nobody can be asked here, so a question is a refusal.
    beforeTool: safe(async ({ snapshot, toolCall, input }) => {
      const call = { tool_name: toolCall.toolName, tool_input: input, tool_use_id: toolCall.toolCallId }
      const answer = await show(snapshot, "PreToolUse", call)
      const { permissionDecision, permissionDecisionReason } = answer.hookSpecificOutput ?? {}
      const stop = answer.continue === false
      if (permissionDecision !== "deny" && permissionDecision !== "ask" && !stop) return undefined
      known.add(toolCall.toolCallId)
      return { skip: true, stop, reason: permissionDecisionReason ?? answer.stopReason }
    }),

    afterTool: safe(async ({ snapshot, toolCall, input, result }) => {
      if (known.has(toolCall.toolCallId)) return undefined
      known.add(toolCall.toolCallId)
      const call = { tool_name: toolCall.toolName, tool_input: input, tool_use_id: toolCall.toolCallId }
      const { text, failed } = outcomeOf(result)
      const answer = failed
        ? await show(snapshot, "PostToolUseFailure", { ...call, error: text })
        : await show(snapshot, "PostToolUse", { ...call, tool_response: { content: text } })
      if (answer.continue === false) return { stop: true, reason: answer.stopReason }
      const added = answer.hookSpecificOutput?.additionalContext
      return added ? { appendContext: added } : undefined
    }),

    // Before each request: the results of the last message are there. Calls that Cline rejected by itself have no other event.
    // Advice about them stands behind the results, in this request and in later ones.
    beforeModel: safe(async ({ snapshot, request }) => {
      const messages = request.messages
      const last = messages.findLastIndex((message) => message.role === "assistant")
      const parts = (message, type) => (Array.isArray(message?.content) ? message.content : []).filter((part) => part.type === type)
      const calls = parts(messages[last], "tool-call")
      const results = messages.slice(last + 1).flatMap((message) => parts(message, "tool-result"))
      const rejected = results.filter((result) => result.isError && !known.has(result.toolCallId))
      if (results.length > 0) {
        const tool_calls = rejected.map((result) => ({
          tool_name: result.toolName,
          tool_input: calls.find((call) => call.toolCallId === result.toolCallId)?.input ?? {},
          tool_use_id: result.toolCallId,
          status: "error",
          tool_response: { error: outcomeOf(result).text },
        }))
        for (const result of rejected) known.add(result.toolCallId)
        const answer = await show(snapshot, "PostToolBatch", { tool_calls })
        if (answer.continue === false) return { stop: true, reason: answer.stopReason }
        const text = answer.hookSpecificOutput?.additionalContext
        if (text) advice.set((rejected.at(-1) ?? results.at(-1)).toolCallId, text)
      }
      if (advice.size === 0) return undefined
      const withAdvice = messages.flatMap((message) => {
        const texts = parts(message, "tool-result").map((result) => advice.get(result.toolCallId)).filter(Boolean)
        if (texts.length === 0) return [message]
        const note = { ...message, id: `${message.id}-loopbreak`, role: "user", metadata: { displayRole: "system" } }
        return [message, { ...note, content: [{ type: "text", text: texts.join("\n\n") }] }]
      })
      return { messages: withAdvice }
    }),

    afterRun: safe(async ({ snapshot }) => {
      if (snapshot.parentAgentId) await show(snapshot, "SubagentStop", {})
    }),
  },
}
