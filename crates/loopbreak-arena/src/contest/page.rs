//! A contest as a page for a browser.
