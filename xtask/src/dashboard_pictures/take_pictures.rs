//! The list of the pictures.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::example_fleet;
use super::page_browser::PageBrowser;
use super::served_dashboard::ServedDashboard;
use crate::chore_failure::ChoreFailure;

/// Windows of a desk and of a phone.
const DESK: (u32, u32) = (1200, 1240);
const PHONE: (u32, u32) = (390, 1180);

/// A picture of the dashboard.
pub(super) struct DashboardPicture {
    pub(super) name: &'static str,
    view: DashboardView,
    dark: bool,
    pub(super) size: (u32, u32),
}

/// A page of the dashboard.
#[derive(Clone, Copy)]
enum DashboardView {
    Overview,
    /// The most expensive loop.
    Loop,
    Run(&'static str),
}

const fn picture(name: &'static str, view: DashboardView, dark: bool, size: (u32, u32)) -> DashboardPicture {
    DashboardPicture { name, view, dark, size }
}

const RUN: DashboardView = DashboardView::Run(example_fleet::LIVE_RUN);

pub(super) const PICTURES: [DashboardPicture; 8] = [
    picture("serve.png", DashboardView::Overview, false, DESK),
    picture("serve-dark.png", DashboardView::Overview, true, DESK),
    picture("serve-phone.png", DashboardView::Overview, false, PHONE),
    picture("serve-phone-dark.png", DashboardView::Overview, true, PHONE),
    picture("serve-loop.png", DashboardView::Loop, false, (1200, 620)),
    picture("serve-loop-phone.png", DashboardView::Loop, true, PHONE),
    picture("serve-run.png", RUN, true, (1200, 1000)),
    picture("serve-run-phone.png", RUN, false, PHONE),
];

/// Takes the pictures with this program and writes them into a folder. Other files go below another one.
pub(crate) fn take_pictures(program: &Path, to: &Path, scratch: &Path) -> Result<(), ChoreFailure> {
    let server = example_fleet::serve(program, scratch)?;
    for picture in &PICTURES {
        let fragment = match picture.view {
            DashboardView::Overview => "#/".to_owned(),
            DashboardView::Loop => format!("#/loops/{}", most_expensive_loop(&server)?),
            DashboardView::Run(name) => format!("#/runs/{name}"),
        };
        let address = format!("http://{}/{fragment}", server.address);
        let mut browser = PageBrowser::open(&address, picture.size, picture.dark, &scratch.join("profile"))?;
        let png = browser.picture("document.querySelector('main h1') !== null")?;
        let file = to.join(picture.name);
        let failed = |error| ChoreFailure::io(format_args!("write {}", file.display()), &error);
        fs::write(&file, png).map_err(failed)?;
        compress(&file);
        eprintln!("xtask: {}", file.display());
    }
    Ok(())
}

/// Makes a picture smaller, if the programs for that are installed.
fn compress(file: &Path) {
    let _ =
        Command::new("pngquant").args(["--force", "--skip-if-larger", "--ext", ".png"]).arg(file).status();
    let _ = Command::new("optipng").args(["-quiet", "-o2"]).arg(file).status();
}

fn most_expensive_loop(server: &ServedDashboard) -> Result<String, ChoreFailure> {
    let loops = server.request("GET", "/v1/loops?limit=1", "default", &json!(null))?;
    let id = loops["loops"][0]["loop"].as_str();
    id.map(str::to_owned).ok_or_else(|| ChoreFailure::Failed(format!("no loop was found: {loops}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::root;

    #[test]
    fn every_picture_of_the_dashboard_is_there_and_shown() {
        let guide = fs::read_to_string(root().join("docs/guide/serve.md")).unwrap();
        for picture in &PICTURES {
            let png = fs::read(root().join("docs/images").join(picture.name)).unwrap();
            assert!(png.starts_with(b"\x89PNG"), "{}", picture.name);
            let (width, height) = picture.size;
            assert_eq!(png[16..24], [width.to_be_bytes(), height.to_be_bytes()].concat(), "{}", picture.name);
            assert!(guide.contains(&format!("../images/{}", picture.name)), "{}", picture.name);
        }
    }
}
