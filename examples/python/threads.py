"""Guards many conversations of a server: one run for each of them, from any thread."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import loopbreak

RUNS = loopbreak.Runs(config={"profile": "coding"}, max_runs=100)


def handle(conversation: str, path: str) -> str:
    run = RUNS.get(conversation)
    ruling = run.before("read_file", {"path": path})
    if not ruling.accepted:
        return ruling.text
    text = f"the content of {path}"
    notes = run.after("read_file", {"path": path}, text)
    return "\n".join([text, *(str(note) for note in notes)])


def main() -> None:
    with ThreadPoolExecutor(max_workers=4) as pool:
        # One conversation reads another file each time, the other reads one file again and again.
        work = [pool.submit(handle, "healthy", f"src/part{n}.py") for n in range(12)]
        for future in work:
            future.result()
    answers = [handle("stuck", "src/main.py") for _ in range(12)]
    refused = sum(not answer.startswith("the content of") for answer in answers)
    print(f"healthy: nothing refused; stuck: {refused} of {len(answers)} calls refused")


if __name__ == "__main__":
    main()
