//! Logs that are small and take much memory, time or room.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::attack::attack_lab::{AttackHome, AttackLab, is_root};
use crate::attack::attack_rows::AttackRows;
use crate::attack::limited_command::{LimitedProgram, MEGABYTE, ProgramEnd, megabytes};
use crate::chore_failure::ChoreFailure;
use crate::trial::MountedDisk;

/// Memory of `analyze` beside the window of a packed log. The decoder keeps the window, in a buffer that grows by doubling.
const PACKED_MEMORY: u64 = 128 * MEGABYTE;
/// Memory of the decoder, in sizes of the window.
const WINDOW_FACTOR: u64 = 4;
/// Memory that more names may cost. Each of them has 1 MB.
const MORE_NAMES: u64 = 64 * MEGABYTE;
/// Memory for any other log.
const MEMORY: u64 = 400 * MEGABYTE;
/// Size of what `analyze` keeps in the temporary folder, in sizes of the log.
const SPOOL_FACTOR: u64 = 20;
/// Time for 1,000 nested folders.
const NESTED_SECONDS: u64 = 5;

/// Returns the size of the window of packed logs, as a power of two: that of the review, or one that is filled in less time.
fn window(lab: &AttackLab) -> usize {
    lab.size(27, 24)
}

/// Analyzes a log whose lines repeat a field with texts of 1 MB.
fn analyze_long(
    home: &AttackHome<'_>,
    count: usize,
    line: &str,
    options: &str,
) -> Result<ProgramEnd, ChoreFailure> {
    let (window, line) = (window(home.lab), line.replace('"', "\\\""));
    home.prepare(&format!(
        "awk 'BEGIN {{ s = \"n\"; while (length(s) < 1000000) s = s s; s = substr(s, 1, 1000000); \
         for (i = 0; i < {count}; i++) printf(\"{line}\\n\", i \"\" s) }}' | \
         zstd -q -3 --long={window} -o long-{count}.zst"
    ))?;
    home.loopbreak(&format!("analyze long-{count}.zst --quiet {options}")).run()
}

/// F15: names of 1 MB. A frame of zstd may have a window of 128 MB, which the decoder keeps by design.
pub(super) fn long_names(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let (few, many) = (lab.size(200, 24), lab.size(1500, 72));
    let most = PACKED_MEMORY + WINDOW_FACTOR * (1 << window(lab));
    for (attack, line) in [
        ("names of runs of 1 MB each, packed", r#"{"run":"%s","action":"x"}"#),
        ("names of places of 1 MB each, packed", r#"{"run":"r","action":"x","place":"%s"}"#),
    ] {
        let home = lab.home()?;
        let few_end = analyze_long(&home, few, line, "")?;
        let many_end = analyze_long(&home, many, line, "")?;
        let is_read = [&few_end, &many_end].iter().all(|end| end.code() == Some(0));
        rows.judge(
            attack,
            is_read && many_end.peak < most && many_end.peak < few_end.peak + MORE_NAMES,
            format_args!(
                "window of {}: {few} names {}, {many} names {}",
                megabytes(1 << window(lab)),
                few_end.memory(),
                many_end.memory()
            ),
        );
    }
    let home = lab.home()?;
    let line = r#"{"run":"%s","action":"x"}"#;
    let outputs = ["r.html", "r.csv", "r.xml"];
    let end = analyze_long(&home, few, line, "--html r.html --csv r.csv --junit r.xml")?;
    let sizes = outputs.map(|name| fs::metadata(home.project().join(name)).map_or(0, |file| file.len()));
    rows.judge(
        "the same names of runs in a page, a table and a test result",
        end.code() == Some(0) && sizes.iter().all(|size| (1..8 * MEGABYTE).contains(size)),
        format_args!("{}; {}", end.memory(), sizes.map(megabytes).join(", ")),
    );
    Ok(())
}

/// F23: very many runs of one step.
pub(super) fn tiny_runs(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let home = lab.home()?;
    let runs = lab.size(500_000, 20_000);
    home.prepare(&format!(
        "awk 'BEGIN {{ for (i = 0; i < {runs}; i++) printf(\"{{\\\"run\\\":\\\"r%d\\\",\\\"score\\\":1}}\\n\", i) }}' > runs.jsonl"
    ))?;
    let size = fs::metadata(home.path("project/runs.jsonl")).map_or(0, |file| file.len());
    let mut program = home.loopbreak("analyze runs.jsonl --quiet").start()?;
    let mut most = 0;
    let mut looked = Instant::now();
    while !program.has_ended()? {
        most = most.max(temporary_bytes(&home, &program));
        looked = Instant::now();
        thread::sleep(Duration::from_millis(5));
    }
    let blind = looked.elapsed();
    let end = program.wait()?;
    let has_all = |end: &ProgramEnd| {
        end.code() == Some(0) && end.out.replace(',', "").contains(&format!("{runs} runs"))
    };
    rows.judge(
        "runs of one step, and their room in the temporary folder",
        has_all(&end) && most < size * SPOOL_FACTOR && blind < Duration::from_secs(1),
        format_args!("{runs} runs in {size} bytes take {most} bytes there, and {}", end.memory()),
    );
    let attack = "the same with a full temporary folder";
    let Some(disk) = is_root().then(|| MountedDisk::mount(&home.path("small"), "64k")).flatten() else {
        rows.not_tried(attack, "needs a file system that can be mounted");
        return Ok(());
    };
    let end = home.loopbreak("analyze runs.jsonl --quiet").env("TMPDIR", disk.path()).run()?;
    let is_blamed = end.err.contains("runs.jsonl: cannot be read");
    let (is_told, is_complete) = (end.code() == Some(1), has_all(&end));
    let is_named = end.err.contains("temporary");
    rows.judge(
        attack,
        !is_blamed && (is_complete || is_told && is_named),
        format_args!("{}: {}", end.describe(), end.err.lines().next().unwrap_or("no error")),
    );
    Ok(())
}

/// Returns the size of the files that a program has in the temporary folder, also of those without a name.
fn temporary_bytes(home: &AttackHome<'_>, program: &LimitedProgram) -> u64 {
    let folder = home.path("tmp");
    let handles = fs::read_dir(format!("/proc/{}/fd", program.id())).into_iter().flatten().flatten();
    let is_there = |handle: &Path| fs::read_link(handle).is_ok_and(|target| target.starts_with(&folder));
    let open = handles.map(|handle| handle.path()).filter(|handle| is_there(handle));
    open.filter_map(|handle| fs::metadata(handle).ok()).map(|file| file.len()).sum()
}

/// F25: folders in folders, and links that lead out.
pub(super) fn nested_folders(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let home = lab.home()?;
    home.prepare("mkdir -p \"deep$(printf '/x%.0s' $(seq 1000))\"")?;
    let end = home.loopbreak("analyze deep").run()?;
    home.prepare("rm -rf deep")?;
    let is_told = end.err.contains("levels deep");
    rows.judge(
        "1,000 nested folders",
        end.code().is_some() && is_told && end.is_within(lab.seconds(NESTED_SECONDS)),
        format_args!(
            "{}, {}: {}",
            end.describe(),
            end.memory(),
            if is_told { "tells how deep it looked" } else { "silent" }
        ),
    );
    let line = |run: &str| format!("{{\"run\":\"{run}\",\"action\":\"x\"}}\n");
    home.write("private/secret.jsonl", line("hidden-run").repeat(3))?;
    home.write("project/logs/own.jsonl", line("own-run").repeat(3))?;
    home.link("../../private", "project/logs/more")?;
    let end = home.loopbreak("analyze logs --verbose --json").run()?;
    rows.judge(
        "a link out of the folder, to private logs",
        end.out.contains("own-run") && !end.out.contains("hidden-run"),
        if end.out.contains("hidden-run") { "its runs are in the report" } else { "not followed" },
    );
    Ok(())
}

/// F26: logs that unpack to very much.
pub(super) fn packed(lab: &AttackLab, rows: &mut AttackRows) -> Result<(), ChoreFailure> {
    let home = lab.home()?;
    let lines = r#"yes '{"run":"a","action":"x","outcome":"y"}' | head -c"#;
    home.prepare(&format!("{lines} {} | gzip -9 > b.gz", lab.size(3_000_000_000, 60_000_000)))?;
    let (attack, limit) = if lab.is_full {
        ("3 GB of good lines in gzip, with the usual limit of 1 GB", "")
    } else {
        ("60 MB of good lines in gzip, with a limit of 10 MB", "--max-unpacked 10M")
    };
    let end = home.loopbreak(&format!("analyze b.gz --quiet {limit}")).run()?;
    rows.judge(
        attack,
        end.code() == Some(1) && end.err.contains("unpacks to more than") && end.peak < MEMORY,
        format_args!("{}, {}; {}", end.describe(), end.memory(), end.err.lines().next().unwrap_or_default()),
    );
    let size: u64 = if lab.is_full { 10_000_000_000 } else { 300_000_000 };
    home.prepare(&format!("head -c {size} /dev/zero | tr '\\0' x | zstd -q -o line.zst"))?;
    let end = home.loopbreak("analyze line.zst --quiet").run()?;
    rows.judge(
        if lab.is_full { "10 GB in one line, in zstd" } else { "300 MB in one line, in zstd" },
        end.code() == Some(1) && end.peak < MEMORY,
        format_args!("{}, {}; {}", end.describe(), end.memory(), end.err.lines().next().unwrap_or_default()),
    );
    Ok(())
}
