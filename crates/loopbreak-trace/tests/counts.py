"""Counts runs, steps and tool calls of the fixtures with nothing but Python's json, to check the readers by.

Prints one line a log: its path below the folder given, the runs, the steps, the steps with an action, the human turns,
the events of the harness.
"""

import json
import os
import sys


def lines(path):
    for line in open(path, "rb"):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value


class Count:
    def __init__(self):
        self.runs, self.steps, self.calls, self.users, self.events = set(), 0, 0, 0, 0

    def add(self, run, calls=0, says=0, users=0, others=0, events=0):
        if calls + says + users + others + events:
            self.runs.add(run)
        self.steps += calls + says + users + others + events
        self.calls += calls
        self.users += users
        self.events += events


def claude(paths):
    # A session that is resumed may write its lines once more.
    count, messages, agents, seen = Count(), {}, set(), set()
    machine = ("<local-command", "<task-notification", "<system-reminder", "<ide_", "<bash-std", "Stop hook feedback", "This session is being continued")
    origins = ("task-notification", "task_notification", "peer", "scheduled")
    compacted = False
    for path in paths[1:]:
        agents.update(line.get("agentId") for line in lines(path))
    for path in paths:
        for line in lines(path):
            run, side = line.get("sessionId") or line.get("session_id"), line.get("isSidechain") or line.get("parent_tool_use_id")
            if line["type"] not in ("assistant", "user", "progress", "system", "attachment", "result"):
                continue
            if line["type"] == "attachment" and line["attachment"]["type"] != "queued_command" or line.get("subtype") == "stop_hook_summary":
                continue
            if line["type"] == "progress" and isinstance(line["data"].get("message"), dict):
                if line["data"]["agentId"] in agents:
                    continue
                line, side = line["data"]["message"], True
            message = line.get("message") or {}
            content = message.get("content") or []
            if isinstance(content, str):
                content = [{"type": "text", "text": content}]
            # A compaction is a boundary, a summary, or both.
            boundary = line.get("subtype") == "compact_boundary" or line.get("isCompactSummary")
            origin = (line.get("origin") or line.get("attachment", {}).get("origin") or {}).get("kind") or line.get("turnOrigin")
            text = str(line.get("attachment", {}).get("prompt") or message.get("content"))
            event = origin in origins or text.startswith(("Stop hook feedback", "<task-notification"))
            event = event or (line.get("isMeta") and text.startswith("Continue from where"))
            if boundary or event:
                count.add(run, events=0 if boundary and compacted else 1)
            if line["type"] != "system" and not line.get("isCompactSummary") or boundary:
                compacted = bool(boundary)
            if boundary or event:
                continue
            if line["type"] == "assistant" and not line.get("isApiErrorMessage"):
                blocks = messages.setdefault((run, message["id"]), [])
                blocks += [block["type"] for block in content if block["type"] in ("text", "tool_use")]
                called = {block["id"] for block in content if block["type"] == "tool_use"} - seen
                seen |= called
                count.add(run, calls=len(called))
            elif line["type"] == "user" and not (side or line.get("isMeta") or line.get("isCompactSummary")):
                words = [block.get("text", "picture") for block in content if block["type"] in ("text", "image")]
                # A refusal of the user stands on the step of its call.
                said = [word for word in words if not word.lstrip().startswith(machine)]
                count.add(run, users=1 if said and line["timestamp"] not in seen else 0)
                seen |= {line["timestamp"]} if said else set()
            elif line["type"] == "attachment":
                count.add(run, users=1)
            for block in content:
                text = str(block.get("content"))
                told = text.startswith("The user doesn't want") or "[Request interrupted by user" in text
                if block["type"] == "tool_result" and block.get("is_error") and told:
                    count.users += 1
    for (run, _), blocks in messages.items():
        count.add(run, says=1 if blocks and blocks[-1] == "text" else 0)
    return count


def codex(path):
    count, run, pending = Count(), None, False
    calls = ("function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call")
    # In code mode the items are the calls, and a script counts only if it makes none of its own.
    every = list(lines(path))
    scripts = {line["payload"]["call_id"]: 0 for line in every if line.get("payload", {}).get("name") == "exec"}
    script = None
    for line in every:
        payload = line.get("payload", {})
        script = payload["call_id"] if payload.get("name") == "exec" else script
        done = payload.get("item", {}).get("type") in ("CommandExecution", "FileChange")
        if done and scripts:
            count.add(run, calls=1)
            scripts[script] += 1
        if payload.get("type") == "custom_tool_call_output" and payload["call_id"] in scripts:
            running = "Script running" in str(payload["output"])
            count.add(run, calls=0 if scripts[payload["call_id"]] or running else 1)
        if payload.get("name") == "exec":
            pending = False
            continue
        if payload.get("type") == "agent_message":
            count.add(run, says=1 if pending else 0, events=1)
            pending = False
        if line.get("type") == "session_meta":
            run = line["payload"]["id"]
        elif "type" not in line:
            run = line.get("id", run)
        item = line.get("payload", line) if line.get("type") not in ("event_msg", "turn_context", "session_meta") else {}
        if line.get("type") == "compacted":
            count.add(run, says=1 if pending else 0, events=1)
            item, pending = {}, False
        if item.get("type") in calls:
            count.add(run, calls=1)
            pending = False
        elif item.get("type") == "message":
            count.add(run, says=1 if pending else 0)
            pending = item["role"] == "assistant"
            text = item["content"][0]["text"]
            sent_on = text.startswith(("<codex_internal", "<hook_prompt", "<subagent_not")) and "edited by the user" not in text
            human = item["role"] == "user" and not sent_on and not text.startswith(("<environment_context>", "<turn_aborted>"))
            count.add(run, users=1 if human else 0, events=1 if sent_on else 0)
        elif isinstance(item.get("output"), str) and ("rejected by user" in item["output"] or "aborted by user" in item["output"]):
            count.users += 1
    count.add(run, says=1 if pending else 0)
    return count


def gemini(path):
    count = Count()
    try:
        document = json.load(open(path))
        run, messages = document["sessionId"], document["messages"]
    except ValueError:
        every = list(lines(path))
        run, messages = every[0]["sessionId"], list({line["id"]: line for line in every if "type" in line}.values())
        summaries = {str(line["$set"]["messages"]) for line in every if "messages" in line.get("$set", {})}
        count.add(run, events=len(summaries))
    for message in messages:
        if message["type"] == "user":
            ours = str(message["content"]).startswith("[{'text': 'Loop guard:")
            count.add(run, users=0 if ours else 1, events=1 if ours else 0)
        elif message["type"] == "gemini":
            calls = message.get("toolCalls") or []
            count.add(run, calls=len(calls), says=0 if calls else 1)
            count.users += sum(call["status"] == "cancelled" for call in calls)
    return count


def swe_agent(path):
    count = Count()
    for entry in json.load(open(path))["trajectory"]:
        count.add(path, calls=1 if entry["action"].strip() else 0)
    return count


def openhands(path):
    count = Count()
    inner = ("system", "recall", "change_agent_state", "null")
    documents = [json.load(open(path))] if path.endswith(".json") else list(lines(path))
    if "history" not in documents[0]:
        documents = [documents] if path.endswith(".jsonl") else documents
    for document in documents:
        run, events = (path, document) if isinstance(document, list) else (document["instance_id"], document["history"])
        for event in events:
            for part in event if isinstance(event, list) else [event]:
                action = part.get("action")
                if "kind" in part:
                    kind, user = part["kind"], part["source"] == "user"
                    count.add(run, calls=kind == "ActionEvent")
                    count.add(run, **{"users" if user else "says": int(kind == "MessageEvent")})
                    count.users += kind == "UserRejectObservation"
                    continue
                if action in ("message", "finish"):
                    count.add(run, **{"users" if part["source"] == "user" else "says": 1})
                elif action and action not in inner:
                    count.add(run, calls=1)
    return count


def otel(path):
    """Tools and models of the spans. Code that a chain ran is a call, and the tools in it are part of it."""
    count, spans = Count(), []

    def flat(span, parent):
        attributes = span.get("span_attributes") or span.get("attributes") or {}
        if isinstance(attributes, list):
            attributes = {pair["key"]: next(iter(pair["value"].values())) for pair in attributes}
        spans.append((parent, attributes, span))
        for child in span.get("child_spans") or []:
            flat(child, attributes)

    documents = [json.load(open(path))] if path.endswith(".json") else list(lines(path))
    for number, document in enumerate(documents):
        if isinstance(document, list):
            for span in document:
                flat(span, {})
        for span in document.get("spans", []) if isinstance(document, dict) else []:
            flat(span, {})
        for resource in document.get("resourceSpans", []) if isinstance(document, dict) else []:
            for scope in resource["scopeSpans"]:
                for span in scope["spans"]:
                    if not span["name"].startswith("claude_code."):
                        flat(span, {})
        for resource in document.get("resourceLogs", []) if isinstance(document, dict) else []:
            for record in resource["scopeLogs"][0]["logRecords"]:
                attributes = {pair["key"]: next(iter(pair["value"].values())) for pair in record["attributes"]}
                run = attributes.get("session.id") or attributes.get("conversation.id")
                event = attributes["event.name"].rsplit(".")[-1]
                denied = event == "tool_decision" and attributes["decision"] == "reject"
                count.add(run, calls=event in ("tool_result", "tool_call") or denied,
                          says=event == "assistant_response", users=event == "user_prompt")
    kind = lambda attributes: str(attributes.get("openinference.span.kind") or attributes.get("gen_ai.operation.name")).lower()
    coding = [id(parent) for parent, attributes, _ in spans
              if kind(attributes) == "llm" and "```" in str(attributes.get("llm.output_messages.0.message.content"))]
    for parent, attributes, span in spans:
        run = attributes.get("session.id") or span.get("trace_id") or span.get("traceId") or "s-1"
        run = {"t1": "conv-9", "0xab": "s-1"}.get(run, run)
        text = attributes.get("llm.output_messages.0.message.content") or attributes.get("gen_ai.output.messages")
        if kind(attributes) in ("llm_call", "tool_call"):
            pass  # Gemini CLI sends events about them too.
        elif kind(attributes) == "tool" or "gen_ai.tool.name" in attributes:
            count.add(run, calls=0 if id(parent) in coding else 1)
        elif "gen_ai.completion.0.tool_calls.0.name" in attributes:
            count.add(run, calls=1)
        elif kind(attributes) in ("llm", "chat") and kind(parent) == "tool":
            pass  # What a tool asks a model is the tool's own affair.
        elif kind(attributes) in ("llm", "chat"):
            count.add(run, calls=1 if "```" in str(text) else 0, says=1 if text and "```" not in text else 0)
    return count


def chat(path):
    count = Count()

    def message(run, one, several=False):
        content = one.get("content")
        blocks = content if isinstance(content, list) else []
        calls = len(one.get("tool_calls") or []) + bool(one.get("function_call"))
        calls += sum(block["type"] == "tool_use" for block in blocks)
        results = any(block["type"] == "tool_result" for block in blocks)
        if one["role"] in ("system", "tool", "function") or results:
            return
        words = content if isinstance(content, str) else "".join(block.get("text", "") for block in blocks)
        if one["role"] in ("user", "human") and not (several and "name" in one):
            empty = content is not None and not words.strip()
            count.add(run, users=1 if words.strip() else 0, events=1 if empty else 0)
        else:
            count.add(run, calls=calls, says=0 if calls else 1)

    if path.endswith(".jsonl"):
        documents = [list(lines(path))]
    else:
        documents = [json.load(open(path))]
    for document in documents:
        parts = document if isinstance(document, list) else [document]
        for part in parts:
            if "role" in part:
                message(path, part)
            for key in ("messages", "history", "traj"):
                for one in part.get(key) or []:
                    message((part.get("task_id"), part.get("question_ID")), one, key == "history")
    return count


def zorkgpt(path):
    count = Count()
    if path.endswith(".txt"):
        turns = open(path).read().split("\n--- Turn ")[1:]
        count.add(path, calls=sum("\nAgent proposes:" in turn for turn in turns))
        return count
    for line in lines(path):
        if line.get("event_type") in ("turn_completed", "action_rejected"):
            count.add(line["episode_id"], calls=1)
    return count


def ralph(path):
    count, run = Count(), path
    for line in lines(path):
        kind = line.get("type", {}).get("kind") or line.get("event", {}).get("type")
        if kind == "loop_started":
            run = line["ts"]
            count.add(run, users=1)
        elif kind == "iteration_completed" or (kind == "event_published" and "hat" in line):
            count.add(run, others=1)
        elif "topic" in line and line.get("hat") == "loop":
            count.add(run, users=1 if line["iteration"] == 0 else 0)
        elif "topic" in line or "title" in line:
            count.add(run, others=1)
    return count


def attempts(path):
    count = Count()
    if path.endswith(".json"):
        records = json.load(open(path))["attempts"]
    else:
        records = [line for line in lines(path) if isinstance(line.get("taskId"), (str, int))]
    count.add(path, others=len(records))
    return count


def adventureai(path):
    document, count = json.load(open(path)), Count()
    count.add(document["name"], calls=sum(message["role"] == "assistant" for message in document["messages"]))
    return count


def qwen(path):
    count = Count()
    for line in lines(path):
        run, agent, parts = line["sessionId"], line.get("agentId"), line.get("message", {}).get("parts", [])
        texts = [part["text"] for part in parts if part.get("text") and not part.get("thought")]
        if line["type"] == "assistant":
            calls = sum("functionCall" in part for part in parts)
            count.add(run, calls=calls, says=1 if texts and not calls else 0)
        elif line["type"] == "user" and not agent:
            event = line.get("subtype") == "notification"
            count.add(run, users=1 if texts and not event else 0, events=1 if event else 0)
        count.add(run, events=1 if line.get("subtype") == "chat_compression" else 0)
        count.users += (line.get("toolCallResult") or {}).get("status") == "cancelled"
    return count


def opencode(path):
    count = Count()
    try:
        document = json.load(open(path))
        run, messages = document["info"]["id"], document["messages"]
    except ValueError:
        every = [line for line in lines(path) if "part" in line]
        run, groups = every[0]["sessionID"], {}
        for line in every:
            groups.setdefault(line["part"]["messageID"], []).append(line["part"])
        messages = [{"info": {"role": "assistant"}, "parts": parts} for parts in groups.values()]
    for message in messages:
        parts, user = message["parts"], message["info"]["role"] == "user"
        texts = [part for part in parts if part["type"] == "text" and not part.get("synthetic")]
        calls = [part for part in parts if part["type"] == "tool"]
        if user:
            event = not texts
            count.add(run, users=0 if event else 1, events=1 if event else 0)
        else:
            summary = message["info"].get("summary") is True
            count.add(run, calls=len(calls), says=1 if texts and not calls and not summary else 0)
            told = ("The user rejected", "Tool execution aborted")
            count.users += sum(str(call["state"].get("error")).startswith(told) for call in calls)
    return count


def pi(path):
    every, count = list(lines(path)), Count()
    run = every[0]["id"]
    for line in every:
        message = line.get("message") or {}
        role, content = message.get("role"), message.get("content")
        if role == "assistant":
            calls = sum(block["type"] == "toolCall" for block in content)
            count.add(run, calls=calls, says=0 if calls else 1)
        count.add(run, users=1 if role in ("user", "bashExecution") else 0, events=1 if line["type"] == "compaction" else 0)
        count.users += role == "toolResult" and "Command aborted" in str(content)
    return count


def ltf(path):
    count = Count()
    for line in lines(path):
        phase = line.get("phase")
        count.add(line["loop_id"], calls=phase in ("act", "verify", "error"), says=phase in ("plan", "decide"))
    return count


def langchain(path):
    count, seen, run = Count(), set(), None
    try:
        documents = [json.load(open(path))]
    except ValueError:
        documents = list(lines(path))
    for document in documents:
        run = document.get("thread_id") if isinstance(document, dict) else None
        for message in document["messages"] if isinstance(document, dict) else document:
            message = message.get("kwargs") or message.get("data") or message
            if message.get("id") in seen:
                continue
            seen |= {message["id"]} if message.get("id") else set()
            calls = len(message.get("tool_calls") or []) + len(message.get("invalid_tool_calls") or [])
            ai = message["type"] == "ai"
            count.add(run, calls=calls, says=1 if ai and not calls else 0, users=1 if message["type"] == "human" else 0)
    return count


def ai_sdk(path):
    document, count = json.load(open(path)), Count()
    run, messages = (document["id"], document["messages"]) if isinstance(document, dict) else (None, document)
    for message in messages:
        parts = message.get("parts") or message["content"]
        parts = [{"type": "text"}] if isinstance(parts, str) else parts
        kinds = [part["type"] for part in parts]
        if message["role"] == "assistant":
            calls = [kind for kind in kinds if kind.startswith("tool-") or kind == "dynamic-tool"]
            # A text after the last call is a step of its own.
            count.add(run, calls=len(calls), says=1 if kinds[-1] == "text" else 0)
            count.users += sum(part.get("state") == "output-denied" for part in parts)
        count.add(run, users=1 if message["role"] == "user" else 0)
    return count


def responses(path):
    count, pending = Count(), False
    try:
        items, run = json.load(open(path)), None
    except ValueError:
        every = list(lines(path))
        listed = (line["output"] if isinstance(line["output"], list) else [line] for line in every)
        items, run = [item for items in listed for item in items], every[0]["id"]
    for item in items:
        kind = item.get("type", "message")
        said, pending = pending and kind == "message", kind == "message" and item["role"] == "assistant" or pending and kind == "reasoning"
        count.add(run, calls=kind.endswith("_call"), says=said, users=kind == "message" and item["role"] == "user")
    count.add(run, says=pending)
    return count


FORMATS = {
    "adventureai": adventureai,
    "ai-sdk": ai_sdk,
    "attempts": attempts,
    "chat": chat,
    "codex": codex,
    "gemini-cli": gemini,
    "langchain": langchain,
    "ltf": ltf,
    "opencode": opencode,
    "openhands": openhands,
    "otel": otel,
    "pi": pi,
    "qwen-code": qwen,
    "ralph": ralph,
    "responses": responses,
    "swe-agent": swe_agent,
    "zorkgpt": zorkgpt,
}


def show(name, count):
    print(name, len(count.runs), count.steps, count.calls, count.users, count.events)


def main(root):
    for folder in sorted(os.listdir(root)):
        here = os.path.join(root, folder)
        if not os.path.isdir(here):
            continue
        for file in sorted(os.listdir(here)):
            path = os.path.join(here, file)
            if os.path.isdir(path):
                continue
            name = folder + "/" + file
            if folder.startswith("claude-code"):
                below = os.path.join(os.path.splitext(path)[0], "subagents")
                agents = [os.path.join(below, agent) for agent in sorted(os.listdir(below))] if os.path.isdir(below) else []
                show(name, claude([path] + agents))
            else:
                show(name, FORMATS[folder](path))


main(sys.argv[1])
