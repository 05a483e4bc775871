//! Reads the tasks of a roadmap file, and its problems with their exact positions.

use std::ops::Range;

use loopbreak_config::{ConfigError, ConfigProblem, ConfigSource, ProblemLabel, ValueOrigin, nearest_name};
use loopbreak_store::tasks::{
    RoadmapProblem, RoadmapTask, TASK_ID_BYTES, TaskState, find_problems, is_task_id,
};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::observer::RunObserver;

/// The keys of a task.
const KEYS: [&str; 6] = ["id", "title", "details", "after", "check", "status"];
/// The largest number of tasks. The engine keeps attempts for at most this many.
const MAX_TASKS: usize = 1000;

/// A valid roadmap: ids are unique, dependencies exist and have no cycle.
#[derive(Clone, Debug)]
pub struct TaskRoadmap {
    pub(crate) tasks: Vec<RoadmapTask>,
}

impl TaskRoadmap {
    /// Parses a roadmap. Its problems are shown to the observer, each with its line.
    pub(crate) fn parse_and_report(
        source: &ConfigSource,
        observer: &dyn RunObserver,
    ) -> Result<Self, String> {
        TaskRoadmap::parse(source).map_err(|problems| {
            let count = problems.len();
            observer.roadmap_problems(source, &ConfigError { problems });
            let problems = if count == 1 { "a problem".to_owned() } else { format!("{count} problems") };
            format!("the roadmap has {problems}")
        })
    }

    /// Returns the number of tasks.
    #[expect(clippy::len_without_is_empty, reason = "a roadmap has at least one task")]
    pub fn len(&self) -> usize {
        self.tasks.len()
    }

    fn parse(source: &ConfigSource) -> Result<Self, Vec<ConfigProblem>> {
        let mut reader =
            RoadmapReader { source, tasks: Vec::new(), positions: Vec::new(), problems: Vec::new() };
        match DeTable::parse(&source.text) {
            Ok(table) => reader.read_roadmap(table.get_ref()),
            Err(error) => {
                let hint = "write TOML like this: key = value, strings in quotes, tasks as [[task]]";
                reader.add_problem_at(error.message(), hint, error.span().unwrap_or(0..0));
            }
        }
        if reader.problems.is_empty() {
            reader.check_dependencies();
        }
        if reader.problems.is_empty() {
            Ok(TaskRoadmap { tasks: reader.tasks })
        } else {
            Err(reader.problems)
        }
    }
}

/// The positions of the parts of a task in the file.
#[derive(Debug, Default)]
struct RoadmapPositions {
    id: Range<usize>,
    after: Vec<Range<usize>>,
}

/// Reads a roadmap file and collects its tasks and problems.
struct RoadmapReader<'s> {
    source: &'s ConfigSource,
    tasks: Vec<RoadmapTask>,
    positions: Vec<RoadmapPositions>,
    problems: Vec<ConfigProblem>,
}

impl RoadmapReader<'_> {
    fn add_problem_at(&mut self, message: impl Into<String>, hint: impl Into<String>, span: Range<usize>) {
        let label = self.label(span, "");
        self.add_problem(message, hint, vec![label]);
    }

    fn add_problem(
        &mut self,
        message: impl Into<String>,
        hint: impl Into<String>,
        labels: Vec<ProblemLabel>,
    ) {
        let origin = labels[0].origin.clone();
        self.problems.push(ConfigProblem::new(message, hint, origin).with_labels(labels));
    }

    fn label(&self, span: Range<usize>, text: &str) -> ProblemLabel {
        ProblemLabel { origin: ValueOrigin::File(self.source.location(span)), text: text.to_owned() }
    }

    fn read_roadmap(&mut self, table: &DeTable<'_>) {
        for (key, value) in keys_in_file_order(table) {
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("task", DeValue::Array(tasks)) => {
                    if tasks.len() > MAX_TASKS {
                        let message = format!("{} tasks are too many: at most {MAX_TASKS}", tasks.len());
                        self.add_problem_at(message, "split the roadmap", key.span());
                        return;
                    }
                    for task in tasks {
                        self.read_task(task);
                    }
                }
                ("task", _) => {
                    self.add_problem_at("task: expected a list of tables", TASK_HINT, value.span());
                }
                (name, _) => {
                    let hint = nearest_name(name, ["task"]).map_or(TASK_HINT.to_owned(), did_you_mean);
                    self.add_problem_at(format!("unknown key {name:?}"), hint, key.span());
                }
            }
        }
        if self.tasks.is_empty() && self.problems.is_empty() {
            self.add_problem_at("this roadmap has no tasks", TASK_HINT, 0..0);
        }
    }

    fn read_task(&mut self, value: &Spanned<DeValue<'_>>) {
        let DeValue::Table(table) = value.get_ref() else {
            return self.add_problem_at("a task must be a table", TASK_HINT, value.span());
        };
        let mut task = RoadmapTask { position: self.tasks.len() as u64 + 1, ..RoadmapTask::default() };
        let mut positions = RoadmapPositions { id: value.span(), ..RoadmapPositions::default() };
        for (key, value) in keys_in_file_order(table) {
            match key.get_ref().as_ref() {
                "id" => {
                    task.id = self.read_id(value);
                    positions.id = value.span();
                }
                "title" => self.read_text("title", value).trim().clone_into(&mut task.title),
                "details" => self.read_text("details", value).trim().clone_into(&mut task.details),
                "check" => task.check = self.read_check(value),
                "after" => (task.after, positions.after) = self.read_dependencies(value),
                "status" => self.read_status(value, &mut task),
                name => {
                    let hint = nearest_name(name, KEYS)
                        .map_or_else(|| format!("a task has the keys {}", KEYS.join(", ")), did_you_mean);
                    self.add_problem_at(format!("unknown key {name:?} in [[task]]"), hint, key.span());
                }
            }
        }
        if !table.iter().any(|(key, _)| key.get_ref() == "id") {
            self.add_problem_at("this task has no id", "give it one, as in id = \"api\"", value.span());
        }
        self.tasks.push(task);
        self.positions.push(positions);
    }

    fn read_text(&mut self, name: &str, value: &Spanned<DeValue<'_>>) -> String {
        if let DeValue::String(text) = value.get_ref() {
            return text.to_string();
        }
        self.add_problem_at(
            format!("{name}: expected a string"),
            format!("write it like {name} = \"...\""),
            value.span(),
        );
        String::new()
    }

    fn read_id(&mut self, value: &Spanned<DeValue<'_>>) -> String {
        // Many people write `id = 7`.
        let id = match value.get_ref() {
            DeValue::Integer(number) => number.to_string(),
            _ => self.read_text("id", value),
        };
        if id.len() > TASK_ID_BYTES {
            let message = format!("id: {} bytes are too long: at most {TASK_ID_BYTES}", id.len());
            self.add_problem_at(message, "put long texts into title and details", value.span());
        } else if !is_task_id(&id) {
            let hint = "an id is a short word, as in id = \"api\"";
            self.add_problem_at("id: expected a name without spaces around it", hint, value.span());
        }
        id
    }

    fn read_check(&mut self, value: &Spanned<DeValue<'_>>) -> String {
        let check = self.read_text("check", value);
        if !matches!(value.get_ref(), DeValue::String(_)) {
            return check;
        }
        if loopbreak_watch::notification::split_command_line(&check).is_none_or(|words| words.is_empty()) {
            let hint = "write a command, as in check = \"cargo test\"; for a shell, check = \"sh -c '...'\"";
            self.add_problem_at("check: empty command, or an unclosed quote", hint, value.span());
        }
        check
    }

    fn read_dependencies(&mut self, value: &Spanned<DeValue<'_>>) -> (Vec<String>, Vec<Range<usize>>) {
        let DeValue::Array(items) = value.get_ref() else {
            self.add_problem_at("after: expected a list", "write it like after = [\"schema\"]", value.span());
            return Default::default();
        };
        items.iter().map(|item| (self.read_id(item), item.span())).unzip()
    }

    fn read_status(&mut self, value: &Spanned<DeValue<'_>>, task: &mut RoadmapTask) {
        let name = self.read_text("status", value);
        match name.parse().ok() {
            Some(TaskState::Done) => task.finish("done in the roadmap", 0),
            Some(status) => task.status = status,
            None if name.is_empty() => {}
            None => {
                let known = TaskState::NAMES;
                let hint = nearest_name(&name, known)
                    .map_or_else(|| format!("one of {}", known.join(", ")), did_you_mean);
                self.add_problem_at(format!("unknown status {name:?}"), hint, value.span());
            }
        }
    }

    fn check_dependencies(&mut self) {
        for problem in find_problems(&self.tasks) {
            match problem {
                RoadmapProblem::Duplicate { id, first, again } => {
                    let labels = vec![
                        self.label(self.positions[again].id.clone(), "again here"),
                        self.label(self.positions[first].id.clone(), "first here"),
                    ];
                    self.add_problem(
                        format!("two tasks have the id {id:?}"),
                        "give each task its own id",
                        labels,
                    );
                }
                RoadmapProblem::Unknown { task, dependency } => {
                    let at =
                        self.tasks[task].after.iter().position(|id| *id == dependency).unwrap_or_default();
                    let span = self.positions[task].after[at].clone();
                    let hint = nearest_name(&dependency, self.tasks.iter().map(|task| task.id.as_str()))
                        .map_or_else(|| "there is no task with this id".to_owned(), did_you_mean);
                    let message = format!(
                        "task {:?} comes after {dependency:?}, which does not exist",
                        self.tasks[task].id
                    );
                    self.add_problem_at(message, hint, span);
                }
                RoadmapProblem::Cycle(circle) => self.add_cycle(&circle),
                other => {
                    let message = format!("the dependencies of the tasks are invalid: {other:?}");
                    self.add_problem_at(message, "check the ids in `after`", 0..0);
                }
            }
        }
    }

    fn add_cycle(&mut self, circle: &[usize]) {
        let mut names: Vec<&str> = circle.iter().map(|place| self.tasks[*place].id.as_str()).collect();
        names.extend(names.first().copied());
        let message = format!("tasks wait for each other: {}", names.join(" after "));
        let mut labels = Vec::new();
        for (number, place) in circle.iter().enumerate() {
            let next = &self.tasks[circle[(number + 1) % circle.len()]].id;
            let at = self.tasks[*place].after.iter().position(|id| id == next).unwrap_or_default();
            let text = format!("{} waits for {next}", self.tasks[*place].id);
            labels.push(self.label(self.positions[*place].after[at].clone(), &text));
        }
        self.add_problem(message, "remove one of these dependencies", labels);
    }
}

const TASK_HINT: &str = "write a task as [[task]], with id = \"api\" and title = \"Write the API\" below it";

fn did_you_mean(name: &str) -> String {
    format!("did you mean {name}?")
}

/// Returns the keys of a table in the order of the file.
fn keys_in_file_order<'t, 'i>(
    table: &'t DeTable<'i>,
) -> Vec<(&'t Spanned<toml::de::DeString<'i>>, &'t Spanned<DeValue<'i>>)> {
    let mut keys: Vec<_> = table.iter().collect();
    keys.sort_by_key(|(key, _)| key.span().start);
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str) -> Vec<String> {
        let problems = TaskRoadmap::parse(&ConfigSource::new("tasks.toml", text)).unwrap_err();
        let line = |problem: &ConfigProblem| {
            let location = problem.location().unwrap();
            format!("{}:{}: {}; {}", location.line, location.column, problem.message, problem.hint)
        };
        problems.iter().map(line).collect()
    }

    #[test]
    fn a_roadmap_has_its_tasks_in_order() {
        let text = "[[task]]\nid = 1\ntitle = \"One\"\nstatus = \"done\"\n\n[[task]]\nid = \"two\"\nafter = [1]\ncheck = \"true\"\n";
        let tasks = TaskRoadmap::parse(&ConfigSource::new("tasks.toml", text)).unwrap().tasks;
        assert_eq!((tasks[0].id.as_str(), tasks[0].is_finished()), ("1", true));
        assert_eq!((tasks[1].after.as_slice(), tasks[1].check.as_str()), (&["1".to_owned()][..], "true"));
        assert!(tasks[0].position < tasks[1].position);
    }

    #[test]
    fn problems_have_a_position_and_suggest_the_nearest_name() {
        assert_eq!(
            problems("[[task]]\nid = \"a\"\ntitel = \"A\"\nstatus = \"dnoe\"\n[[tsk]]\n"),
            [
                "3:1: unknown key \"titel\" in [[task]]; did you mean title?",
                "4:10: unknown status \"dnoe\"; did you mean done?",
                "5:3: unknown key \"tsk\"; did you mean task?",
            ]
        );
        assert_eq!(
            problems("[[task]]\nid = \"a\"\nafter = [\"bb\"]\n[[task]]\nid = \"b\"\n[[task]]\nid = \"a\"\n"),
            [
                "7:6: two tasks have the id \"a\"; give each task its own id",
                "3:10: task \"a\" comes after \"bb\", which does not exist; did you mean b?",
            ]
        );
        assert_eq!(
            problems("[[task]]\nid = \"a\"\nafter = [\"b\"]\n[[task]]\nid = \"b\"\nafter = [\"a\"]\n"),
            ["3:10: tasks wait for each other: a after b after a; remove one of these dependencies"]
        );
    }

    #[test]
    fn every_invalid_roadmap_is_a_problem_and_not_a_panic() {
        for text in [
            "",
            "task",
            "task = 1",
            "task = [1]",
            "[[task]]",
            "[[task]]\nid = \" a\"",
            "[[task]]\nid = \"\"",
            "[[task]]\nid = [1]",
            "[[task]]\nid = \"a\"\nafter = \"b\"",
            "[[task]]\nid = \"a\"\nafter = [[]]",
            "[[task]]\nid = \"a\"\ncheck = \"it's\"",
            "[[task]]\nid = \"a\"\nid = \"b\"",
            "\u{0}",
            "[task]\nid = 1",
        ] {
            assert!(!problems(text).is_empty(), "{text}");
        }
        let long = format!("[[task]]\nid = \"{}\"\n", "x".repeat(65));
        assert!(problems(&long)[0].contains("65 bytes are too long"));
        let many = "[[task]]\nid = \"a\"\n".repeat(1001);
        assert!(problems(&many)[0].contains("1001 tasks are too many"));
    }
}
