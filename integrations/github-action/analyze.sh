#!/bin/sh
# The step of the GitHub Action: installs loopbreak, analyzes logs, and writes the summary of the job. `action.yml` sets the
# variables that start with INPUT_ and ACTION_.

set -eu

# Prints an error that GitHub shows on the page of the job, and fails.
fail() {
    printf '::error title=Loopbreak::%s\n' "$1"
    exit "${2:-1}"
}

# Installs the program unless there is one already. Sets `program`.
install_program() {
    program=${INPUT_PROGRAM:-}
    if [ -n "$program" ]; then
        [ -x "$program" ] || fail "the input \`program\` names no program: $program" 2
        return
    fi
    repository=${ACTION_REPOSITORY:-${GITHUB_REPOSITORY:-}}
    base_url=${INPUT_BASE_URL:-${GITHUB_SERVER_URL:-}/$repository/releases}
    version=${INPUT_VERSION:-}
    if [ -z "$version" ]; then
        case ${ACTION_REF:-} in
            v[0-9]*.[0-9]*.[0-9]*) version=$ACTION_REF ;;
        esac
    fi
    bin=${RUNNER_TEMP:?}/loopbreak/bin
    set -- --base-url "$base_url" --to "$bin"
    [ -z "$version" ] || set -- "$@" --version "$version"
    printf '::group::Install loopbreak\n'
    LOOPBREAK_VERSION='' sh "$GITHUB_ACTION_PATH/install.sh" "$@" 2>&1 || fail "loopbreak was not installed; the log of the step says why"
    printf '::endgroup::\n'
    program=$bin/loopbreak
    # For the steps that follow.
    printf '%s\n' "$bin" >>"$GITHUB_PATH"
}

main() {
    fail_on=${INPUT_FAIL_ON:-stop}
    case $fail_on in
        stop | warn | never) ;;
        *) fail "the input \`fail-on\` is \`stop\`, \`warn\` or \`never\`, not \`$fail_on\`" 2 ;;
    esac
    install_program
    # What the program keeps between calls goes with the job.
    XDG_STATE_HOME=${RUNNER_TEMP:?}/loopbreak/state
    export XDG_STATE_HOME

    set -- analyze
    [ "$fail_on" = never ] || set -- "$@" --fail-on "$fail_on"
    [ -z "${INPUT_FORMAT:-}" ] || set -- "$@" --format "$INPUT_FORMAT"
    summary=${RUNNER_TEMP:?}/loopbreak-summary-$$.md
    [ "${INPUT_SUMMARY:-true}" = false ] || set -- "$@" --markdown "$summary"
    while IFS= read -r line; do
        [ -z "$line" ] || set -- "$@" "$line"
    done <<END
${INPUT_ARGUMENTS:-}
END
    set -- "$@" --
    count=0
    while IFS= read -r line; do
        # Line ends of Windows, and indented lists of YAML.
        line=$(printf '%s' "$line" | sed 's/^[[:space:]]*//; s/[[:space:]]*$//')
        [ -z "$line" ] || {
            set -- "$@" "$line"
            count=$((count + 1))
        }
    done <<END
${INPUT_PATHS:-}
END
    # Without a path, the logs of the agents on the machine would be read.
    [ "$count" -gt 0 ] || fail "the input \`paths\` is empty" 2

    code=0
    "$program" "$@" || code=$?
    if [ -f "$summary" ]; then
        # Other tools may have written to the summary in this step.
        cat "$summary" >>"$GITHUB_STEP_SUMMARY"
        rm -f "$summary"
    fi
    printf 'exit-code=%s\nprogram=%s\n' "$code" "$program" >>"$GITHUB_OUTPUT"
    case $code in
        0) ;;
        10) fail "a run has the verdict \`$fail_on\` or a worse one, or a part of a log could not be read; see the summary of the job" 10 ;;
        *) fail "loopbreak analyze failed with exit code $code" "$code" ;;
    esac
}

main
