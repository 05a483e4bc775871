//! A statement that is put together from parts.

use tokio_postgres::types::ToSql;

/// A statement with its values.
pub(super) struct SqlText<'v> {
    text: String,
    values: Vec<&'v (dyn ToSql + Sync)>,
}

impl<'v> SqlText<'v> {
    pub(super) fn new(beginning: String) -> Self {
        SqlText { text: beginning, values: Vec::new() }
    }

    /// Adds a part without values.
    pub(super) fn push(&mut self, part: &str) {
        self.text.push_str(part);
    }

    /// Adds a part. Each `?` in it stands for the next of the values.
    pub(super) fn push_with(&mut self, part: &str, values: &[&'v (dyn ToSql + Sync)]) {
        let mut values = values.iter();
        for (index, piece) in part.split('?').enumerate() {
            if index > 0 {
                self.values.extend(values.next());
                self.text.push('$');
                self.text.push_str(&self.values.len().to_string());
            }
            self.text.push_str(piece);
        }
    }

    /// Adds a part with a value if there is one.
    pub(super) fn push_if<T: ToSql + Sync>(&mut self, part: &str, value: Option<&'v T>) {
        if let Some(value) = value {
            self.push_with(part, &[value]);
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn values(&self) -> &[&'v (dyn ToSql + Sync)] {
        &self.values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_numbered_in_their_order() {
        let (a, b) = (1_i64, 2_i64);
        let mut sql = SqlText::new("SELECT 1 WHERE true".to_owned());
        sql.push_if(" AND a = ?", Some(&a));
        sql.push_if(" AND b = ?", None::<&i64>);
        sql.push_with(" AND (c, d) < (?, ?)", &[&a, &b]);
        sql.push(" LIMIT 1");
        assert_eq!(sql.text(), "SELECT 1 WHERE true AND a = $1 AND (c, d) < ($2, $3) LIMIT 1");
        assert_eq!(sql.values().len(), 3);
    }
}
