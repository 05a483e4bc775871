//! Runs the commands of each page, one after the other in one project.

use super::command_rules::{CommandRule, rule_for};
use super::doc_page::{DocCommand, commands_of, pages};
use super::prepared_project::PreparedProject;
use super::shown_output::{shows, without_figures};
use super::untested_commands::{UntestedCommand, untested_commands};

/// Returns the commands of a page that are run here.
fn commands_to_run(page: &str) -> Vec<DocCommand> {
    let untested = untested_commands();
    let is_untested = |command: &DocCommand| {
        untested.iter().any(|UntestedCommand { page, text }| *page == command.page && *text == command.text)
    };
    let is_elsewhere =
        |command: &DocCommand| matches!(rule_for(&command.page, &command.text), CommandRule::TestedBy { .. });
    commands_of(page).into_iter().filter(|command| !is_untested(command) && !is_elsewhere(command)).collect()
}

/// Returns what is wrong with a command, if something is.
fn problem(project: &PreparedProject, command: &DocCommand) -> Option<String> {
    let rule = rule_for(&command.page, &command.text);
    let (done, expected) = match rule {
        CommandRule::Runs { ready, script, until } => {
            (project.run_until(&command.text, ready, script, until), 130)
        }
        CommandRule::After { script, .. } => {
            let before = project.run(script, "");
            assert_eq!(before.code, Some(0), "{script}: {}", before.err);
            (project.run(&command.text, ""), 0)
        }
        CommandRule::Reads(input) => (project.run(&command.text, input), 0),
        CommandRule::ExitsWith(code) => (project.run(&command.text, ""), code),
        _ => (project.run(&command.text, ""), 0),
    };
    let place = format!("{}:{}: $ {}", command.page, command.line, command.text);
    if done.code != Some(expected) {
        let (out, err) = (&done.out, &done.err);
        return Some(format!("{place}\nexit code {:?} instead of {expected}\n{out}{err}", done.code));
    }
    let varies = matches!(
        rule,
        CommandRule::Varies | CommandRule::Runs { .. } | CommandRule::After { varies: true, .. }
    );
    let comparable = |text: &str| if varies { without_figures(text) } else { text.to_owned() };
    let shown: Vec<String> = command.shown.iter().map(|line| comparable(line)).collect();
    let (out, err) = (comparable(&done.out), comparable(&done.err));
    let outputs = [out.clone(), err.clone(), format!("{out}{err}"), format!("{err}{out}")];
    if outputs.iter().any(|output| shows(output, &shown)) {
        return None;
    }
    let (shown, printed) = (command.shown.join("\n"), format!("{}{}", done.out, done.err));
    Some(format!("{place}\nthe page shows:\n{shown}\n\nit prints:\n{printed}"))
}

fn run_page(page: &str) {
    let commands = commands_to_run(page);
    assert!(!commands.is_empty(), "{page} has no command to run: remove it from the list of tests");
    let project = PreparedProject::for_page(page);
    let problems: Vec<String> = commands.iter().filter_map(|command| problem(&project, command)).collect();
    assert!(problems.is_empty(), "\n{}", problems.join("\n\n"));
}

/// Declares a test per page.
macro_rules! page_tests {
    ($($name:ident $page:literal,)*) => {
        const TESTED: &[&str] = &[$($page),*];
        $(
            #[test]
            fn $name() {
                run_page($page);
            }
        )*
    };
}

page_tests! {
    the_readme_works "README.md",
    contributing_works "CONTRIBUTING.md",
    coming_from_gemini_cli_works "docs/coming-from/gemini-cli.md",
    coming_from_loop_skill_works "docs/coming-from/loop-skill.md",
    coming_from_loopguard_works "docs/coming-from/loopguard.md",
    coming_from_openhands_works "docs/coming-from/openhands.md",
    coming_from_ralph_works "docs/coming-from/ralph.md",
    coming_from_zorkgpt_works "docs/coming-from/zorkgpt.md",
    formats_of_claude_code_work "docs/formats/claude-code.md",
    formats_of_opencode_work "docs/formats/opencode.md",
    the_guide_of_analyze_works "docs/guide/analyze.md",
    the_guide_of_autopilot_works "docs/guide/autopilot.md",
    the_guide_of_claude_code_works "docs/guide/claude-code.md",
    the_guide_of_cline_works "docs/guide/cline.md",
    the_guide_of_codex_works "docs/guide/codex.md",
    the_guide_of_configuration_works "docs/guide/configuration.md",
    the_guide_of_copilot_works "docs/guide/copilot.md",
    the_guide_of_cursor_works "docs/guide/cursor.md",
    the_guide_of_demo_works "docs/guide/demo.md",
    the_guide_of_eval_works "docs/guide/eval.md",
    the_guide_of_game_agents_works "docs/guide/game-agent.md",
    the_guide_of_gemini_cli_works "docs/guide/gemini-cli.md",
    the_guide_of_guard_works "docs/guide/guard.md",
    the_guide_of_install_works "docs/guide/install.md",
    the_guide_of_mcp_works "docs/guide/mcp.md",
    the_guide_of_opencode_works "docs/guide/opencode.md",
    the_guide_of_openhands_works "docs/guide/openhands.md",
    the_guide_of_outputs_works "docs/guide/outputs.md",
    the_guide_of_pi_works "docs/guide/pi.md",
    the_guide_of_qwen_code_works "docs/guide/qwen-code.md",
    the_guide_of_run_works "docs/guide/run.md",
    the_guide_of_serve_works "docs/guide/serve.md",
    the_guide_of_steps_works "docs/guide/steps.md",
    the_guide_of_tune_works "docs/guide/tune.md",
    the_guide_of_wait_works "docs/guide/wait.md",
    the_guide_of_watch_works "docs/guide/watch.md",
}

#[test]
fn every_page_with_commands_to_run_has_a_test() {
    let with_commands: Vec<String> =
        pages().into_iter().filter(|page| !commands_to_run(page).is_empty()).collect();
    let mut tested = TESTED.to_vec();
    tested.sort_unstable();
    assert_eq!(
        with_commands, tested,
        "a page is not tested: add it to the list, or its commands to the untested ones"
    );
}
