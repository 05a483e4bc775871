//! The underground of the dam episode: an invented, abandoned waterworks. Only the names and ids of the dam
//! itself follow the published report of the run whose shape the episode has.

/// A place, what can be seen there, and what an agent would do there.
pub(super) struct DamRoom {
    pub(super) id: u32,
    pub(super) name: &'static str,
    pub(super) text: &'static str,
    /// The whole map: a direction, and the id of the room it leads to, always.
    pub(super) exits: &'static [(&'static str, u32)],
    /// The actions of the agent on its first visit, in this order.
    pub(super) deeds: &'static [RoomAction],
    /// The objects that the stuck agent tries its verbs on.
    pub(super) fixtures: &'static [&'static str],
}

/// A command that is worth something once, and the reply of the game.
pub(super) struct RoomAction {
    pub(super) command: &'static str,
    pub(super) reply: &'static str,
    pub(super) points: u32,
}

const fn deed(command: &'static str, reply: &'static str) -> RoomAction {
    RoomAction { command, reply, points: 0 }
}

const fn prize(points: u32, command: &'static str, reply: &'static str) -> RoomAction {
    RoomAction { command, reply, points }
}

pub(super) const HILLSIDE: u32 = 1;
pub(super) const LOBBY: u32 = 15;
pub(super) const MAINTENANCE: u32 = 18;
pub(super) const DAM: u32 = 20;

/// A room from which others branch has two actions, a dead end three: with one more, the healthy part would count as camping.
pub(super) const ROOMS: &[DamRoom] = &[
    DamRoom {
        id: HILLSIDE,
        name: "Hillside",
        text: "Heather, wind, and a trapdoor half hidden in the turf. A wall runs off to the east.",
        exits: &[("down", 2), ("east", 3)],
        deeds: &[
            deed("read marker stone", "WATERWORKS No. 4. The rest has weathered away."),
            deed("pull trapdoor", "It groans, sticks, and falls open. Steps lead down."),
        ],
        fixtures: &[],
    },
    DamRoom {
        id: 3,
        name: "Orchard Wall",
        text: "Old pear trees lean over a wall of dry stone.",
        exits: &[("west", HILLSIDE)],
        deeds: &[
            deed("examine wall", "Somebody left a coil of rope on an iron peg."),
            deed("take rope", "You sling the rope over your shoulder."),
            deed("climb tree", "From up here you see a thin line of grey far to the north: a dam."),
        ],
        fixtures: &[],
    },
    DamRoom {
        id: 2,
        name: "Root Cellar",
        text: "Shelves of empty jars. A brick arch opens to the north.",
        exits: &[("up", HILLSIDE), ("north", 4)],
        deeds: &[
            deed("search shelves", "Behind the jars there is a label: keys are kept with the potter."),
            deed("take matches", "A dry box, eleven left."),
            deed("push arch gate", "The gate swings inward. Cold air comes out of the hill."),
        ],
        fixtures: &[],
    },
    DamRoom {
        id: 4,
        name: "Brick Passage",
        text: "A low vault. Doorways east and west; the passage goes on northward.",
        exits: &[("south", 2), ("west", 5), ("east", 6), ("north", 7)],
        deeds: &[
            deed("listen", "Water, a long way down, and something that ticks."),
            deed("examine floor", "Cart tracks, worn deep, run north."),
        ],
        fixtures: &[],
    },
    DamRoom {
        id: 5,
        name: "Potter's Kiln",
        text: "A round room around a cold kiln.",
        exits: &[("east", 4)],
        deeds: &[
            deed("look in kiln", "Ash, shards, and the handle of a crowbar."),
            deed("take crowbar", "You draw it out of the ash."),
            prize(
                5,
                "pry loose brick with crowbar",
                "The brick comes away. Behind it hangs a brass key, now yours.",
            ),
        ],
        fixtures: &[],
    },
    DamRoom {
        id: 6,
        name: "Lantern Niche",
        text: "A row of hooks, each with the shadow of a lantern burnt into the wall.",
        exits: &[("west", 4)],
        deeds: &[
            deed("unlock cupboard with key", "The brass key turns. One lamp is left inside."),
            deed("take lamp", "It sloshes: there is oil in it."),
            deed("light lamp", "The niche fills with yellow light."),
        ],
        fixtures: &[],
    },
    DamRoom {
        id: 7,
        name: "Clockwork Hall",
        text: "Wheels taller than a house stand in rows. Ways lead off on every side.",
        exits: &[("south", 4), ("west", 8), ("east", 10), ("north", 12)],
        deeds: &[
            deed("examine wheels", "They turn once a minute, all together, with a tick."),
            deed("follow shaft", "The drive shaft leaves the hall to the west, through the wall."),
        ],
        fixtures: &[],
    },
    DamRoom {
        id: 8,
        name: "Cistern",
        text: "Pillars stand in black water. A ladder goes down a dry well.",
        exits: &[("east", 7), ("down", 9)],
        deeds: &[
            deed("examine gauge", "The needle stands at a third. It used to stand at full."),
            deed("test ladder", "Two rungs are gone. The others will hold you."),
        ],
        fixtures: &[],
    },
    DamRoom {
        id: 9,
        name: "Silt Tunnel",
        text: "A drain, knee deep in dried mud.",
        exits: &[("up", 8)],
        deeds: &[
            deed("dig in silt", "Your fingers meet something flat and cold."),
            deed("wash plate", "An enamel plate comes clean: a plan of the waterworks."),
            prize(5, "read plate", "You learn the plan by heart: stair, river, tramway, dam."),
        ],
        fixtures: &[],
    },
    DamRoom {
        id: 10,
        name: "Archive",
        text: "Drawers from floor to ceiling, most of them empty. A door stands open in the north.",
        exits: &[("west", 7), ("north", 11)],
        deeds: &[
            deed("open drawer", "It holds letters about a dam that was never handed over."),
            deed("read letters", "The last one says that the surveyor keeps the spare fuse."),
        ],
        fixtures: &[],
    },
    DamRoom {
        id: 11,
        name: "Counting House",
        text: "A high desk, a stool, a safe without a door.",
        exits: &[("south", 10)],
        deeds: &[
            deed("sit on stool", "From here one sees a ledger under the desk."),
            deed("take ledger", "Heavy, and damp at the edges."),
            deed("read ledger", "Every shift signs for the same two things: lamp oil, and one bolt."),
        ],
        fixtures: &[],
    },
    DamRoom {
        id: 12,
        name: "Whispering Stair",
        text: "A stair winds up and down around a hollow that carries every sound.",
        exits: &[("south", 7), ("up", 13), ("down", 14)],
        deeds: &[
            deed("shout", "The hollow gives it back in pieces, the last one from below."),
            deed("examine handrail", "Polished by hands on the way up, rusted on the way down."),
        ],
        fixtures: &[],
    },
    DamRoom {
        id: 13,
        name: "Observatory",
        text: "A dome with a slit of sky. A telescope on a rusted mount.",
        exits: &[("down", 12)],
        deeds: &[
            deed("turn crank", "The dome moves a hand's breadth toward the north."),
            deed("look through telescope", "The dam again, and a light on it that is not lit."),
            prize(5, "take lens", "The eyepiece unscrews. You keep it."),
        ],
        fixtures: &[],
    },
    DamRoom {
        id: 14,
        name: "Mushroom Terrace",
        text: "Pale caps in steps, like seats of a theatre. Paths go east and north.",
        exits: &[("up", 12), ("east", 16), ("north", 17)],
        deeds: &[
            deed("smell mushrooms", "Earth and aniseed."),
            deed("examine path", "The eastern one is swept, the northern one is wet."),
        ],
        fixtures: &[],
    },
    DamRoom {
        id: 16,
        name: "Salt Chapel",
        text: "Benches and a lectern, cut from one block of salt.",
        exits: &[("west", 14)],
        deeds: &[
            deed("examine lectern", "A ferry token lies in a hollow of the salt."),
            deed("take token", "It has a boat on both sides."),
            deed("ring bell", "One clear note. Nobody comes."),
        ],
        fixtures: &[],
    },
    DamRoom {
        id: 17,
        name: "Ferry Stage",
        text: "Planks over a quick, dark river. A boathouse to the west, a footbridge to the east.",
        exits: &[("south", 14), ("west", 19), ("east", 23)],
        deeds: &[
            deed("put token in slot", "Chains rattle. The footbridge comes down."),
            deed("examine river", "It comes from the north-east, and it is low."),
        ],
        fixtures: &[],
    },
    DamRoom {
        id: 19,
        name: "Boathouse",
        text: "A punt on trestles, bottom up.",
        exits: &[("east", 17)],
        deeds: &[
            deed("look under punt", "A tin box, soldered shut."),
            deed("open tin box with crowbar", "The solder cracks."),
            prize(5, "take medal", "For forty years at the gates. You pin it on."),
        ],
        fixtures: &[],
    },
    DamRoom {
        id: 23,
        name: "Old Tramway",
        text: "Narrow rails on mouldering sleepers. They fork to the north and the east.",
        exits: &[("west", 17), ("north", 26), ("east", 24)],
        deeds: &[
            deed("examine switch", "Set to the north. It does not look as if it had been moved for years."),
            deed("push tram car", "It rolls a yard and stops."),
        ],
        fixtures: &["switch", "tram car"],
    },
    DamRoom {
        id: 24,
        name: "Pumping Station",
        text: "Two beam engines, one of them stripped for parts. A gallery opens to the south.",
        exits: &[("west", 23), ("south", 25)],
        deeds: &[
            deed("examine engines", "Dry bearings. A little oil would not be wasted here."),
            deed("take oil can", "Nearly full."),
        ],
        fixtures: &[],
    },
    DamRoom {
        id: 25,
        name: "Slate Gallery",
        text: "Slabs of slate lean against the walls, chalked with sums.",
        exits: &[("north", 24)],
        deeds: &[
            deed("read slates", "Somebody worked out how far the gates must open. The result is smudged."),
            deed("move slab", "Behind it is a rack with a single tool."),
            prize(5, "take wrench", "A long one, made for a large bolt."),
        ],
        fixtures: &[],
    },
    DamRoom {
        id: 26,
        name: "Deep Canyon",
        text: "Walls of wet rock, and a ledge that follows them. To the east the ledge meets a dam.",
        exits: &[("south", 23), ("east", DAM), ("down", 27)],
        deeds: &[
            deed("look down", "A goat path drops toward the river bed."),
            deed("throw stone", "You count to four before it lands."),
        ],
        fixtures: &["ledge", "loose rock"],
    },
    DamRoom {
        id: DAM,
        name: "Dam",
        text: "The crest of a dam. A control panel with one great bolt, and above it a bubble of green glass, dark.",
        exits: &[("north", LOBBY), ("west", 26), ("down", 21), ("east", 28)],
        deeds: &[
            deed("examine panel", "A bolt, a glass bubble, and the words: NO POWER, NO WATER."),
            deed("turn bolt with wrench", "The wrench fits. The bolt does not care."),
        ],
        fixtures: &["panel", "bolt", "bubble"],
    },
    DamRoom {
        id: 21,
        name: "Dam Base",
        text: "The foot of the dam, where a trickle leaves an iron pipe.",
        exits: &[("up", DAM)],
        deeds: &[
            deed("examine pipe", "Stamped: OUTFLOW. It ought to roar."),
            deed("reach into pipe", "There is something wrapped in oilcloth."),
            prize(10, "take oilcloth bundle", "A silver gauge, with the maker's name. This is worth a lot."),
        ],
        fixtures: &["pipe", "iron grate"],
    },
    DamRoom {
        id: LOBBY,
        name: "Dam Lobby",
        text: "A hall for visitors who never came. Doors lead north, east and south.",
        exits: &[("north", MAINTENANCE), ("south", DAM), ("east", 22)],
        deeds: &[
            deed("read notice board", "Tours on the hour. Ask the surveyor for admission to the machinery."),
            deed("take leaflet", "A drawing of the dam, with both gates open."),
        ],
        fixtures: &["notice board", "ticket window"],
    },
    DamRoom {
        id: 22,
        name: "Survey Office",
        text: "A drawing table under a skylight grown over with ivy.",
        exits: &[("west", LOBBY)],
        deeds: &[
            deed("examine table", "A drawer, stuck."),
            deed("oil drawer", "A drop on each rail, and it slides."),
            deed("take fuse", "A glass fuse, the size of a candle."),
        ],
        fixtures: &[],
    },
    DamRoom {
        id: MAINTENANCE,
        name: "Maintenance Room",
        text: "A fuse box, a rack of hooks, a pipe that drips into a bucket.",
        exits: &[("south", LOBBY)],
        deeds: &[
            deed("open fuse box", "Three sockets. Two are scorched, one is empty."),
            deed("put fuse in box", "It clicks home."),
            prize(5, "throw main switch", "A hum. Far off to the south a green bubble begins to glow."),
        ],
        fixtures: &["fuse box", "rack", "dripping pipe"],
    },
    // The two ways out of the loop. The agent reads of both in `exits` some hundred times and takes neither.
    DamRoom {
        id: 27,
        name: "River Bed",
        text: "Round stones, and a pool that has nowhere to go.",
        exits: &[("up", 26)],
        deeds: &[],
        fixtures: &[],
    },
    DamRoom {
        id: 28,
        name: "Spillway Walk",
        text: "A catwalk along the spillway, to a hand wheel marked LOCK.",
        exits: &[("west", DAM)],
        deeds: &[],
        fixtures: &[],
    },
];

/// The room with this id; every id in the table and in the script is in the table, and a test says so.
pub(super) fn room(id: u32) -> Option<&'static DamRoom> {
    ROOMS.iter().find(|room| room.id == id)
}
