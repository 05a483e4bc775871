"""What clients do with `loopbreak mcp`, played with the official client library against the real program.

Started by tests/mcp.rs with the name of a scenario; the program and its store are named in the environment.
"""

import asyncio
import contextlib
import json
import os
import re
import signal
import subprocess
import sys

import anyio
import httpx2 as httpx
import jsonschema
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

PROGRAM = os.environ["PROGRAM_UNDER_TEST"]
ENV = {"XDG_STATE_HOME": os.environ["XDG_STATE_HOME"]}
TOOLS = {
    "record_step", "weigh_action", "record_attempt", "detect_loop", "apply_recovery", "plan_next", "task_status",
    "status", "explain_run",
}
FIRST_RELEASE = os.path.join(os.path.dirname(__file__), "../../fixtures/first-release/mcp-tools.json")
ANSWERS = {tool["name"]: tool["outputSchema"] for tool in json.load(open(FIRST_RELEASE))}
FAILING = {"action": {"name": "bash", "args": {"command": "make test"}}, "outcome": {"text": "2 failed", "error": True}}
SAME = {"action": {"name": "read_file", "args": {"path": "a.txt"}}, "outcome": "the same text"}


def stdio(*arguments, mode="auto", env=None):
    """A client that starts the server itself."""
    parameters = StdioServerParameters(command=PROGRAM, args=["mcp", *arguments], env={**ENV, **(env or {})})
    return Client(parameters, mode=mode)


class Served:
    """A server over HTTP, as long as the block lasts."""

    def __init__(self, *arguments, env=None):
        self.arguments, self.env = arguments, {**ENV, **(env or {})}

    def __enter__(self):
        self.process = subprocess.Popen(
            [PROGRAM, "mcp", "--http", "127.0.0.1:0", *self.arguments],
            env=self.env, stderr=subprocess.PIPE, text=True,
        )
        line = self.process.stderr.readline()
        self.url = re.search(r"http://\S+/mcp", line).group()
        self.headers = {}
        if "--token-file" not in self.arguments and "LOOPBREAK_TOKEN" not in self.env:
            token = open(os.path.join(self.env["XDG_STATE_HOME"], "loopbreak/mcp-token")).read().strip()
            self.headers = {"Authorization": f"Bearer {token}"}
        return self

    @contextlib.asynccontextmanager
    async def client(self, mode="auto"):
        """A client that sends the token that the server made up."""
        async with httpx.AsyncClient(headers=self.headers, timeout=60) as http:
            async with Client(streamable_http_client(self.url, http_client=http), mode=mode) as client:
                yield client

    def end(self):
        """Asks it to end, and gives its exit code and what else it said."""
        self.process.send_signal(signal.SIGTERM)
        said = self.process.stderr.read()
        return self.process.wait(20), said

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stderr.close()


@contextlib.asynccontextmanager
async def both():
    """The same store through both doors."""
    with Served() as served:
        async with stdio() as one, served.client() as other:
            yield one, other


async def call(client, tool, **arguments):
    """What a tool answers, held to its schema by the client library."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, (tool, result.content)
    # The list of tools only outlines the answers. They are what they were in the first release.
    jsonschema.validate(result.structured_content, ANSWERS[tool])
    # A client that knows no structured answers reads the same.
    assert json.loads(result.content[0].text) == result.structured_content
    return result.structured_content


async def refused(client, tool, **arguments):
    """The words with which a tool refuses a call."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, (tool, result.structured_content)
    return result.content[0].text


async def tools_and_schemas():
    guide = open(os.path.join(os.path.dirname(__file__), "../../../../../docs/guide/mcp.md")).read()
    assert set(re.findall(r"^\| `([a-z_]+)` \|", guide, re.M)) == TOOLS, "the guide has a row for each tool"
    for mode in ("legacy", "2026-07-28", "auto"):
        async with stdio(mode=mode) as client:
            await look_at_tools(client)
        with Served() as served:
            async with served.client(mode) as client:
                await look_at_tools(client)


async def look_at_tools(client):
    tools = (await client.list_tools()).tools
    assert {tool.name for tool in tools} == TOOLS, tools
    for tool in tools:
        assert len(tool.description) > 40 and tool.annotations is not None, tool.name
        for schema in (tool.input_schema, tool.output_schema):
            jsonschema.Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object" and schema["properties"], tool.name
            # Claude Code complains of every format of numbers that the standard does not know.
            assert '"format"' not in json.dumps(schema), tool.name
        described = [part for part in tool.input_schema["properties"].values() if part.get("description")]
        assert len(described) == len(tool.input_schema["properties"]), tool.name
        # Whatever a tool takes, it can be left to the run of the connection.
        assert "run" not in tool.input_schema.get("required", [])
    read_only = {tool.name for tool in tools if tool.annotations.read_only_hint}
    assert read_only == {"weigh_action", "detect_loop", "task_status", "status", "explain_run"}, read_only
    loop = next(tool for tool in tools if tool.name == "detect_loop").output_schema["properties"]
    assert {"isLooping", "loopType", "attemptCount", "recommendation", "reason", "evidence"} <= loop.keys()


async def a_looping_conversation():
    async with both() as clients:
        for client, run in zip(clients, ("one", "other")):
            verdicts = [await call(client, "record_step", run=run, **SAME) for _ in range(9)]
            words = [verdict["verdict"] for verdict in verdicts]
            assert "warn" in words[:4] and words[0] == "clear", words
            # It stays so, and gets worse if the agent goes on regardless.
            assert "clear" not in words[3:] and words[-1] == "stop", words
            assert [verdict["turn"] for verdict in verdicts] == list(range(1, 10))
            first = next(verdict for verdict in verdicts if verdict["verdict"] == "warn")
            assert "read_file" in first["advice"][0] and first["findings"][0]["evidence"], first
            found = await call(client, "detect_loop", run=run)
            assert found["isLooping"] and found["loopType"] == "cycle" and found["attemptCount"] == 9, found
            assert "read_file" in found["reason"] and found["evidence"]["since"] == 1, found
            ruling = await call(client, "weigh_action", run=run, action=SAME["action"])
            assert not ruling["accepted"] and ruling["intervention"] == "reject", ruling
            assert (await call(client, "weigh_action", run=run, action="something else"))["accepted"]
            # To weigh is to ask: it changes nothing.
            assert await call(client, "detect_loop", run=run) == found
            for number in range(3):
                await call(client, "record_step", run=run, action=f"look at file {number}", outcome=f"text {number}")
            assert not (await call(client, "detect_loop", run=run))["isLooping"]


async def healthy_work_is_left_alone():
    """Complaints 1, 4, 6 and 8: batches with other arguments, pages of one output, waiting, tests after each fix."""
    async with stdio() as client:
        for number in range(30):
            steps = [
                ("batch", {"action": {"name": "git_mv", "args": {"from": f"src/part{number}.ts"}}, "outcome": "ok"}),
                ("pages", {"action": {"name": "read_output", "args": {"id": 7}},
                           "outcome": f"{8192 * (number + 1)} bytes so far: {hash(('page', number))}"}),
                ("fixes", {"action": {"name": "edit", "args": {"file": "a.py", "text": f"try {number}"}}, "outcome": "ok"}),
                ("fixes", {"action": {"name": "bash", "args": {"command": "make test"}},
                           "outcome": f"{40 - number} failed"}),
                ("waits", {"action": {"name": "bash_output", "args": {"id": 3}}, "outcome": f"compiled {number} of 400"}),
            ]
            for run, step in steps:
                verdict = await call(client, "record_step", run=run, **step)
                assert verdict["verdict"] == "clear", (run, number, verdict)
        # Complaint 7: five files at once.
        reads = [call(client, "record_step", run="parallel", action={"name": "read_file", "args": {"path": f"{n}.md"}},
                      outcome=f"text {n}") for n in range(5)]
        assert {verdict["verdict"] for verdict in await asyncio.gather(*reads)} == {"clear"}


async def loops_that_others_miss_are_reported():
    """Complaints 12, 13, 15 and 22, each with the step at which it is told of at the latest."""
    gone = "FileNotFoundError: [Errno 2] No such file or directory: 'data.json'"
    loops = {
        "same call, exit 0": (4, lambda n: ("exec ./sync.sh", {"text": "done, exit 0"})),
        "one-liners": (8, lambda n: (f"python3 -c 'print(open(\"data.json\").read()[:{n + 100}])'", {"text": gone, "error": True})),
        "lookup, search": (8, lambda n: (("lookup x", "search x")[n % 2], {"text": ("nothing", "no match")[n % 2]})),
        "wrong path": (4, lambda n: ("list_files /srv/ap", {"text": "ENOENT: /srv/ap", "error": True})),
    }
    async with stdio() as client:
        for run, (latest, step) in loops.items():
            words = []
            for number in range(60):
                action, outcome = step(number)
                action = {"name": "bash", "args": {"command": action}}
                words.append((await call(client, "record_step", run=run, action=action, outcome=outcome))["verdict"])
            assert "warn" in words[:latest], (run, words)
            # It does not end with a warning: something is to be done about it, and that stays so.
            assert "stop" in words[:20] and words[-1] == "stop", (run, words)


async def noise_on_the_line_is_ignored():
    server = subprocess.Popen([PROGRAM, "mcp"], env=ENV, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}
    step = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "record_step", "arguments": {"run": "noise", "action": "x"}}}
    lines = [json.dumps(hello).encode(), b'{"jsonrpc":"2.0","method":"notifications/initialized"}', b"not JSON", b"",
             b"\xff\xfe\x00", b"{" * 10_000, b"[" * 100_000, b'{"jsonrpc":"2.0"', b"null", b"7", json.dumps(step).encode()]
    out, _ = server.communicate(b"\n".join(lines) + b"\n", timeout=60)
    answers = [json.loads(line) for line in out.splitlines()]
    assert answers[-1]["id"] == 2 and answers[-1]["result"]["structuredContent"]["turn"] == 1, answers
    assert server.returncode == 0


async def attempt(client, status, blockers=(), work=(), task="T1", **more):
    return await call(
        client, "record_attempt", taskId=task, status=status, blockers=list(blockers), completedWork=list(work), **more
    )


async def recoveries():
    async with stdio() as client:
        # Pattern 1: done, and attempted again and again.
        for number in range(4):
            made = await attempt(client, "done", work=["wrote dashboard"], task="T3.4.2", sessionId=f"s{number}")
        found = await call(client, "detect_loop", taskId="T3.4.2")
        assert found == made["check"], (found, made)
        assert (found["isLooping"], found["loopType"], found["attemptCount"], found["recommendation"]) == (
            True, "completed_task_revisit", 4, "force_next"), found
        assert found["evidence"]["attempts"][-1]["session"] == "s3"
        done = await call(client, "apply_recovery", taskId="T3.4.2")
        assert done["applied"] and done["recovery"] == "force_next" and done["advice"], done
        assert done["task"]["status"] == "done" and done["task"]["forced"] is True, done
        assert not (await call(client, "detect_loop", taskId="T3.4.2"))["isLooping"]

        # Pattern 2: the same blockers. Authority once, then a human.
        done = []
        for _ in range(7):
            made = await attempt(client, "blocked", ["missing auth server"], task="T3.4.3")
            if made["check"]["isLooping"]:
                recovery = await call(client, "apply_recovery", taskId="T3.4.3")
                done.append((recovery["recovery"], recovery["task"]["status"]))
                again = await call(client, "apply_recovery", taskId="T3.4.3")
                assert not again["applied"] and again["reason"], again
                if recovery["recovery"] == "escalate":
                    break
        assert done == [("unblock_authority", "pending"), ("escalate", "blocked")], done
        assert (await call(client, "task_status", taskId="T3.4.3"))["tasks"][0]["standing"] == "escalated"

        # Pattern 3: the same work. A human at 3, moved on at 5.
        done = []
        for _ in range(5):
            made = await attempt(client, "in_progress", work=["Read file A", "Parse config"], task="T7.1.2")
            recovery = await call(client, "apply_recovery", taskId="T7.1.2")
            done.append(recovery.get("recovery"))
            assert recovery["applied"] == (recovery.get("recovery") is not None)
        assert done == [None, None, "escalate", None, "force_next"], done

        tasks = {task["id"]: task for task in (await call(client, "task_status"))["tasks"]}
        assert {id: task["standing"] for id, task in tasks.items()} == {
            "T3.4.2": "forced", "T3.4.3": "escalated", "T7.1.2": "forced"}, tasks
        assert tasks["T7.1.2"]["attemptCount"] == 5 and "T7.1.2" in tasks["T7.1.2"]["reason"]
        # Forced and left to a human: nothing of it comes again.
        assert (await call(client, "plan_next"))["next"] == "nothing"
        # A human helped, and it is done after all.
        assert (await attempt(client, "done", task="T3.4.3"))["task"]["standing"] == "done"
        story = (await call(client, "explain_run"))["story"]
        for words in ("force_next", "unblock_authority", "escalate", "T3.4.3", "forced", "attempts at 3 tasks"):
            assert words in story, story
        assert "No loops were found" not in story, story
        status = await call(client, "status")
        assert status["loopCount"] == 3 and status["recoveryCount"] == 5 and status["tickCount"] > 10, status
        assert set(status["tasks"]) == {"T3.4.2", "T3.4.3", "T7.1.2"}, status


async def a_task_without_a_loop_is_clear():
    """A constant blocker with growing work, changed work, attempts far apart: none of them is a loop."""
    async with stdio() as client:
        for number in range(6):
            grows = await attempt(client, "blocked", ["slow CI"], [f"part {n}" for n in range(number + 1)], "grows")
            changes = await attempt(client, "in_progress", [], [f"part {number}"], "changes")
            apart = await attempt(
                client, "blocked", ["x"], [], "apart", run="slow", timestamp=1_760_000_000_000 + number * 7_200_000)
            for made in (grows, changes, apart):
                assert not made["check"]["isLooping"], made
            recovery = await call(client, "apply_recovery", taskId="grows")
            assert not recovery["applied"] and "is not looping" in recovery["reason"], recovery
        # Times of a past run are judged by themselves, not by the clock of today.
        for number in range(3):
            past = await attempt(
                client, "blocked", ["x"], [], "past", run="replayed", timestamp=f"2025-10-18T22:0{number}:00Z")
        assert past["check"]["isLooping"], past
        assert (await call(client, "detect_loop", run="replayed", taskId="past"))["isLooping"]
        # A step can report an attempt as well.
        for _ in range(3):
            step = await call(client, "record_step", run="steps", task={"id": 'S', "status": "blocked", "blockers": ["b"]})
        assert step["task"]["loopType"] == "blocked_task_spin", step


async def concurrent_steps_keep_their_order():
    async with both() as clients:
        async def steps(client, run, count):
            calls = [call(client, "record_step", run=run, action=f"{run} {number}") for number in range(count)]
            return [verdict["turn"] for verdict in await asyncio.gather(*calls)]

        one, other, third = await asyncio.gather(
            steps(clients[0], "one", 300), steps(clients[1], "other", 200), steps(clients[0], "third", 100))
        assert one == list(range(1, 301)), one
        assert third == list(range(1, 101)), third
        # Over HTTP each call may come on a connection of its own, so only that none is lost is ours to promise.
        assert sorted(other) == list(range(1, 201)), other
        for client, run, count in ((clients[1], "one", 300), (clients[0], "other", 200)):
            lines = (await client.read_resource(f"loopbreak://runs/{run}/events")).contents[0].text.splitlines()
            events = [json.loads(line) for line in lines]
            assert [event["number"] for event in events] == list(range(1, count + 1))
            if run == "one":
                assert [event["action"] for event in events] == [f"one {number}" for number in range(count)]


async def wrong_calls_are_answered_with_what_to_do():
    async with both() as clients:
        for client in clients:
            for tool, arguments, words in [
                ("record_step", {"run": "r", "actoin": "x"}, "Unknown argument `actoin`. Did you mean `action`?"),
                ("record_step", {"run": "r", "action": "x", "score": "high"}, "Invalid argument `score`: expected a number"),
                ("record_step", {"run": "r", "place": [1]}, "Invalid argument `place`: expected a text or an object"),
                ("record_step", {"run": "r", "action": "x", "at": "noon"}, "2025-11-04T09:35:24Z"),
                ("record_step", {"run": "r"}, "The step is empty"),
                ("record_step", {"run": " ", "action": "x"}, "Invalid run name: use 1–200 bytes on one line"),
                ("record_step", {"run": "x" * 300, "action": "x"}, "Invalid run name: use 1–200 bytes on one line"),
                ("weigh_action", {"run": "r"}, "Missing argument `action`"),
                ("weigh_action", {"run": "r", "action": {"name": ""}}, "The action has no name"),
                ("record_attempt", {"run": "r", "status": "done"}, "Missing argument `taskId`"),
                ("record_attempt", {"run": "r", "taskId": "", "status": "done"}, "Invalid task id"),
                ("record_attempt", {"run": "r", "taskId": "x" * 65, "status": "done"}, "1–64 bytes"),
                ("explain_run", {"run": "nobody"}, 'Run "nobody" not found'),
                ("task_status", {"run": "nobody"}, 'Run "nobody" not found'),
                ("status", {"run": "nobody"}, 'Run "nobody" not found'),
                ("apply_recovery", {"run": "nobody", "taskId": "T"}, 'Run "nobody" not found'),
                ("plan_next", {"run": "nobody"}, 'Run "nobody" not found'),
            ]:
                said = await refused(client, tool, **arguments)
                assert words in said, (tool, arguments, said)
            # Nothing of it was recorded.
            assert 'Run "r" not found' in await refused(client, "explain_run", run="r")
        one, other = clients
        await attempt(one, "blocked", run="known")
        said = await refused(one, "task_status", run="known", taskId="T9")
        assert 'Task "T9" not found' in said and '"T1"' in said, said
        # What is not recorded yet does not loop.
        for run in ("known", "nobody"):
            found = await call(one, "detect_loop", run=run, taskId="T9")
            assert not found["isLooping"] and found["attemptCount"] == 0, found
        assert '"known"' in await refused(one, "explain_run", run="nobody")
        assert 'Task "T9" not found' in await refused(one, "apply_recovery", run="known", taskId="T9")
        for tasks, words in [
            ([{"id": "a", "after": ["b"]}, {"id": "b", "after": ["a"]}], "wait for each other: a, b"),
            ([{"id": "a", "after": ["z"]}], 'waits for "z"'),
            ([{"id": "a"}, {"id": "a"}], "given twice"),
        ]:
            assert words in await refused(one, "plan_next", run="plan", tasks=tasks)
        with_no_run = await refused(other, "record_step", action="x")
        assert "Set `run`" in with_no_run, with_no_run
        for client in clients:
            try:
                await client.call_tool("no_such_tool", {})
                raise AssertionError("an unknown tool was called")
            except MCPError as error:
                assert "tool not found" in str(error)
        # Too long: told, and the connection goes on.
        said = await refused(one, "record_step", run="long", action="x", outcome="y" * (5 * 1024 * 1024))
        assert "at most 4194304 are accepted" in said and "Shorten" in said, said
        with contextlib.suppress(MCPError):
            await other.call_tool("record_step", {"run": "long", "action": "x", "outcome": "y" * (5 * 1024 * 1024)})
            raise AssertionError("a message of 5 MB was taken")
        for client in clients:
            assert (await call(client, "record_step", run="after", action="x", outcome="y" * 1024 * 1024))["turn"]


async def a_killed_server_continues_where_it_stopped():
    async def steps(client, count):
        return [await call(client, "record_step", **FAILING) for _ in range(count)]

    with Served("--run", "job") as served:
        async with served.client() as client:
            await steps(client, 2)
            for _ in range(2):
                await attempt(client, "blocked", ["no network"])
        served.process.kill()
        served.process.wait()
    with Served("--run", "job") as served:
        async with served.client() as client:
            third = (await steps(client, 1))[0]
            assert third["turn"] == 3 and third["verdict"] == "warn", third
            assert any("3 times" in advice for advice in third["advice"]), third
            assert (await attempt(client, "blocked", ["no network"]))["check"]["recommendation"] == "unblock_authority"
            assert (await call(client, "apply_recovery", taskId="T1"))["applied"]
        served.process.kill()
        served.process.wait()
    # What was granted stays granted, whoever asks next.
    async with stdio("--run", "job") as client:
        for _ in range(3):
            made = await attempt(client, "blocked", ["no network"])
        assert made["check"]["recommendation"] == "escalate", made


async def a_client_continues_after_its_server_died():
    with Served() as served:
        async with served.client() as client:
            await call(client, "record_step", run="x", **FAILING)
        port = served.url.split(":")[2].split("/")[0]
        served.process.kill()
        served.process.wait()
        again = subprocess.Popen([PROGRAM, "mcp", "--http", f"127.0.0.1:{port}"], env=ENV, stderr=subprocess.PIPE, text=True)
        try:
            assert served.url in again.stderr.readline()
            async with served.client() as client:
                assert (await call(client, "record_step", run="x", **FAILING))["turn"] == 2
        finally:
            again.kill()
            again.wait()
            again.stderr.close()


# A refused request is answered before its body is read, so the server closes the connection. A client that reuses it in
# the same instant gets no answer.
ONE_REQUEST = httpx.Limits(max_keepalive_connections=0)


async def http_accepts_only_authorized_clients():
    secret = "0123456789abcdef0123456789abcdef"
    with open("token.txt", "w") as file:
        file.write(secret + "\n")
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    usual = {"Accept": "application/json, text/event-stream"}
    for arguments, env in [(["--token-file", "token.txt"], {}), ([], {"LOOPBREAK_TOKEN": secret})]:
        with Served(*arguments, env=env) as served:
            async with httpx.AsyncClient(limits=ONE_REQUEST) as http:
                for header in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": secret}):
                    answer = await http.post(served.url, json=request, headers={**usual, **header})
                    assert answer.status_code == 401 and answer.headers["www-authenticate"] == "Bearer", answer
                    assert secret not in answer.text
            headers = {"Authorization": f"Bearer {secret}"}
            for mode in ("legacy", "auto"):
                async with httpx.AsyncClient(headers=headers) as http:
                    async with Client(streamable_http_client(served.url, http_client=http), mode=mode) as client:
                        assert (await call(client, "record_step", run=f"{mode} {len(arguments)}", action="x"))["turn"] == 1
            code, said = served.end()
            assert code == 0 and secret not in said, (code, said)
    with Served("--allow-host", "build.example", "--allow-origin", "http://localhost:6274") as served:
        async with httpx.AsyncClient(limits=ONE_REQUEST, headers=served.headers) as http:
            for header, refused in [
                ({"Host": "attacker.example"}, True), ({"Origin": "http://attacker.example"}, True),
                ({"Origin": "null"}, True), ({"Origin": "http://localhost:6275"}, True),
                ({"Host": "build.example"}, False), ({"Origin": "http://localhost:6274"}, False),
            ]:
                answer = await http.post(served.url, json=request, headers={**usual, **header})
                assert (answer.status_code == 403) == refused, (header, answer.status_code)
    # An address that others can reach needs a token, and a good one.
    with open("short.txt", "w") as file:
        file.write("short")
    for arguments, words in [
        ([], "a token is required"), (["--token-file", "short.txt"], "at least 16 characters"),
        (["--token-file", "none.txt"], "cannot read the token file"),
    ]:
        done = subprocess.run(
            [PROGRAM, "mcp", "--http", "0.0.0.0:0", *arguments], env=ENV, capture_output=True, text=True, timeout=20)
        assert done.returncode == 2 and words in done.stderr, done
    with Served() as taken:
        address = taken.url.removeprefix("http://").removesuffix("/mcp")
        done = subprocess.run([PROGRAM, "mcp", "--http", address], env=ENV, capture_output=True, text=True, timeout=20)
        assert done.returncode == 1 and f"cannot listen on {address}" in done.stderr, done


async def the_session_that_was_idle_longest_is_closed():
    begin = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "again", "version": "1"}}}
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    usual = {"Accept": "application/json, text/event-stream"}
    with Served() as served:
        async with httpx.AsyncClient(headers={**usual, **served.headers}) as http:
            async def said(session):
                return (await http.post(served.url, json=ping, headers={"Mcp-Session-Id": session})).status_code

            async def begun():
                answer = await http.post(served.url, json=begin)
                return answer.headers["mcp-session-id"]

            sessions = [await begun() for _ in range(1000)]
            assert await said(sessions[0]) == 200, "there is room for all of these"
            sessions.append(await begun())
            assert [await said(sessions[at]) for at in (1, 0, 2, 1000)] == [404, 200, 200, 200]


async def resources_agree_with_the_tools():
    async with stdio("--set", "cycle.warn_at=3") as client:
        for _ in range(3):
            step = await call(client, "record_step", run="a b/c", **SAME)
        assert step["verdict"] == "warn", "the settings hold"
        listed = {str(resource.uri): resource for resource in (await client.list_resources()).resources}
        assert set(listed) == {"loopbreak://config", "loopbreak://runs", "loopbreak://runs/a%20b%2Fc/events"}, listed
        templates = (await client.list_resource_templates()).resource_templates
        assert [template.uri_template for template in templates] == ["loopbreak://runs/{id}/events"]
        texts = {uri: (await client.read_resource(uri)).contents[0].text for uri in listed}
        assert json.loads(texts["loopbreak://config"])["cycle"]["warn_at"] == 3
        runs = json.loads(texts["loopbreak://runs"])
        assert runs["runs"][0]["session"] == "a b/c" and runs["runs"][0]["tickCount"] == 3, runs
        events = [json.loads(line) for line in texts["loopbreak://runs/a%20b%2Fc/events"].splitlines()]
        assert [event["turn"] for event in events] == [1, 2, 3] and events[2]["answer"] == "advise", events
        for uri in ("loopbreak://nothing", "loopbreak://runs/nobody/events"):
            try:
                await client.read_resource(uri)
                raise AssertionError(uri)
            except MCPError as error:
                assert "not found" in str(error), error
        status = await call(client, "status")
        told = json.loads(subprocess.check_output([PROGRAM, "status", "--json"], env=ENV))
        # The program also tells about the hooks and the configuration of its folder, which are not those of the client.
        for key in ("guard", "hookFailures", "lastFailure", "queuedEvents"):
            del told[key]
        assert status == told, (status, told)
        log = subprocess.check_output([PROGRAM, "log", "a b/c"], env=ENV, text=True)
        assert "read_file" in log and "advise" in log, log


async def a_roadmap_is_worked_through():
    async with stdio() as client:
        tasks = [{"id": "ship", "after": ["build", "docs"]}, {"id": "build", "title": "Build it"},
                 {"id": "docs", "after": ["build"]}, {"id": "extra"}]
        plan = await call(client, "plan_next", tasks=tasks)
        order = []
        while plan["next"] == "task":
            id = plan["task"]["id"]
            order.append(id)
            if id == "extra":
                for _ in range(5):
                    await attempt(client, "in_progress", work=["the same"], task=id)
                assert (await call(client, "apply_recovery", taskId=id))["recovery"] == "force_next"
            else:
                await attempt(client, "done", work=[id], task=id)
            plan = await call(client, "plan_next")
        assert order == ["build", "docs", "ship", "extra"], order
        assert plan["next"] == "closed" and "not finished: extra" in plan["reason"], plan
        # What is put in again keeps how it stands.
        plan = await call(client, "plan_next", tasks=[{"id": "build", "title": "Build it again"}, {"id": "more"}])
        assert plan["task"]["id"] == "more", plan
        standing = {task["id"]: task["status"] for task in (await call(client, "task_status"))["tasks"]}
        assert standing["build"] == "done" and standing["more"] == "pending", standing


async def an_agent_of_the_autopilot_reports():
    with open("tasks.toml", "w") as file:
        file.write('[[task]]\nid = "build"\n\n[[task]]\nid = "ship"\nafter = ["build"]\n')
    if "LOOPBREAK_TASK" in os.environ:
        # Here we are the agent that was started.
        run, task = os.environ["LOOPBREAK_RUN"], os.environ["LOOPBREAK_TASK"]
        async with stdio() as client:
            assert (await call(client, "plan_next", run=run))["task"]["id"] == task
            await attempt(client, "done", work=[f"all of {task}"], task=task, run=run)
            assert "loopbreak tasks add" in await refused(client, "plan_next", run=run, tasks=[{"id": "more"}])
        return
    done = subprocess.run(
        [PROGRAM, "run", "--roadmap", "tasks.toml", "--idle", "0", "--", sys.executable, *sys.argv],
        env=dict(os.environ), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    runs = json.loads(subprocess.check_output([PROGRAM, "status", "--all", "--json"], env=ENV))["runs"]
    run = next(run["session"] for run in runs if run["source"] == "run")
    async with stdio() as client:
        tasks = (await call(client, "task_status", run=run))["tasks"]
        assert [(task["id"], task["standing"]) for task in tasks] == [("build", "done"), ("ship", "done")], tasks
        assert (await call(client, "plan_next", run=run))["next"] == "closed"
        assert "build" in (await call(client, "explain_run", run=run))["story"]


async def observe_mode_changes_nothing():
    async with stdio("--set", "mode=observe") as client:
        for _ in range(8):
            verdict = await call(client, "record_step", **SAME)
            assert verdict["advice"] == [] and not any(act["acted"] for act in verdict["interventions"]), verdict
        assert (await call(client, "weigh_action", action=SAME["action"]))["accepted"]
        for _ in range(4):
            made = await attempt(client, "blocked", ["no network"])
        assert made["check"]["isLooping"]
        recovery = await call(client, "apply_recovery", taskId="T1")
        assert not recovery["applied"] and "only observes" in recovery["reason"], recovery
        assert recovery["task"]["status"] == "blocked" and not recovery["task"]["forced"]


def stored(run):
    """A run as `loopbreak status` shows it, and the reason in the last event of its log."""
    runs = json.loads(subprocess.check_output([PROGRAM, "status", "--json"], env=ENV))["runs"]
    log = subprocess.check_output([PROGRAM, "log", run, "--json"], env=ENV, text=True).splitlines()
    status = next(status for status in runs if status["session"] == run)
    return status, json.loads(log[-1]).get("reason")


async def runs_end_with_their_connections():
    for again in range(2):
        async with stdio() as client:
            await call(client, "record_step", run="streams", action=f"step {again}")
            # To ask about a run is not to record it.
            async with stdio() as other:
                await call(other, "weigh_action", run="streams", action="x")
                await call(other, "status", run="streams")
            status, reason = stored("streams")
            assert status["state"] == "running" and status["running"] and not reason, (status, reason)
        status, reason = stored("streams")
        assert status["state"] == "ended" and not status["running"] and reason == "client_left", (status, reason)
        assert status["endReason"] == "the client disconnected" and status["endedAt"].endswith("Z"), status
    with Served() as served:
        async with served.client("legacy") as client, served.client("legacy") as other:
            await call(client, "record_step", run="session", action="x")
            await call(other, "record_step", run="stopped", action="x")
            # A client without a session has no connection that could end.
            async with served.client("2026-07-28") as stateless:
                await call(stateless, "record_step", run="stateless", action="x")
                await call(stateless, "record_step", run="stateless", action="y")
            async with served.client("legacy") as third:
                await call(third, "record_step", run="closed", action="x")
            for _ in range(50):
                if stored("closed")[1]:
                    break
                await asyncio.sleep(0.1)
            assert stored("closed")[1] == "session_closed", stored("closed")
            assert stored("session")[0]["running"] and stored("stopped")[0]["running"]
            assert served.end()[0] == 0
    assert stored("stopped")[1] == stored("session")[1] == "server_stopped", (stored("stopped"), stored("session"))
    assert stored("stateless")[0]["state"] == "running", stored("stateless")


async def the_server_ends_on_request():
    with Served() as served:
        async with served.client("legacy") as client:
            await call(client, "record_step", action="x")
            code, _ = served.end()
            assert code == 0, code
    for end in (signal.SIGTERM, signal.SIGINT, None):
        server = subprocess.Popen([PROGRAM, "mcp"], env=ENV, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}
        server.stdin.write(json.dumps(hello) + "\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["result"]["serverInfo"]["name"] == "loopbreak"
        if end is None:
            # A client that says all at once and leaves gets all its answers.
            server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
            for number in range(2, 102):
                step = {"name": "record_step", "arguments": {"run": "pipe", "action": f"a{number}"}}
                server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": step}) + "\n")
            server.stdin.close()
            answers = [json.loads(line) for line in server.stdout]
            assert [answer["id"] for answer in answers] == list(range(2, 102))
        else:
            server.send_signal(end)
        assert server.wait(20) == (130 if end == signal.SIGINT else 0), end
        server.stdout.close()
        if not server.stdin.closed:
            server.stdin.close()


class Service:
    """A service that the server asks, as long as the block lasts."""

    def __init__(self, address="127.0.0.1:0"):
        self.address = address

    def __enter__(self):
        home = os.path.join(ENV["XDG_STATE_HOME"], "service")
        os.makedirs(home, exist_ok=True)
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--http", self.address], env={"XDG_STATE_HOME": home}, stderr=subprocess.PIPE, text=True,
        )
        self.address = re.search(r"http://(\S+)", self.process.stderr.readline()).group(1)
        self.token = open(os.path.join(home, "loopbreak/service-token")).read().strip()
        return self

    async def call(self, method, path, body=None):
        headers = {"Authorization": f"Bearer {self.token}"}
        async with httpx.AsyncClient(headers=headers, timeout=60) as http:
            answer = await http.request(method, f"http://{self.address}{path}", json=body)
            assert answer.status_code == 200, answer.text
            return answer.json()

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stderr.close()


async def a_service_answers_and_the_local_guard_takes_over():
    """Verdicts and rulings are those of the service. Steps of an outage arrive there once, in order."""
    with Service() as service:
        env = {
            "LOOPBREAK_SERVER": f"http://{service.address}", "LOOPBREAK_TOKEN": service.token,
            "LOOPBREAK_SERVER_TIMEOUT": "5000",
        }
        async with stdio("--run", "job", env=env) as client:
            words = [(await call(client, "record_step", **FAILING))["verdict"] for _ in range(9)]
            assert words[0] == "clear" and words[-1] != "clear", words
            assert (await call(client, "detect_loop"))["isLooping"]
            assert not (await call(client, "weigh_action", action=FAILING["action"]))["accepted"]
            steps = (await service.call("GET", "/v1/runs/job/steps"))["entries"]
            assert [step["answer"]["verdict"] for step in steps] == words

            # What the team allows, the tools of this agent allow.
            for known in (await service.call("GET", "/v1/loops"))["loops"]:
                await service.call("POST", f"/v1/loops/{known['loop']}", {"action": "allow"})
            assert (await call(client, "weigh_action", action=FAILING["action"]))["accepted"]
            assert (await call(client, "record_step", **FAILING))["verdict"] == "clear"
            await service.call("POST", "/v1/runs/job/stop", {"reason": "enough"})
            assert (await call(client, "record_step", **FAILING))["stop"] == "stop_request"
            ruling = await call(client, "weigh_action", action="ls")
            assert not ruling["accepted"] and "enough" in ruling["advice"][-1], ruling

            # The service is gone: the local guard answers, also about the steps that the service has seen.
            service.process.kill()
            service.process.wait()
            assert (await call(client, "record_step", **FAILING))["verdict"] != "clear"
            assert not (await call(client, "weigh_action", action=FAILING["action"]))["accepted"]
            assert (await call(client, "record_step", say="hello"))["turn"] == 13

    with Service(service.address) as again:
        sent = subprocess.run([PROGRAM, "hook", "flush"], env={**ENV, **env}, capture_output=True, text=True)
        assert sent.returncode == 0 and "2 steps sent" in sent.stdout, sent
        steps = (await again.call("GET", "/v1/runs/job/steps?limit=100"))["entries"]
        steps = [step for step in steps if step["kind"] == "step"]
        assert [step["input"].get("say") for step in steps] == [None] * 12 + ["hello"], steps


async def main():
    scenario = globals()[sys.argv[1]]
    with anyio.fail_after(150):
        await scenario()
    print("passed")


asyncio.run(main())
