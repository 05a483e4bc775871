//! The dashboard: a page and its scripts, which ask the API. They are plain files, so there is nothing to build.

use axum::Router;
use axum::extract::Path;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use axum::routing::get;

use super::api::{ApiError, ServiceApi, typed};

/// The page.
pub(super) const DASHBOARD_PAGE: &str = include_str!("files/index.html");
/// The policy of the page: it may load its own files and ask its own server.
pub(super) const DASHBOARD_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
     img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Lists a file with its name.
macro_rules! dashboard_files {
    ($($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("files/", $name)))),+]
    };
}

/// The files that the page loads.
const FILES: &[(&str, &str)] = dashboard_files![
    "alert_table.js",
    "api.js",
    "dashboard.css",
    "day_chart.js",
    "dom.js",
    "effect_view.js",
    "loop_view.js",
    "loops_view.js",
    "main.js",
    "notice.js",
    "overview_view.js",
    "run_view.js",
    "runs_view.js",
    "send_view.js",
    "words.js",
];

/// Returns the routes of the files.
pub(super) fn dashboard_router() -> Router<ServiceApi> {
    Router::new().route("/assets/{name}", get(file))
}

async fn file(Path(name): Path<String>) -> Result<Response, ApiError> {
    let found = FILES.iter().find(|(known, _)| *known == name);
    let (name, text) = found.ok_or_else(|| ApiError::not_found("File", &name))?;
    let content_type = match name.rsplit_once('.') {
        Some((_, "css")) => "text/css; charset=utf-8",
        _ => "text/javascript; charset=utf-8",
    };
    let mut response = typed(content_type, (*text).to_owned());
    // After an update of the server the browser loads the new files.
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that is imported and not listed would break the page.
    #[test]
    fn all_files_are_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/service/dashboard/files");
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "index.html")
            .collect();
        names.sort();
        assert_eq!(names, FILES.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    }

    /// Texts of agents reach the page. They must never be read as HTML.
    #[test]
    fn no_script_makes_elements_from_texts() {
        for (name, text) in FILES {
            for call in
                ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"]
            {
                assert!(!text.contains(call), "{name} has {call}");
            }
        }
    }
}
