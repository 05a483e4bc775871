//! Sections with tables.

use std::fmt::Write as _;

use super::escape::escape;

/// Starts a section with a table, which can be scrolled with the keyboard. All arguments but the id are markup.
pub fn section(out: &mut String, id: &str, title: &str, text: &str, columns: &[&str]) {
    let _ = write!(
        out,
        "<section id=\"{id}\" aria-labelledby=\"{id}-h\">\n<h2 id=\"{id}-h\">{title}</h2>\n<p>{text}</p>\n"
    );
    table(out, title, columns);
}

/// Starts a table without a section. The columns are markup.
pub fn table(out: &mut String, title: &str, columns: &[&str]) {
    let _ = write!(
        out,
        "<div class=\"scroll\" role=\"region\" aria-label=\"{title}\" tabindex=\"0\"><table>\n<thead><tr>"
    );
    for column in columns {
        let _ = write!(out, "<th scope=\"col\">{column}</th>");
    }
    *out += "</tr></thead>\n<tbody>\n";
}

/// Ends the table and its section.
pub const END: &str = "</tbody></table></div>\n</section>\n";

/// Writes a row: its name as text, and its cells as markup.
pub fn row(out: &mut String, name: &str, cells: &[String]) {
    let _ = write!(out, "<tr><th scope=\"row\">{}</th>", escape(name));
    for cell in cells {
        let _ = write!(out, "<td>{cell}</td>");
    }
    *out += "</tr>\n";
}
