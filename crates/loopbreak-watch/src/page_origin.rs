//! The origin of a page that this process makes.

use std::env;

use loopbreak::step::EpochMillis;
use loopbreak_report::html::PageOrigin;
use loopbreak_store::now;

/// Variable with the time that a reproducible output has, in seconds since 1970.
const FIXED_TIME: &str = "SOURCE_DATE_EPOCH";

/// Returns the time and the command line of this process, for a page that it makes.
pub fn page_origin() -> PageOrigin {
    let fixed = env::var(FIXED_TIME).ok().and_then(|seconds| seconds.parse::<i64>().ok());
    let made_at = EpochMillis(fixed.map_or_else(now, |seconds| seconds.saturating_mul(1_000)));
    let mut arguments: Vec<String> =
        env::args_os().map(|argument| argument.to_string_lossy().into_owned()).collect();
    if let Some(program) = arguments.first_mut() {
        "loopbreak".clone_into(program);
    }
    let home = env::var(if cfg!(windows) { "USERPROFILE" } else { "HOME" }).ok();
    PageOrigin::new(made_at, &arguments, home.as_deref())
}
