// Loopbreak for pi: shows every tool call to the guard, adds its advice to results, refuses calls of a loop, and ends the
// turn if the agent insists.
//
// `loopbreak hook install pi` writes this file. To install it by hand, copy it into `.pi/extensions/` of a project, or into
// `~/.pi/agent/extensions/` for all projects. If the program is missing or does not answer, the agent works as if there were
// no extension.

import { spawn } from "node:child_process"
import { createHash } from "node:crypto"

/** The command that answers an event. */
const COMMAND = "loopbreak hook pi"

/** The longest time that the agent waits for an answer, in milliseconds. */
const TIMEOUT = 10_000

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

/** Returns the text of a message or a result. An image is named by its checksum, and files for long output by nothing. */
function textOf(content) {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? [])
  const texts = blocks.map((block) => {
    if (block.type === "text") return block.text
    if (block.type === "image") return `[image ${createHash("sha256").update(block.data ?? "").digest("hex")}]`
    return ""
  })
  return texts.join("\n").replace(/Full output: [^\]\n]*/g, "Full output")
}

/** Adds a text behind a result. */
function withText(content, text) {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : (content ?? [])
  return [...blocks, { type: "text", text }]
}

export default function loopbreak(pi) {
  const started = Date.now()
  /** The calls whose outcome the guard knows, and the advice about calls that pi rejected. */
  const known = new Set()
  const advice = new Map()
  /** The guard has ended the turn. */
  let stopped = false

  /** Handles an event of pi. An error of this extension does not reach the agent. */
  const on = (name, handle) =>
    pi.on(name, async (event, ctx) => {
      try {
        return await handle(event, ctx)
      } catch {
        return undefined
      }
    })

  /** Tells the user something. */
  const tell = (ctx, text, kind) => {
    if (!text) return
    if (ctx.hasUI) ctx.ui.notify(text, kind)
    else console.error(text)
  }

  /** Shows an event of the session to the guard. Ends the turn if the guard says so. */
  const show = async (ctx, name, details) => {
    const session_id = ctx.sessionManager.getSessionId()
    const answer = await ask({ session_id, cwd: ctx.cwd, hook_event_name: name, ...details })
    tell(ctx, answer.systemMessage, "warning")
    if (answer.continue === false && !stopped) {
      stopped = true
      tell(ctx, answer.stopReason, "error")
      ctx.abort()
    }
    return answer
  }

  // Extensions use the same event for prompts of their own.
  on("input", async (event, ctx) => {
    if (event.source !== "extension") stopped = false
    await show(ctx, "UserPromptSubmit", {
      prompt: event.text,
      prompt_id: ctx.sessionManager.getLeafId() ?? "first",
      source: event.source === "extension" ? "extension" : "user",
    })
  })

  on("tool_call", async (event, ctx) => {
    const call = { tool_name: event.toolName, tool_input: event.input, tool_use_id: event.toolCallId }
    const answer = await show(ctx, "PreToolUse", call)
    const { permissionDecision, permissionDecisionReason } = answer.hookSpecificOutput ?? {}
    if (permissionDecision === "ask" && ctx.hasUI) {
      const allowed = await ctx.ui.confirm("Allow this call?", permissionDecisionReason, { signal: ctx.signal })
      if (allowed) return undefined
    }
    if (permissionDecision === "deny" || permissionDecision === "ask" || answer.continue === false) {
      known.add(event.toolCallId)
      return { block: true, reason: permissionDecisionReason ?? answer.stopReason }
    }
  })

  on("tool_result", async (event, ctx) => {
    known.add(event.toolCallId)
    const call = { tool_name: event.toolName, tool_input: event.input, tool_use_id: event.toolCallId }
    const text = textOf(event.content)
    const is_interrupt = ctx.signal?.aborted === true && !stopped
    const answer = event.isError
      ? await show(ctx, "PostToolUseFailure", { ...call, error: text, is_interrupt })
      : await show(ctx, "PostToolUse", { ...call, tool_response: { content: text } })
    const added = answer.hookSpecificOutput?.additionalContext
    if (added) return { content: withText(event.content, added) }
  })

  // Before each request: the results of the last message are there. Calls that pi or another extension rejected have no
  // other event. Advice about them stands beside their error, in this request and in later ones.
  on("context", async (event, ctx) => {
    const last = event.messages.findLastIndex((message) => message.role === "assistant")
    const calls = event.messages[last]?.content?.filter?.((block) => block.type === "toolCall") ?? []
    const results = event.messages.slice(last + 1).filter((message) => message.role === "toolResult")
    const rejected = results.filter(
      (result) =>
        result.isError &&
        !known.has(result.toolCallId) &&
        !(result.timestamp < started) &&
        !textOf(result.content).includes("Loop guard:"),
    )
    if (results.length > 0) {
      const tool_calls = rejected.map((result) => ({
        tool_name: result.toolName,
        tool_input: calls.find((call) => call.id === result.toolCallId)?.arguments ?? {},
        tool_use_id: result.toolCallId,
        status: "error",
        tool_response: { error: textOf(result.content) },
      }))
      const answer = await show(ctx, "PostToolBatch", { tool_calls })
      const text = answer.hookSpecificOutput?.additionalContext
      if (text) advice.set((rejected.at(-1) ?? results.at(-1)).toolCallId, text)
    }
    for (const result of rejected) known.add(result.toolCallId)
    if (advice.size === 0) return undefined
    const messages = event.messages.map((message) => {
      const text = message.role === "toolResult" && advice.get(message.toolCallId)
      return text ? { ...message, content: withText(message.content, text) } : message
    })
    return { messages }
  })

  // A message without calls: the agent ends its turn, unless a message of the user waits.
  on("turn_end", async (event, ctx) => {
    if (event.toolResults.length > 0 || event.message.stopReason !== "stop" || ctx.hasPendingMessages()) return
    const answer = await show(ctx, "Stop", { last_assistant_message: textOf(event.message.content) })
    if (answer.decision !== "block") return
    // Newer versions take the message as the result of the event.
    if (!("continue" in event)) return pi.sendUserMessage(answer.reason, { deliverAs: "followUp" })
    const message = { type: "custom_message", customType: "loopbreak", content: answer.reason, display: true }
    return { entries: [message], continue: true }
  })

  on("session_shutdown", async (event, ctx) => {
    if (event.reason !== "reload") await show(ctx, "SessionEnd", { reason: event.reason })
  })
}
