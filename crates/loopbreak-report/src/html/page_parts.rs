//! Scripts and styles that other pages can embed.
//!
//! The scripts are plain: they declare functions and classes in the scope that they are put into, and load nothing. The styles
//! use the colours of [`HtmlPage`](crate::markup::HtmlPage).

/// Makes elements and formats figures. The other scripts need it before them.
pub const DOM_SCRIPT: &str = include_str!("script/dom.js");
/// The class `Timeline`: flags, score, loops and lanes of one run. Its data is that of a run on the report page.
pub const TIMELINE_SCRIPT: &str = include_str!("script/timeline.js");
/// The styles of the timeline.
pub const TIMELINE_STYLE: &str = include_str!("style/timeline.css");
/// The class `TimeChart`: what runs cost per day, week or month.
pub const TIME_CHART_SCRIPT: &str = include_str!("script/time_chart.js");
/// The styles of the chart. Its legend has those of the timeline.
pub const TIME_CHART_STYLE: &str = include_str!("style/chart.css");
