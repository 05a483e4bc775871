//! `loopbreak mcp`, tried with the official client library for Python against the real program.

#![cfg(unix)]

use crate::mcp_client::play;

/// A test for each scenario.
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
    loops_that_others_miss_are_told
    noise_on_the_line_does_no_harm
    recoveries
    no_loop_of_a_task
    concurrent_steps_keep_their_order
    wrong_calls_are_answered_with_what_to_do
    a_server_that_was_killed_goes_on_where_it_was
    a_client_may_go_on_after_its_server_died
    http_lets_in_whom_it_should
    the_longest_silent_client_makes_room
    resources_tell_the_same
    a_roadmap_is_worked_through
    an_agent_of_the_autopilot_reports
    who_only_observes_does_nothing
    ends_when_it_is_asked_to
}
