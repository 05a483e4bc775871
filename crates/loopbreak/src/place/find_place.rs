//! Destinations that the caller's map has.

use super::{PlaceMap, PlaceTrail};
use crate::memory::HashKey;
use crate::step::PlaceRef;

/// Returns the key of a place that a caller refers to from the place `from`.
///
/// Where the steps identify places by ids, a bare name is looked up among the recent places, which are the only ones that a
/// detector compares it with. Returns `None` if several of them have the name, or none: it may be one of them in another
/// spelling.
pub(crate) fn find_place(
    place: &PlaceRef<'_>,
    from: Option<HashKey>,
    trail: &PlaceTrail,
    map: &PlaceMap,
) -> Option<HashKey> {
    let key = map.key_of_reference(place)?;
    let Some(name) = place.name.as_deref().filter(|_| place.id.is_none() && !map.contains(key)) else {
        return Some(key);
    };
    let mut recent = trail.newest().map(|stay| stay.place).filter(|place| map.has_name(*place, name));
    match recent.next() {
        Some(known) => recent.all(|place| place == known).then_some(known),
        None => from.is_some_and(|from| map.is_known_by_name(from)).then_some(key),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::Place;

    /// Visits these places in turn.
    fn visited(places: &[Place<'_>]) -> (PlaceTrail, PlaceMap) {
        let (mut trail, mut map) = (PlaceTrail::default(), PlaceMap::default());
        for (turn, place) in places.iter().enumerate() {
            let here = map.arrive(place).unwrap();
            trail.push(here, turn as u64, 20);
        }
        (trail, map)
    }

    fn place(id: i64, name: &'static str) -> Place<'static> {
        Place { id: Some(id.into()), name: Some(name.into()), ..Place::default() }
    }

    #[test]
    fn a_name_is_looked_up_among_the_recent_places_where_places_have_ids() {
        let (trail, map) =
            visited(&[place(20, "Dam"), place(7, "Maze"), place(8, "Maze"), place(15, "Lobby")]);
        let find = |place: PlaceRef<'_>| find_place(&place, trail.here(), &trail, &map);
        assert_eq!(find(PlaceRef::from_name(" dam")), map.key(&place(20, "")));
        assert_eq!(find(PlaceRef::from_name("Maze")), None, "two places have this name");
        assert_eq!(find(PlaceRef::from_name("The Dam")), None, "it may be the Dam");
        assert_eq!(
            find(PlaceRef::from_id(99)),
            map.key(&place(99, "")),
            "an id needs no place that was visited"
        );
        assert_eq!(find(PlaceRef::default()), None);
    }

    #[test]
    fn a_name_that_was_not_visited_is_another_place_where_names_identify_places() {
        let named = |name: &'static str| Place { name: Some(name.into()), ..Place::default() };
        let (trail, map) = visited(&[named("Dam"), named("Lobby")]);
        let find = |name: &'static str| find_place(&PlaceRef::from_name(name), trail.here(), &trail, &map);
        assert_eq!(find("DAM"), map.key(&named("Dam")));
        assert_eq!(find("Attic"), map.key(&named("Attic")));
        let (trail, map) = visited(&[]);
        assert_eq!(find_place(&PlaceRef::from_name("Dam"), None, &trail, &map), None);
    }
}
