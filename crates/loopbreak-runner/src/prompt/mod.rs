//! Texts that go to the agent, and the final answer that comes back.

mod agent_advice;
pub(crate) mod agent_answer;
pub(crate) mod completion_promise;
pub(crate) mod run_prompt;
pub(crate) mod second_opinion;
