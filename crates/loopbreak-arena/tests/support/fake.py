"""A world, an agent and a critic in a few lines, which misbehave as they are told.

fake.py world|agent|critic [HOW]
"""

import json
import subprocess
import sys
import time

ROLE = sys.argv[1]
HOW = sys.argv[2] if len(sys.argv) > 2 else ""
ROOMS = ["Hall", "Cellar", "Attic"]
place, moves, seed = 0, 0, 0


def answer(request, **parts):
    print(json.dumps({"id": request["id"], **parts}), flush=True)


def see(request, text):
    answer(
        request,
        text=text,
        place=ROOMS[place] if HOW == "names" else {"id": 10 + place, "name": ROOMS[place], "exits": ["up", "down"]},
        score=10 * (place == 2) + 0.2,
        moves=moves,
        inventory=["a lamp"],
        over=place == 2 and moves > 3,
        surprise={"new": "keys are passed over"},
    )


if HOW == "child":
    # Somebody who would live on.
    print(subprocess.Popen(["sleep", "300"]).pid, file=open(sys.argv[3], "w"), flush=True)
if HOW == "deaf":
    time.sleep(300)

if HOW == "greets":
    print("Loading...", flush=True)

count = 0
for line in sys.stdin:
    request = json.loads(line)
    count += 1
    if HOW.startswith("slow") and count == 2:
        time.sleep(5)
    if HOW == "dies" and count == 2:
        print("Traceback: the key sk-proj-0123456789abcdefghijKLMNOP is wrong", file=sys.stderr)
        sys.exit(3)
    if HOW == "talks" and count == 2:
        print("Loading...", flush=True)
        continue
    if HOW == "huge" and count == 2:
        print("x" * 3_000_000, flush=True)
        continue
    if HOW == "other" and count == 2:
        answer(request, hello="world")
        continue
    if HOW == "wrong-id" and count == 2:
        answer({"id": 77}, text="x")
        continue
    if HOW == "cannot" and count == 2:
        answer(request, error="out of order")
        continue
    if ROLE == "agent":
        name = request["context"]["place"] or "nowhere"
        action = {"Hall": "down", "Cellar": "up"}.get(name, "look")
        if HOW == "slow-without-ids":
            print(json.dumps({"action": f"{count}"}), flush=True)
            continue
        if HOW == "walk":
            # To and fro, whatever anybody says.
            action = ["south", "north"][request["context"]["turn"] % 2]
        action = {"unwilling": "I can't help with that.", "silent": ""}.get(HOW, action)
        answer(request, action=action, reason=f"I am in {name}", usage={"input_tokens": 5, "cost_usd": 0.5})
    elif ROLE == "critic":
        answer(request, score={"none": None, "wild": 7}.get(HOW, 0.9), reason="seems good")
    elif request["do"] == "reset":
        place, moves, seed = 0, 0, request["seed"]
        see(request, f"Welcome, {seed}.")
    elif request["do"] == "act":
        moves += 1
        place = {"down": min(place + 1, 2), "up": max(place - 1, 0)}.get(request["command"], place)
        see(request, f"You are in the {ROOMS[place]}.\n")
    elif request["do"] == "save":
        answer(request, saved=[place, moves])
    elif request["do"] == "restore":
        place, moves = request["saved"]
        answer(request)
if HOW == "stays":
    time.sleep(300)
