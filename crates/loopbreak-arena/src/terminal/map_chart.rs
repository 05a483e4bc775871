//! Draws a small ASCII map of the places around the player.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use loopbreak_report::printable;

use crate::world::WorldMap;

/// Columns for the name of a place, and between two places.
const NAME_COLUMNS: usize = 12;
const GAP_COLUMNS: usize = 3;
/// Columns of a place with its brackets and the gap to the next one.
const CELL_COLUMNS: usize = NAME_COLUMNS + 2 + GAP_COLUMNS;

type MapCell = (i32, i32);

/// Returns the direction on the map in which an exit leads.
fn map_direction(way: &str) -> Option<MapCell> {
    Some(match way {
        "north" => (0, -1),
        "south" => (0, 1),
        "east" => (1, 0),
        "west" => (-1, 0),
        "northeast" => (1, -1),
        "northwest" => (-1, -1),
        "southeast" => (1, 1),
        "southwest" => (-1, 1),
        _ => return None,
    })
}

/// Draws the map around a place: `across` places to the left and right, `along` above and below. Unexplored
/// exits end in `?`; `^` and `v` are exits up and down.
pub fn render_map(map: &WorldMap, here: u32, across: i32, along: i32) -> Vec<String> {
    let cells = assign_cells(map, here, across, along);
    let width = usize::try_from(2 * across + 1).unwrap_or(1) * CELL_COLUMNS + GAP_COLUMNS;
    let height = usize::try_from(2 * along + 1).unwrap_or(1) * 2 + 1;
    let mut canvas = vec![vec![' '; width]; height];
    // The upper left corner of a place.
    let at = |(x, y): MapCell| {
        let column = usize::try_from(x + across).unwrap_or(0) * CELL_COLUMNS + GAP_COLUMNS;
        (column, usize::try_from(y + along).unwrap_or(0) * 2 + 1)
    };
    for (cell, place) in &cells {
        let (column, row) = at(*cell);
        for (way, to) in map.ways(*place) {
            let Some(direction) = map_direction(way) else { continue };
            let next = (cell.0 + direction.0, cell.1 + direction.1);
            // If its other end is drawn elsewhere, a line would lead to the wrong place.
            let sign = match to {
                None => Some('?'),
                Some(to) if cells.get(&next) == Some(&to) => None,
                Some(to) if to == *place => continue,
                Some(_) => Some('.'),
            };
            draw_exit(&mut canvas, (column, row), direction, sign);
        }
        let up = if map.ways(*place).any(|(way, _)| way == "up") { "^" } else { "" };
        let down = if map.ways(*place).any(|(way, _)| way == "down") { "v" } else { "" };
        let name = printable(map.name(*place).unwrap_or_default());
        let room = NAME_COLUMNS - up.len() - down.len();
        let name: String = name.chars().take(room).collect();
        let (open, close) = if *place == here { ('>', '<') } else { ('[', ']') };
        let label = format!("{open}{name:<room$}{up}{down}{close}");
        for (offset, sign) in label.chars().enumerate() {
            set_char(&mut canvas, column + offset, row, sign);
        }
    }
    let lines = canvas.into_iter().map(|line| line.into_iter().collect::<String>().trim_end().to_owned());
    let lines: Vec<String> = lines.collect();
    let first = lines.iter().position(|line| !line.is_empty()).unwrap_or(0);
    let last = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    let lines = &lines[first..last];
    let indent =
        lines.iter().filter(|line| !line.is_empty()).map(|line| line.len() - line.trim_start().len());
    let indent = indent.min().unwrap_or(0);
    lines.iter().map(|line| line.get(indent..).unwrap_or_default().to_owned()).collect()
}

/// Assigns a cell to each place, nearest first. A place without room is left out.
fn assign_cells(map: &WorldMap, here: u32, across: i32, along: i32) -> BTreeMap<MapCell, u32> {
    let mut cells = BTreeMap::from([((0, 0), here)]);
    let mut seen = BTreeSet::from([here]);
    let mut queue = VecDeque::from([((0, 0), here)]);
    // An exit that leads to a place also shows where it comes from, even if nobody went back.
    let mut back: BTreeMap<u32, Vec<(MapCell, u32)>> = BTreeMap::new();
    for from in map.places() {
        for (way, to) in map.ways(from) {
            if let (Some((x, y)), Some(to)) = (map_direction(way), to) {
                back.entry(to).or_default().push(((-x, -y), from));
            }
        }
    }
    while let Some((cell, place)) = queue.pop_front() {
        let ways = map.ways(place).filter_map(|(way, to)| Some((map_direction(way)?, to?)));
        for (direction, to) in ways.chain(back.get(&place).into_iter().flatten().copied()) {
            let next = (cell.0 + direction.0, cell.1 + direction.1);
            if next.0.abs() <= across
                && next.1.abs() <= along
                && !cells.contains_key(&next)
                && seen.insert(to)
            {
                cells.insert(next, to);
                queue.push_back((next, to));
            }
        }
    }
    cells
}

/// Draws an exit of a place; `sign` marks its end if no place is drawn there.
fn draw_exit(
    canvas: &mut [Vec<char>],
    (column, row): (usize, usize),
    direction: MapCell,
    sign: Option<char>,
) {
    let (left, right) = (column.wrapping_sub(1), column + NAME_COLUMNS + 2);
    let (above, below) = (row.wrapping_sub(1), row + 1);
    let middle = column + NAME_COLUMNS / 2;
    match direction {
        (1, 0) => {
            for offset in 0..GAP_COLUMNS {
                set_char(canvas, right + offset, row, '-');
            }
            set_optional(canvas, right + 1, row, sign);
        }
        (-1, 0) => {
            for offset in 0..GAP_COLUMNS {
                set_char(canvas, left.wrapping_sub(offset), row, '-');
            }
            set_optional(canvas, left.wrapping_sub(1), row, sign);
        }
        (0, -1) => set_char(canvas, middle, above, sign.unwrap_or('|')),
        (0, _) => set_char(canvas, middle, below, sign.unwrap_or('|')),
        (1, y) => {
            let line = if y < 0 { ('/', above) } else { ('\\', below) };
            set_char(canvas, right + 1, line.1, sign.unwrap_or(line.0));
        }
        (_, y) => {
            let line = if y < 0 { ('\\', above) } else { ('/', below) };
            set_char(canvas, left.wrapping_sub(1), line.1, sign.unwrap_or(line.0));
        }
    }
}

fn set_optional(canvas: &mut [Vec<char>], column: usize, row: usize, sign: Option<char>) {
    if let Some(sign) = sign {
        set_char(canvas, column, row, sign);
    }
}

fn set_char(canvas: &mut [Vec<char>], column: usize, row: usize, sign: char) {
    if let Some(char) = canvas.get_mut(row).and_then(|line| line.get_mut(column)) {
        *char = sign;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::WorldLocation;

    fn map_with(places: &[(u32, &str, &[&str])], ways: &[(u32, &str, u32)]) -> WorldMap {
        let mut map = WorldMap::default();
        for (id, name, exits) in places {
            let exits = exits.iter().map(|exit| (*exit).to_owned()).collect();
            map.add(&WorldLocation { id: *id, name: (*name).to_owned(), exits });
        }
        for (from, way, to) in ways {
            map.connect(*from, way, *to);
        }
        map
    }

    #[test]
    fn places_are_drawn_where_their_exits_lead() {
        let map = map_with(
            &[
                (1, "Road", &["north", "east"]),
                (2, "Gatehouse", &["north", "south"]),
                (3, "Crest of the long dam", &["south", "east", "down", "northwest"]),
                (4, "Lobby", &["west", "up"]),
            ],
            &[
                (1, "north", 2),
                (2, "south", 1),
                (2, "north", 3),
                (3, "south", 2),
                (3, "east", 4),
                (4, "west", 3),
            ],
        );
        let drawn = render_map(&map, 2, 2, 2).join("\n");
        let expected = "\
 ?
  [Crest of thv]---[Lobby      ^]
        |
  >Gatehouse   <
        |
  [Road        ]-?-";
        assert_eq!(drawn, expected, "\n{drawn}");
    }

    #[test]
    fn places_without_room_are_left_out() {
        // Two exits to one cell, an exit that leads back to its place, an exit beyond the edge.
        let map = map_with(
            &[(1, "A", &[]), (2, "B", &[]), (3, "C", &[]), (4, "\u{1b}[2JD", &[])],
            &[
                (1, "north", 2),
                (1, "east", 3),
                (3, "northwest", 4),
                (2, "east", 2),
                (2, "north", 1),
                (4, "west", 4),
            ],
        );
        let drawn = render_map(&map, 1, 1, 1).join("\n");
        assert!(drawn.contains("[B ") && drawn.contains("[C ") && !drawn.contains('\u{1b}'), "{drawn}");
        assert!(!drawn.contains("2JD"), "{drawn}");
        assert_eq!(render_map(&map, 99, 0, 0), [">            <"]);
    }
}
