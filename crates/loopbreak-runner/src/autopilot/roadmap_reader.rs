//! The roadmap file: its tasks, and what is wrong with it, to the letter.

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
/// The most tasks: the engine keeps the attempts at so many.
const TASKS: usize = 1000;

/// A roadmap that can be worked through: ids are unique, dependencies known and without a circle.
#[derive(Clone, Debug)]
pub struct TaskRoadmap {
    pub(crate) tasks: Vec<RoadmapTask>,
}

impl TaskRoadmap {
    /// The roadmap in a text. What is wrong with it is told to the observer, each with its line.
    pub(crate) fn of(source: &ConfigSource, observer: &dyn RunObserver) -> Result<Self, String> {
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
            RoadmapReader { source, tasks: Vec::new(), places: Vec::new(), problems: Vec::new() };
        match DeTable::parse(&source.text) {
            Ok(table) => reader.top(table.get_ref()),
            Err(error) => {
                let hint = "TOML is written like this: key = value, texts in quotes, tasks as [[task]]";
                reader.problem(error.message(), hint, error.span().unwrap_or(0..0));
            }
        }
        if reader.problems.is_empty() {
            reader.dependencies();
        }
        if reader.problems.is_empty() {
            Ok(TaskRoadmap { tasks: reader.tasks })
        } else {
            Err(reader.problems)
        }
    }
}

/// Where the parts of a task are in the file.
#[derive(Debug, Default)]
struct RoadmapPositions {
    id: Range<usize>,
    after: Vec<Range<usize>>,
}

/// A file while it is read.
struct RoadmapReader<'s> {
    source: &'s ConfigSource,
    tasks: Vec<RoadmapTask>,
    places: Vec<RoadmapPositions>,
    problems: Vec<ConfigProblem>,
}

impl RoadmapReader<'_> {
    fn problem(&mut self, message: impl Into<String>, hint: impl Into<String>, span: Range<usize>) {
        let mark = self.mark(span, "");
        self.located(message, hint, vec![mark]);
    }

    fn located(&mut self, message: impl Into<String>, hint: impl Into<String>, marks: Vec<ProblemLabel>) {
        let origin = marks[0].origin.clone();
        self.problems.push(ConfigProblem::new(message, hint, origin).with_labels(marks));
    }

    fn mark(&self, span: Range<usize>, label: &str) -> ProblemLabel {
        ProblemLabel { origin: ValueOrigin::File(self.source.location(span)), text: label.to_owned() }
    }

    fn top(&mut self, table: &DeTable<'_>) {
        for (key, value) in in_order(table) {
            match (key.get_ref().as_ref(), value.get_ref()) {
                ("task", DeValue::Array(tasks)) => {
                    if tasks.len() > TASKS {
                        let message = format!("{} tasks are too many: {TASKS} at most", tasks.len());
                        self.problem(message, "split the roadmap", key.span());
                        return;
                    }
                    for task in tasks {
                        self.task(task);
                    }
                }
                ("task", _) => self.problem("task: expected a list of tables", HINT, value.span()),
                (name, _) => {
                    let hint = nearest_name(name, ["task"]).map_or(HINT.to_owned(), meant);
                    self.problem(format!("unknown key {name:?}"), hint, key.span());
                }
            }
        }
        if self.tasks.is_empty() && self.problems.is_empty() {
            self.problem("there is no task in this roadmap", HINT, 0..0);
        }
    }

    fn task(&mut self, value: &Spanned<DeValue<'_>>) {
        let DeValue::Table(table) = value.get_ref() else {
            return self.problem("a task is a table", HINT, value.span());
        };
        let mut task = RoadmapTask { position: self.tasks.len() as u64 + 1, ..RoadmapTask::default() };
        let mut places = RoadmapPositions { id: value.span(), ..RoadmapPositions::default() };
        for (key, value) in in_order(table) {
            match key.get_ref().as_ref() {
                "id" => {
                    task.id = self.id(value);
                    places.id = value.span();
                }
                "title" => self.text("title", value).trim().clone_into(&mut task.title),
                "details" => self.text("details", value).trim().clone_into(&mut task.details),
                "check" => task.check = self.check(value),
                "after" => (task.after, places.after) = self.after(value),
                "status" => self.status(value, &mut task),
                name => {
                    let hint = nearest_name(name, KEYS)
                        .map_or_else(|| format!("a task has the keys {}", KEYS.join(", ")), meant);
                    self.problem(format!("unknown key {name:?} in [[task]]"), hint, key.span());
                }
            }
        }
        if !table.iter().any(|(key, _)| key.get_ref() == "id") {
            self.problem("a task without an id", "give it one, as in id = \"api\"", value.span());
        }
        self.tasks.push(task);
        self.places.push(places);
    }

    fn text(&mut self, name: &str, value: &Spanned<DeValue<'_>>) -> String {
        if let DeValue::String(text) = value.get_ref() {
            return text.to_string();
        }
        self.problem(
            format!("{name}: expected a text"),
            format!("write it like {name} = \"...\""),
            value.span(),
        );
        String::new()
    }

    fn id(&mut self, value: &Spanned<DeValue<'_>>) -> String {
        // `id = 7` is what many write.
        let id = match value.get_ref() {
            DeValue::Integer(number) => number.to_string(),
            _ => self.text("id", value),
        };
        if id.len() > TASK_ID_BYTES {
            let message = format!("id: {} bytes are too long, {TASK_ID_BYTES} at most", id.len());
            self.problem(message, "long texts go into title and details", value.span());
        } else if !is_task_id(&id) {
            let hint = "an id is a short word, as in id = \"api\"";
            self.problem("id: expected a name without blanks around it", hint, value.span());
        }
        id
    }

    fn check(&mut self, value: &Spanned<DeValue<'_>>) -> String {
        let check = self.text("check", value);
        if !matches!(value.get_ref(), DeValue::String(_)) {
            return check;
        }
        if loopbreak_watch::notification::split_command_line(&check).is_none_or(|words| words.is_empty()) {
            let hint = "write a command, as in check = \"cargo test\"; for a shell, check = \"sh -c '...'\"";
            self.problem("check: no command, or a quote is left open", hint, value.span());
        }
        check
    }

    fn after(&mut self, value: &Spanned<DeValue<'_>>) -> (Vec<String>, Vec<Range<usize>>) {
        let DeValue::Array(items) = value.get_ref() else {
            self.problem("after: expected a list", "write it like after = [\"schema\"]", value.span());
            return Default::default();
        };
        items.iter().map(|item| (self.id(item), item.span())).unzip()
    }

    fn status(&mut self, value: &Spanned<DeValue<'_>>, task: &mut RoadmapTask) {
        let name = self.text("status", value);
        match name.parse().ok() {
            Some(TaskState::Done) => task.finish("done in the roadmap", 0),
            Some(status) => task.status = status,
            None if name.is_empty() => {}
            None => {
                let known = TaskState::NAMES;
                let hint =
                    nearest_name(&name, known).map_or_else(|| format!("one of {}", known.join(", ")), meant);
                self.problem(format!("status: {name:?} is none"), hint, value.span());
            }
        }
    }

    fn dependencies(&mut self) {
        for fault in find_problems(&self.tasks) {
            match fault {
                RoadmapProblem::Duplicate { id, first, again } => {
                    let marks = vec![
                        self.mark(self.places[again].id.clone(), "again here"),
                        self.mark(self.places[first].id.clone(), "first here"),
                    ];
                    self.located(format!("two tasks have the id {id:?}"), "give each task its own id", marks);
                }
                RoadmapProblem::Unknown { task, dependency } => {
                    let at =
                        self.tasks[task].after.iter().position(|id| *id == dependency).unwrap_or_default();
                    let span = self.places[task].after[at].clone();
                    let hint = nearest_name(&dependency, self.tasks.iter().map(|task| task.id.as_str()))
                        .map_or_else(|| "there is no task of this id".to_owned(), meant);
                    let message = format!(
                        "task {:?} comes after {dependency:?}, which there is not",
                        self.tasks[task].id
                    );
                    self.problem(message, hint, span);
                }
                RoadmapProblem::Cycle(circle) => self.circle(&circle),
            }
        }
    }

    fn circle(&mut self, circle: &[usize]) {
        let mut names: Vec<&str> = circle.iter().map(|place| self.tasks[*place].id.as_str()).collect();
        names.extend(names.first().copied());
        let message = format!("tasks wait for each other: {}", names.join(" after "));
        let mut marks = Vec::new();
        for (number, place) in circle.iter().enumerate() {
            let next = &self.tasks[circle[(number + 1) % circle.len()]].id;
            let at = self.tasks[*place].after.iter().position(|id| id == next).unwrap_or_default();
            let label = format!("{} waits for {next}", self.tasks[*place].id);
            marks.push(self.mark(self.places[*place].after[at].clone(), &label));
        }
        self.located(message, "take one of them out of its `after`", marks);
    }
}

const HINT: &str = "write a task as [[task]], with id = \"api\" and title = \"Write the API\" below it";

fn meant(name: &str) -> String {
    format!("did you mean {name}?")
}

/// A table's keys in the order in which they were written.
fn in_order<'t, 'i>(
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
            let spot = problem.location().unwrap();
            format!("{}:{}: {}; {}", spot.line, spot.column, problem.message, problem.hint)
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
    fn what_is_wrong_is_told_with_its_place_and_the_nearest_name() {
        assert_eq!(
            problems("[[task]]\nid = \"a\"\ntitel = \"A\"\nstatus = \"dnoe\"\n[[tsk]]\n"),
            [
                "3:1: unknown key \"titel\" in [[task]]; did you mean title?",
                "4:10: status: \"dnoe\" is none; did you mean done?",
                "5:3: unknown key \"tsk\"; did you mean task?",
            ]
        );
        assert_eq!(
            problems("[[task]]\nid = \"a\"\nafter = [\"bb\"]\n[[task]]\nid = \"b\"\n[[task]]\nid = \"a\"\n"),
            [
                "7:6: two tasks have the id \"a\"; give each task its own id",
                "3:10: task \"a\" comes after \"bb\", which there is not; did you mean b?",
            ]
        );
        assert_eq!(
            problems("[[task]]\nid = \"a\"\nafter = [\"b\"]\n[[task]]\nid = \"b\"\nafter = [\"a\"]\n"),
            ["3:10: tasks wait for each other: a after b after a; take one of them out of its `after`"]
        );
    }

    #[test]
    fn nonsense_is_told_and_no_panic() {
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
