//! Conditions on labels, such as `labels.reward<0.5 and success=false`.

use std::cmp::Ordering;
use std::fmt;

use serde_json::Value;

/// A condition that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelConditionError(String);

impl fmt::Display for LabelConditionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LabelConditionError {}

/// Conditions that must all hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelCondition {
    text: String,
    tests: Vec<LabelTest>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct LabelTest {
    path: Vec<String>,
    /// Absent: the value must be true, not zero or not empty.
    against: Option<(TestOperator, TestValue)>,
}

/// The value that a label is compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TestValue {
    text: String,
    /// Quotes make it text, even if it looks like a number or a boolean.
    quoted: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TestOperator {
    AtLeast,
    AtMost,
    Not,
    Above,
    Below,
    Is,
}

/// Longer operators first, because `>=` starts with `>`.
const OPERATORS: [(&str, TestOperator); 7] = [
    (">=", TestOperator::AtLeast),
    ("<=", TestOperator::AtMost),
    ("!=", TestOperator::Not),
    ("==", TestOperator::Is),
    (">", TestOperator::Above),
    ("<", TestOperator::Below),
    ("=", TestOperator::Is),
];

impl LabelCondition {
    /// Parses a condition.
    pub fn parse(text: &str) -> Result<Self, LabelConditionError> {
        let tests = text.split(" and ").map(LabelTest::parse).collect::<Result<_, _>>()?;
        Ok(LabelCondition { text: text.trim().to_owned(), tests })
    }

    /// Returns the condition as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns whether the labels of a run fulfil the condition, or `None` if a path is missing or its value cannot be
    /// compared.
    pub fn holds(&self, labels: &Value) -> Option<bool> {
        // All tests are evaluated: a run with a missing path is undecided, even if another test fails.
        let answers: Option<Vec<bool>> = self.tests.iter().map(|test| test.holds(labels)).collect();
        answers.map(|answers| answers.into_iter().all(|answer| answer))
    }
}

impl LabelTest {
    fn parse(text: &str) -> Result<Self, LabelConditionError> {
        let text = text.trim();
        let (path, against) = match split(text) {
            None => (text, None),
            Some((path, operator, value)) => (path, Some((operator, TestValue::parse(value)))),
        };
        if text.is_empty() {
            return Err(LabelConditionError("a condition is empty".to_owned()));
        }
        if path.is_empty() {
            return Err(LabelConditionError(format!("{text:?} has no path")));
        }
        if let Some((_, value)) = &against
            && (value.text.is_empty() || value.text.starts_with(['<', '>', '=', '!']))
        {
            let what = if value.text.is_empty() { "no value" } else { "two operators" };
            return Err(LabelConditionError(format!("{text:?} has {what}")));
        }
        if path.contains(char::is_whitespace) {
            return Err(LabelConditionError(format!(
                "{path:?} is not a path: conditions are joined by \" and \""
            )));
        }
        if path.contains('!') || path.split('.').any(str::is_empty) {
            return Err(LabelConditionError(format!("{path:?} is not a path: names are joined by dots")));
        }
        Ok(LabelTest { path: path.split('.').map(str::to_owned).collect(), against })
    }

    fn holds(&self, labels: &Value) -> Option<bool> {
        let mut value = labels;
        for name in &self.path {
            value = value.get(name)?;
        }
        match &self.against {
            None => is_something(value),
            Some((operator, wanted)) => compare(value, *operator, wanted),
        }
    }
}

/// Splits a test at its first operator: path, operator and value.
fn split(text: &str) -> Option<(&str, TestOperator, &str)> {
    let at = text.find(['<', '>', '=']).map(|at| if text[..at].ends_with('!') { at - 1 } else { at })?;
    let (sign, operator) = OPERATORS.into_iter().find(|(sign, _)| text[at..].starts_with(sign))?;
    Some((text[..at].trim(), operator, text[at + sign.len()..].trim()))
}

impl TestValue {
    fn parse(value: &str) -> Self {
        let inner = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        TestValue { text: inner.unwrap_or(value).to_owned(), quoted: inner.is_some() }
    }

    /// Compares a label that is text. A text such as "split" or "unsure" does not answer a question about a number or
    /// a boolean.
    fn order_of(&self, own: &str) -> Option<Ordering> {
        let same_kind = |kind: fn(&str) -> bool| kind(&self.text) == kind(own);
        let comparable = self.quoted
            || (same_kind(|text| text.parse::<bool>().is_ok())
                && same_kind(|text| text.parse::<f64>().is_ok()));
        comparable.then(|| own.cmp(&self.text))
    }
}

fn is_something(value: &Value) -> Option<bool> {
    match value {
        // A text is neither yes nor no.
        Value::Null | Value::String(_) => None,
        Value::Bool(is) => Some(*is),
        Value::Number(_) | Value::Array(_) | Value::Object(_) => size(value).map(|size| size != 0.0),
    }
}

/// Returns a number, or the length of a list or an object.
fn size(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::Array(list) => Some(list.len() as f64),
        Value::Object(object) => Some(object.len() as f64),
        Value::Null | Value::Bool(_) | Value::String(_) => None,
    }
}

fn compare(value: &Value, operator: TestOperator, wanted: &TestValue) -> Option<bool> {
    let order = match value {
        Value::Null => return None,
        Value::Bool(is) => {
            let same = *is == wanted.text.parse::<bool>().ok()?;
            return match operator {
                TestOperator::Is => Some(same),
                TestOperator::Not => Some(!same),
                _ => None,
            };
        }
        Value::String(own) => wanted.order_of(own)?,
        _ => size(value)?.partial_cmp(&wanted.text.parse().ok()?)?,
    };
    Some(match operator {
        TestOperator::AtLeast => order.is_ge(),
        TestOperator::AtMost => order.is_le(),
        TestOperator::Above => order.is_gt(),
        TestOperator::Below => order.is_lt(),
        TestOperator::Is => order.is_eq(),
        TestOperator::Not => order.is_ne(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn holds(expression: &str) -> Option<bool> {
        let labels = json!({
            "success": false, "game": "zork", "year": "1980", "steps": 12, "none": null,
            "labels": {"reward": 0.25, "pairs": [[1, 2], [3, 4], [5, 6]], "empty": [], "by": {"a": 1}, "zero": 0, "text": ""},
        });
        LabelCondition::parse(expression).unwrap().holds(&labels)
    }

    #[test]
    fn eval_conditions_compare_numbers_lengths_booleans_and_texts() {
        for expression in [
            "labels.pairs>=3",
            "labels.pairs <= 3",
            "labels.pairs",
            "labels.by=1",
            "labels.reward<0.5",
            "labels.reward > 2e-1",
            "labels.reward != 1",
            "success=false",
            "success!=true",
            "success == false",
            "game=zork",
            "game=\"zork\"",
            "game<zz",
            "year=1980",
            "year=\"1980\"",
            "steps>9 and game=zork and success=false",
        ] {
            assert_eq!(holds(expression), Some(true), "{expression}");
        }
        for expression in [
            "labels.pairs>3",
            "labels.empty",
            "labels.zero",
            "success",
            "labels.text=\"true\"",
            "game=\"7\"",
            "success=true",
            "game=Zork",
            "game!=zork",
            "steps>9 and game=planetfall",
        ] {
            assert_eq!(holds(expression), Some(false), "{expression}");
        }
    }

    #[test]
    fn eval_conditions_on_values_that_cannot_be_compared_are_undecided() {
        for expression in [
            "labels.missing>=3",
            "missing",
            "none",
            "none=1",
            "game",
            "game=true",
            "game!=false",
            "game>=3",
            "labels.text",
            "game.name",
            "success>1",
            "success=maybe",
            "steps=many",
            "success=true and missing",
        ] {
            assert_eq!(holds(expression), None, "{expression}");
        }
    }

    #[test]
    fn eval_invalid_conditions_name_the_problem() {
        for (expression, message) in [
            ("", "a condition is empty"),
            ("a and  and b", "a condition is empty"),
            (">=3", "\">=3\" has no path"),
            ("labels.x>=", "\"labels.x>=\" has no value"),
            ("labels.x=>3", "\"labels.x=>3\" has two operators"),
            ("a or b", "\"a or b\" is not a path: conditions are joined by \" and \""),
            ("labels..x", "\"labels..x\" is not a path: names are joined by dots"),
            ("!labels.x", "\"!labels.x\" is not a path: names are joined by dots"),
        ] {
            assert_eq!(LabelCondition::parse(expression).unwrap_err().to_string(), message);
        }
    }
}
