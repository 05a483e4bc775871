//! The tools as clients see them. Each adds its call to the queue and returns the result.

use rmcp::service::RequestContext;
use rmcp::{Json, RoleServer, tool, tool_router};

use super::output::{
    AttemptOutput, ExplainOutput, LoopOutput, PlanOutput, RecordStepOutput, RecoveryOutput, RulingOutput,
    StatusOutput, TasksOutput,
};
use super::{
    AttemptInput, ExplainInput, LoopInput, PlanInput, ProposalInput, RecoveryInput, StatusInput, StepInput,
    TaskStatusInput,
};
// The macro finds the type of the arguments by the name `Parameters`.
use crate::mcp::protocol::ToolArguments as Parameters;
use crate::mcp::protocol::{McpServer, ToolError};
use crate::mcp::state::ServerState;

/// Context of a call.
type ToolContext = RequestContext<RoleServer>;

#[tool_router(router = router, vis = "pub(crate)")]
impl McpServer {
    /// Record the action you just took and its outcome. Call it after each action. The answer says whether you are in a
    /// loop, since when and why, and what to do instead.
    #[tool(annotations(
        title = "Record a step",
        read_only_hint = false,
        destructive_hint = false,
        open_world_hint = false
    ))]
    async fn record_step(
        &self,
        context: ToolContext,
        Parameters(input): Parameters<StepInput>,
    ) -> Result<Json<RecordStepOutput>, ToolError> {
        let input = input?;
        let run = self.run(input.run.as_deref(), &context)?;
        self.record(run, &context, move |state, run| state.record_step(run, &input)).await.map(Json)
    }

    /// Ask whether to take an action before you take it. An action that would only continue a loop is not accepted.
    /// Records nothing.
    #[tool(annotations(title = "Weigh an action", read_only_hint = true, open_world_hint = false))]
    async fn weigh_action(
        &self,
        context: ToolContext,
        Parameters(input): Parameters<ProposalInput>,
    ) -> Result<Json<RulingOutput>, ToolError> {
        let input = input?;
        let run = self.run(input.run.as_deref(), &context)?;
        self.queue.run(move |state| state.ask_or_weigh(&run, &input)).await.map(Json)
    }

    /// Record an attempt at a task: its status, blockers and work. The answer says whether the task is looping. If it is,
    /// call `apply_recovery`.
    #[tool(annotations(
        title = "Record an attempt",
        read_only_hint = false,
        destructive_hint = false,
        open_world_hint = false
    ))]
    async fn record_attempt(
        &self,
        context: ToolContext,
        Parameters(input): Parameters<AttemptInput>,
    ) -> Result<Json<AttemptOutput>, ToolError> {
        let input = input?;
        let run = self.run(input.run.as_deref(), &context)?;
        self.record(run, &context, move |state, run| state.record_attempt(run, &input)).await.map(Json)
    }

    /// Ask whether a task or a run is looping, and what is recommended. Records nothing. Call it before you attempt a task.
    #[tool(annotations(title = "Detect a loop", read_only_hint = true, open_world_hint = false))]
    async fn detect_loop(
        &self,
        context: ToolContext,
        Parameters(input): Parameters<LoopInput>,
    ) -> Result<Json<LoopOutput>, ToolError> {
        let input = input?;
        let run = self.run(input.run.as_deref(), &context)?;
        self.queue.run(move |state| state.ask_or_detect(&run, input.task_id.as_deref())).await.map(Json)
    }

    /// Apply the recommended recovery to a looping task: close it and move on, grant authority over its blockers (once), or ask
    /// a human. Does nothing if nothing new was tried.
    #[tool(annotations(
        title = "Recover a task",
        read_only_hint = false,
        destructive_hint = false,
        idempotent_hint = true,
        open_world_hint = false
    ))]
    async fn apply_recovery(
        &self,
        context: ToolContext,
        Parameters(input): Parameters<RecoveryInput>,
    ) -> Result<Json<RecoveryOutput>, ToolError> {
        let input = input?;
        let run = self.run(input.run.as_deref(), &context)?;
        self.record(run, &context, move |state, run| state.apply_recovery(run, &input.task_id))
            .await
            .map(Json)
    }

    /// Get the next task of the roadmap. With `tasks`, add these first. Tasks that wait, are
    /// closed, forced or left to a human are never returned.
    #[tool(annotations(
        title = "Plan the next task",
        read_only_hint = false,
        destructive_hint = false,
        idempotent_hint = true,
        open_world_hint = false
    ))]
    async fn plan_next(
        &self,
        context: ToolContext,
        Parameters(input): Parameters<PlanInput>,
    ) -> Result<Json<PlanOutput>, ToolError> {
        let input = input?;
        let run = self.run(input.run.as_deref(), &context)?;
        self.record(run, &context, move |state, run| state.plan_next(run, &input.tasks)).await.map(Json)
    }

    /// Get the tasks of a run: status, attempts, blockers and dependencies.
    #[tool(annotations(title = "Tasks", read_only_hint = true, open_world_hint = false))]
    async fn task_status(
        &self,
        context: ToolContext,
        Parameters(input): Parameters<TaskStatusInput>,
    ) -> Result<Json<TasksOutput>, ToolError> {
        let input = input?;
        let run = self.run(input.run.as_deref(), &context)?;
        let call =
            move |state: &mut ServerState| state.task_status(&run, input.task_id.as_deref(), input.offset);
        self.queue.run(call).await.map(Json)
    }

    /// Get the runs of the last hour: which are running, their loops, and how often the guard stepped in.
    #[tool(annotations(title = "Status", read_only_hint = true, open_world_hint = false))]
    async fn status(
        &self,
        Parameters(input): Parameters<StatusInput>,
    ) -> Result<Json<StatusOutput>, ToolError> {
        let input = input?;
        self.queue.run(move |state| state.status(&input)).await.map(Json)
    }

    /// Describe a run in words: what was found and done, and the status of its tasks.
    #[tool(annotations(title = "Explain a run", read_only_hint = true, open_world_hint = false))]
    async fn explain_run(
        &self,
        context: ToolContext,
        Parameters(input): Parameters<ExplainInput>,
    ) -> Result<Json<ExplainOutput>, ToolError> {
        let input = input?;
        let run = self.run(input.run.as_deref(), &context)?;
        self.queue.run(move |state| state.explain_run(&run)).await.map(Json)
    }
}
