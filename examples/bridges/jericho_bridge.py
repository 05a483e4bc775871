#!/usr/bin/env python3
"""Joins a game to Loopbreak through Jericho (https://pypi.org/project/jericho/).

    pip install jericho
    loopbreak play --world "python3 jericho_bridge.py zork1.z5"

It speaks the protocol of docs/guide/worlds.md: a JSON object a line on standard input, one a line back on standard output.
Jericho knows place, score and moves of some fifty games. Of other games of version 3 the bridge reads them where the
Z-machine keeps them for its status line; of games of later versions that Jericho does not know, there is only the text.
"""

import json
import os
import re
import sys
import warnings

# Of a game that Jericho does not know, an answer begins with the prompt, and with the status line of the turn before if
# the game has one.
BEFORE = re.compile(r"^>?([^\n]*\s(Score: -?\d+\s+Moves: \d+|Time: \d+:\d+[^\n]*))?\s*\n")


class Memory:
    """The memory of a story of version 3: what can change, as it is now, and the rest as it stands in the file."""

    LETTERS = ["abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", " \n0123456789.,!?_#'\"/\\-:()"]

    def __init__(self, dynamic, file):
        self.bytes = bytes(dynamic) + file[len(dynamic) :]

    def __getitem__(self, address):
        return self.bytes[address]

    def word(self, address):
        return self.bytes[address] << 8 | self.bytes[address + 1]

    def name(self, number):
        """The short name of an object."""
        # The defaults of 31 properties come first, then 9 bytes an object; the last two say where its properties are.
        properties = self.word(self.word(0x0A) + 62 + 9 * (number - 1) + 7)
        return self.text(properties + 1) if self[properties] else ""

    def text(self, address, short=True):
        codes = []
        while True:
            word = self.word(address)
            codes += [word >> 10 & 31, word >> 5 & 31, word & 31]
            if word & 0x8000:
                break
            address += 2
        out, shift, rest = "", 0, iter(codes)
        for code in rest:
            if code == 0:
                out += " "
            elif code < 4:
                # An abbreviation, which holds no other.
                entry = self.word(0x18) + 2 * (32 * (code - 1) + next(rest, 0))
                out += self.text(2 * self.word(entry), False) if short else ""
            elif code < 6:
                shift = code - 3
                continue
            elif shift == 2 and code == 6:
                out += chr(next(rest, 0) << 5 | next(rest, 0))
            else:
                out += self.LETTERS[shift][code - 6]
            shift = 0
        return out


class Game:
    def __init__(self, story):
        # What the libraries print must not get between the answers.
        self.out = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)
        import jericho

        warnings.simplefilter("ignore", jericho.UnsupportedGameWarning)
        self.jericho = jericho
        self.story = story
        with open(story, "rb") as file:
            self.file = file.read()
        self.env = None
        self.known = False
        self.over = False
        self.saved = []

    def reset(self, seed):
        if self.env is not None:
            self.env.close()
        self.env = self.jericho.FrotzEnv(self.story, seed=seed)
        # Only games that it knows come with a grammar.
        self.known = bool(self.env.bindings and self.env.bindings.get("name"))
        text, _ = self.env.reset()
        self.over = False
        return self.sight(text)

    def act(self, command):
        text, _, done, _ = self.env.step(command)
        self.over = bool(done)
        return self.sight(text)

    def save(self):
        # Everything is kept here: what it is made of is nobody else's business.
        self.saved.append((self.env.get_state(), self.over))
        return {"saved": len(self.saved) - 1}

    def restore(self, saved):
        state, self.over = self.saved[saved]
        self.env.set_state(state)
        return {}

    def sight(self, text):
        text = text if self.known else BEFORE.sub("", text, count=1)
        seen = {"text": text.strip(), "over": self.over}
        if self.known:
            seen |= {"score": self.env.get_score(), "moves": self.env.get_moves()}
            here = self.env.get_player_location()
            place = here and {"id": int(here.num), "name": here.name}
            seen["inventory"] = [thing.name for thing in self.env.get_inventory()]
        else:
            place = self.status(seen)
        if place:
            seen["place"] = place
        return seen

    def status(self, seen):
        """Place, score and moves as the status line of version 3 shows them: the first three global variables."""
        memory = Memory(self.env.get_state()[0], self.file)
        if memory[0] != 3:
            return None
        variables = memory.word(0x0C)
        number, score, moves = (memory.word(variables + 2 * index) for index in range(3))
        # A game with a clock keeps hours and minutes there.
        if not memory[1] & 2:
            seen |= {"score": score - 0x10000 if score >= 0x8000 else score, "moves": moves}
        return {"id": number, "name": memory.name(number)} if number else None

    def answer(self, request):
        match request.get("do"):
            case "reset":
                return self.reset(request.get("seed", 0))
            case "act":
                return self.act(request["command"])
            case "save":
                return self.save()
            case "restore":
                return self.restore(request["saved"])
            case other:
                return {"error": f"there is nothing to do for {other!r}"}


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: jericho_bridge.py STORY")
    try:
        game = Game(sys.argv[1])
    except (ImportError, OSError) as error:
        sys.exit(f"jericho_bridge.py: {error}")
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = game.answer(request)
        except Exception as error:  # Whatever went wrong, Loopbreak is told.
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"id": request.get("id"), **answer}), file=game.out, flush=True)


if __name__ == "__main__":
    main()
