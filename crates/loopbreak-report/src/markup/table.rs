//! Sections with tables, as all pages have them.

use std::fmt::Write as _;

use super::escape::escape;

/// Begins a section with a table in it, which can be scrolled with the keys where it is too wide. All but the id are
/// markup.
pub fn section(out: &mut String, id: &str, title: &str, text: &str, columns: &[&str]) {
    let _ = write!(
        out,
        "<section id=\"{id}\" aria-labelledby=\"{id}-h\">\n<h2 id=\"{id}-h\">{title}</h2>\n<p>{text}</p>\n"
    );
    table(out, title, columns);
}

/// Begins such a table without a section around it. The columns are markup.
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

/// A row: its name, which is text, and its cells, which are markup.
pub fn row(out: &mut String, name: &str, cells: &[String]) {
    let _ = write!(out, "<tr><th scope=\"row\">{}</th>", escape(name));
    for cell in cells {
        let _ = write!(out, "<td>{cell}</td>");
    }
    *out += "</tr>\n";
}
