//! Asks the player until a proposal is accepted.

use std::io;

use loopbreak::{Action, Proposal, Ruling, verdict::Audience};

use super::episode_event::EpisodeEvent;
use super::episode_orchestrator::EpisodeOrchestrator;
use super::episode_progress::{EpisodeProgress, advice_for};
use super::played_turn::{EpisodeActor, JudgedProposal};
use crate::agent_failure::AgentFailure;
use crate::player_context::RefusedProposal;
use crate::proposal_critic::CriticOpinion;
use crate::world::GameWorld;

impl<W: GameWorld + ?Sized> EpisodeOrchestrator<'_, W> {
    /// Asks the player until a proposal is accepted. After too many refusals, or if the player fails when asked
    /// again, the best refused proposal is taken. Fails only without any proposal.
    pub(super) fn choose(
        &mut self,
        actor: &EpisodeActor,
        turn: u64,
        progress: &mut EpisodeProgress,
    ) -> io::Result<Result<(JudgedProposal, bool), AgentFailure>> {
        let mut best: Option<JudgedProposal> = None;
        let mut attempt = 1;
        loop {
            let wish = self.player.propose(&progress.context);
            progress.spend(self.player.take_usage());
            let wish = match wish {
                Ok(wish) => wish,
                Err(failure) => {
                    let Some(best) = best else { return Ok(Err(failure)) };
                    progress.player_failures += 1;
                    self.record_failure(actor, turn, &failure, 1)?;
                    return Ok(Ok((best, true)));
                }
            };
            let opinion = self.opinion(actor, turn, &wish.action, progress)?;
            let ruling = self.guard.weigh(&Proposal {
                action: Action::new(wish.action.as_str()),
                score: opinion.as_ref().map(|opinion| opinion.score),
                ..Proposal::default()
            });
            let judged = JudgedProposal {
                action: wish.action,
                reason: wish.reason,
                base: opinion.as_ref().map(|opinion| opinion.score),
                justification: opinion.map(|opinion| opinion.justification).unwrap_or_default(),
                score: ruling.score,
            };
            if ruling.accepted {
                return Ok(Ok((judged, false)));
            }
            let last = attempt > self.rules.rejections;
            if !last {
                self.refuse(actor, (turn, attempt), &judged, &ruling, progress)?;
            }
            let better = match best.take() {
                Some(best) if best.score >= judged.score => best,
                _ => judged,
            };
            if last {
                return Ok(Ok((better, true)));
            }
            best = Some(better);
            attempt += 1;
        }
    }

    /// Returns the opinion of the critic. A critic that fails has no opinion; then only Loopbreak weighs the
    /// proposal.
    fn opinion(
        &mut self,
        actor: &EpisodeActor,
        turn: u64,
        action: &str,
        progress: &mut EpisodeProgress,
    ) -> io::Result<Option<CriticOpinion>> {
        let opinion = self.critic.judge(&progress.context, action);
        progress.spend(self.critic.take_usage());
        match opinion {
            Ok(opinion) => Ok(opinion),
            Err(failure) => {
                progress.critic_failures += 1;
                let at = (self.clock)();
                self.journal.critic_failed(actor, turn, at, &failure)?;
                (self.view)(&EpisodeEvent::CriticFailed { turn, failure: &failure });
                Ok(None)
            }
        }
    }

    /// Records a refused proposal and reports it.
    fn refuse(
        &mut self,
        actor: &EpisodeActor,
        (turn, attempt): (u64, usize),
        judged: &JudgedProposal,
        ruling: &Ruling,
        progress: &mut EpisodeProgress,
    ) -> io::Result<()> {
        let mut reasons = Vec::new();
        if ruling.base < ruling.accept_at {
            reasons.push(format!("it {}", judged.justification));
        }
        let adjustments = ruling.adjustments.iter().filter(|one| one.enforced);
        reasons.extend(adjustments.map(|one| one.reason.clone()));
        let advice = ruling.advice.iter().filter(|one| one.audience == Audience::Agent);
        reasons.extend(advice.map(|one| one.text.clone()));
        let at = (self.clock)();
        self.journal.rejected(actor, (turn, attempt), at, judged, &reasons)?;
        let verdict = self.guard.observe(&actor.refused(judged, at));
        self.journal.events(at, &verdict.events)?;
        (self.watch)(&verdict);
        reasons.extend(advice_for(&verdict, Audience::Agent));
        (self.view)(&EpisodeEvent::Refused { turn, action: &judged.action, ruling, reasons: &reasons });
        progress.refused += 1;
        let (action, base, score) = (judged.action.clone(), ruling.base, judged.score);
        progress.context.refused.push(RefusedProposal { action, base, score, reasons });
        Ok(())
    }

    /// Records that the player gave no proposal and reports it.
    pub(super) fn record_failure(
        &mut self,
        actor: &EpisodeActor,
        turn: u64,
        failure: &AgentFailure,
        in_a_row: usize,
    ) -> io::Result<()> {
        let at = (self.clock)();
        self.journal.agent_failed(actor, turn, at, failure, in_a_row)?;
        (self.view)(&EpisodeEvent::PlayerFailed { turn, failure, in_a_row });
        Ok(())
    }
}
