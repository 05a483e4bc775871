//! `loopbreak mcp`: the official Python client against the real program.

#![cfg(unix)]

use crate::mcp_client::play;

/// Defines one test per scenario.
macro_rules! scenarios {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                play(stringify!($name));
            }
        )*

        #[test]
        fn every_scenario_has_a_test() {
            let text = std::fs::read_to_string(crate::mcp_client::folder().join("scenarios.py")).unwrap();
            let helpers = ["look_at_tools", "call", "refused", "attempt", "both", "main"];
            let written: Vec<&str> = text
                .lines()
                .filter_map(|line| line.strip_prefix("async def ")?.split('(').next())
                .filter(|name| !helpers.contains(name))
                .collect();
            assert_eq!(written, [$(stringify!($name)),*]);
        }
    };
}

scenarios! {
    tools_and_schemas
    a_looping_conversation
    healthy_work_is_left_alone
    loops_that_others_miss_are_reported
    noise_on_the_line_is_ignored
    recoveries
    a_task_without_a_loop_is_clear
    concurrent_steps_keep_their_order
    wrong_calls_are_answered_with_what_to_do
    a_killed_server_continues_where_it_stopped
    a_client_continues_after_its_server_died
    http_accepts_only_authorized_clients
    the_session_that_was_idle_longest_is_closed
    resources_agree_with_the_tools
    a_roadmap_is_worked_through
    an_agent_of_the_autopilot_reports
    observe_mode_changes_nothing
    runs_end_with_their_connections
    the_server_ends_on_request
    a_service_answers_and_the_local_guard_takes_over
}
