//! The tools: each hands in its call and answers what comes of it.

use loopbreak_store::{RunStatus, StatusSummary, now};
use rmcp::service::RequestContext;
use rmcp::{Json, RoleServer, tool, tool_router};

use super::fault::Fault;
use super::input::{
    AttemptInput, LoopInput, PlanInput, ProposalInput, RecoveryInput, StatusInput, StepInput, StoryInput,
    TaskStatusInput,
};
use super::output::{
    AttemptOutput, LoopOutput, PlanOutput, RecoveryOutput, RulingOutput, StatusOutput, StepOutput,
    StoryOutput, TasksOutput,
};
use super::parameters::Parameters;
use super::place::Place;
use super::server::Server;

type Context = RequestContext<RoleServer>;

#[tool_router(router = router, vis = "pub(crate)")]
impl Server {
    /// Record what you just did and what came of it. Call it after each action. The answer says whether you go round in
    /// circles, since when and why, and what to do instead.
    #[tool(annotations(
        title = "Record a step",
        read_only_hint = false,
        destructive_hint = false,
        open_world_hint = false
    ))]
    async fn record_step(
        &self,
        context: Context,
        Parameters(input): Parameters<StepInput>,
    ) -> Result<Json<StepOutput>, Fault> {
        let input = input?;
        let run = self.run(input.run.as_deref(), &context)?;
        self.desk.ask(move |place| place.record_step(&run, &input)).await.map(Json)
    }

    /// Ask what an action is worth before you take it: one that would only go on with a loop is not accepted. Records
    /// nothing.
    #[tool(annotations(title = "Weigh an action", read_only_hint = true, open_world_hint = false))]
    async fn weigh_action(
        &self,
        context: Context,
        Parameters(input): Parameters<ProposalInput>,
    ) -> Result<Json<RulingOutput>, Fault> {
        let input = input?;
        let run = self.run(input.run.as_deref(), &context)?;
        self.desk.ask(move |place| place.weigh_action(&run, &input)).await.map(Json)
    }

    /// Record an attempt at a task: how it left the task, what stood in the way, what was done. The answer says whether
    /// the task goes round in circles. Nothing is done about it until `apply_recovery` is called.
    #[tool(annotations(
        title = "Record an attempt",
        read_only_hint = false,
        destructive_hint = false,
        open_world_hint = false
    ))]
    async fn record_attempt(
        &self,
        context: Context,
        Parameters(input): Parameters<AttemptInput>,
    ) -> Result<Json<AttemptOutput>, Fault> {
        let input = input?;
        let run = self.run(input.run.as_deref(), &context)?;
        self.desk.ask(move |place| place.record_attempt(&run, &input)).await.map(Json)
    }

    /// Ask whether a task, or the run as a whole, goes round in circles, and what is recommended. Records nothing. Ask it
    /// before you take up a task once more.
    #[tool(annotations(title = "Detect a loop", read_only_hint = true, open_world_hint = false))]
    async fn detect_loop(
        &self,
        context: Context,
        Parameters(input): Parameters<LoopInput>,
    ) -> Result<Json<LoopOutput>, Fault> {
        let input = input?;
        let run = self.run(input.run.as_deref(), &context)?;
        self.desk.ask(move |place| place.detect_loop(&run, input.task_id.as_deref())).await.map(Json)
    }

    /// Get a looping task out of its loop in the recommended way: move on to another task (this one is closed as forced,
    /// not as finished), grant the authority to remove its blockers (once), or call a human. Where there is no loop, or
    /// nothing new was tried since the last time, nothing is done.
    #[tool(annotations(
        title = "Recover a task",
        read_only_hint = false,
        destructive_hint = false,
        idempotent_hint = true,
        open_world_hint = false
    ))]
    async fn apply_recovery(
        &self,
        context: Context,
        Parameters(input): Parameters<RecoveryInput>,
    ) -> Result<Json<RecoveryOutput>, Fault> {
        let input = input?;
        let run = self.run(input.run.as_deref(), &context)?;
        self.desk.ask(move |place| place.apply_recovery(&run, &input.task_id)).await.map(Json)
    }

    /// Ask which task of the roadmap to take up next. With `tasks`, put these into the roadmap first. A task that waits
    /// for another, is closed, was moved on from or is left to a human does not come.
    #[tool(annotations(
        title = "Plan the next task",
        read_only_hint = false,
        destructive_hint = false,
        idempotent_hint = true,
        open_world_hint = false
    ))]
    async fn plan_next(
        &self,
        context: Context,
        Parameters(input): Parameters<PlanInput>,
    ) -> Result<Json<PlanOutput>, Fault> {
        let input = input?;
        let run = self.run(input.run.as_deref(), &context)?;
        self.desk.ask(move |place| place.plan_next(&run, &input.tasks)).await.map(Json)
    }

    /// Tell how the tasks of a run stand: status, attempts, blockers, what they wait for, and whether they were moved on
    /// from without being finished.
    #[tool(annotations(title = "Tasks", read_only_hint = true, open_world_hint = false))]
    async fn task_status(
        &self,
        context: Context,
        Parameters(input): Parameters<TaskStatusInput>,
    ) -> Result<Json<TasksOutput>, Fault> {
        let input = input?;
        let run = self.run(input.run.as_deref(), &context)?;
        self.desk.ask(move |place| place.task_status(&run, input.task_id.as_deref())).await.map(Json)
    }

    /// Tell how runs stand, also those that hooks and the runner watch: which are running, how many turns they had, and
    /// which loops were seen.
    #[tool(annotations(title = "Status", read_only_hint = true, open_world_hint = false))]
    async fn status(&self, Parameters(input): Parameters<StatusInput>) -> Result<Json<StatusOutput>, Fault> {
        let input = input?;
        self.desk.ask(move |place| place.status(&input)).await.map(Json)
    }

    /// Tell the story of a run in words: what was found, what was said and done about it, and how its tasks stand.
    #[tool(annotations(title = "Explain a run", read_only_hint = true, open_world_hint = false))]
    async fn explain_run(
        &self,
        context: Context,
        Parameters(input): Parameters<StoryInput>,
    ) -> Result<Json<StoryOutput>, Fault> {
        let input = input?;
        let run = self.run(input.run.as_deref(), &context)?;
        self.desk.ask(move |place| place.explain_run(&run)).await.map(Json)
    }
}

impl Place {
    /// How runs stand.
    fn status(&self, input: &StatusInput) -> Result<StatusOutput, Fault> {
        let summary: StatusSummary = match &input.run {
            Some(run) => vec![RunStatus::load(&*self.store, self.find(run)?, now(), &|_| {})?].into(),
            None => StatusSummary::load(&*self.store, input.all, now(), &|_| {})?,
        };
        Ok(summary.into())
    }
}
