//! The object tree: parents, attributes, properties.
//!
//! Object 0 is "nothing". The standard forbids to ask it anything, but the classics do; it answers as nothing would.

use super::fault::{FaultKind, FaultResult};
use super::memory::MachineMemory;

/// The words of the default properties, before the first object.
const DEFAULTS: u32 = 31;
/// The bytes of an object.
const ENTRY: u32 = 9;
/// Objects and properties of an object have numbers up to these.
const OBJECTS: u16 = 255;
const PROPERTIES: usize = 31;
const ATTRIBUTES: u16 = 32;

/// Which relative of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ObjectRelation {
    Parent = 4,
    Sibling = 5,
    Child = 6,
}

/// A property: its number, where its value is, and how long that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ObjectProperty {
    number: u16,
    at: u32,
    length: u32,
}

impl MachineMemory {
    fn object(&self, object: u16) -> FaultResult<u32> {
        if object == 0 || object > OBJECTS {
            return Err(FaultKind::NoObject(object));
        }
        Ok(u32::from(self.story.objects) + 2 * DEFAULTS + ENTRY * u32::from(object - 1))
    }

    /// A relative of an object, or 0.
    pub(super) fn kin(&self, object: u16, kin: ObjectRelation) -> FaultResult<u16> {
        if object == 0 {
            return Ok(0);
        }
        Ok(self.byte(self.object(object)? + kin as u32)?.into())
    }

    fn set_kin(&mut self, object: u16, kin: ObjectRelation, to: u16) -> FaultResult<()> {
        self.set_byte(self.object(object)? + kin as u32, to as u8)
    }

    /// Takes an object, with all that is in it, out of where it is.
    pub(super) fn remove(&mut self, object: u16) -> FaultResult<()> {
        let parent = self.kin(object, ObjectRelation::Parent)?;
        if parent == 0 {
            return Ok(());
        }
        let after = self.kin(object, ObjectRelation::Sibling)?;
        let mut before = self.kin(parent, ObjectRelation::Child)?;
        if before == object {
            self.set_kin(parent, ObjectRelation::Child, after)?;
        } else {
            // A tree with a circle in it has no end.
            for _ in 0..OBJECTS {
                let next = self.kin(before, ObjectRelation::Sibling)?;
                if next == object || next == 0 {
                    break;
                }
                before = next;
            }
            if self.kin(before, ObjectRelation::Sibling)? != object {
                return Err(FaultKind::DamagedTree(object));
            }
            self.set_kin(before, ObjectRelation::Sibling, after)?;
        }
        self.set_kin(object, ObjectRelation::Parent, 0)?;
        self.set_kin(object, ObjectRelation::Sibling, 0)
    }

    /// Puts an object into another one, before all that is there.
    pub(super) fn insert(&mut self, object: u16, into: u16) -> FaultResult<()> {
        if object == 0 || into == 0 {
            return Ok(());
        }
        self.object(into)?;
        self.remove(object)?;
        let first = self.kin(into, ObjectRelation::Child)?;
        self.set_kin(object, ObjectRelation::Parent, into)?;
        self.set_kin(object, ObjectRelation::Sibling, first)?;
        self.set_kin(into, ObjectRelation::Child, object)
    }

    fn attribute(&self, object: u16, attribute: u16) -> FaultResult<(u32, u8)> {
        if attribute >= ATTRIBUTES {
            return Err(FaultKind::NoAttribute(attribute));
        }
        Ok((self.object(object)? + u32::from(attribute / 8), 0x80 >> (attribute % 8)))
    }

    pub(super) fn has_attribute(&self, object: u16, attribute: u16) -> FaultResult<bool> {
        if object == 0 {
            return Ok(false);
        }
        let (at, bit) = self.attribute(object, attribute)?;
        Ok(self.byte(at)? & bit != 0)
    }

    pub(super) fn set_attribute(&mut self, object: u16, attribute: u16, on: bool) -> FaultResult<()> {
        if object == 0 {
            return Ok(());
        }
        let (at, bit) = self.attribute(object, attribute)?;
        let byte = self.byte(at)?;
        self.set_byte(at, if on { byte | bit } else { byte & !bit })
    }

    /// Where the short name of an object stands, if it has one.
    pub(super) fn name_of(&self, object: u16) -> FaultResult<Option<u32>> {
        if object == 0 {
            return Ok(None);
        }
        let table = self.word(self.object(object)? + 7)?.into();
        Ok((self.byte(table)? > 0).then_some(table + 1))
    }

    /// The property at an address, or none at the end of the list.
    fn property_at(&self, at: u32) -> FaultResult<Option<ObjectProperty>> {
        let size = self.byte(at)?;
        Ok((size != 0).then(|| ObjectProperty {
            number: u16::from(size & 31),
            at: at + 1,
            length: u32::from(size >> 5) + 1,
        }))
    }

    fn first_property(&self, object: u16) -> FaultResult<Option<ObjectProperty>> {
        let table: u32 = self.word(self.object(object)? + 7)?.into();
        let name = 2 * u32::from(self.byte(table)?);
        self.property_at(table + 1 + name)
    }

    fn property(&self, object: u16, number: u16) -> FaultResult<Option<ObjectProperty>> {
        let mut property = self.first_property(object)?;
        // They stand in falling order, each number once.
        for _ in 0..=PROPERTIES {
            match property {
                Some(found) if found.number == number => return Ok(property),
                Some(found) if found.number > number => {
                    property = self.property_at(found.at + found.length)?;
                }
                _ => return Ok(None),
            }
        }
        Err(FaultKind::DamagedProperties(object))
    }

    /// The value of a property: the object's own, or the default.
    pub(super) fn property_value(&self, object: u16, number: u16) -> FaultResult<u16> {
        if object == 0 {
            return Ok(0);
        }
        match self.property(object, number)? {
            Some(ObjectProperty { at, length: 1, .. }) => Ok(self.byte(at)?.into()),
            Some(ObjectProperty { at, .. }) => self.word(at),
            None if (1..=PROPERTIES as u16).contains(&number) => {
                self.word(u32::from(self.story.objects) + 2 * u32::from(number - 1))
            }
            None => Err(FaultKind::NoProperty { object, property: number }),
        }
    }

    pub(super) fn set_property(&mut self, object: u16, number: u16, value: u16) -> FaultResult<()> {
        if object == 0 {
            return Ok(());
        }
        match self.property(object, number)? {
            Some(ObjectProperty { at, length: 1, .. }) => self.set_byte(at, value as u8),
            Some(ObjectProperty { at, .. }) => self.set_word(at, value),
            None => Err(FaultKind::NoProperty { object, property: number }),
        }
    }

    /// Where the value of a property stands; 0 if the object does not have it.
    pub(super) fn property_address(&self, object: u16, number: u16) -> FaultResult<u16> {
        if object == 0 {
            return Ok(0);
        }
        Ok(self.property(object, number)?.map_or(0, |property| property.at as u16))
    }

    /// The length of the property whose value stands there.
    pub(super) fn property_length(&self, value_at: u16) -> FaultResult<u16> {
        match value_at {
            0 => Ok(0),
            at => Ok(u16::from(self.byte(u32::from(at) - 1)? >> 5) + 1),
        }
    }

    /// The number of the property after this one, or of the first one after 0; 0 after the last.
    pub(super) fn next_property(&self, object: u16, number: u16) -> FaultResult<u16> {
        if object == 0 {
            return Ok(0);
        }
        let next = if number == 0 {
            self.first_property(object)?
        } else {
            let here =
                self.property(object, number)?.ok_or(FaultKind::NoProperty { object, property: number })?;
            self.property_at(here.at + here.length)?
        };
        Ok(next.map_or(0, |property| property.number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::zmachine::StoryFile;
    use std::sync::Arc;

    /// Room 1 holds 2, 3 and 4; object 2 has the properties 20 (word) and 7 (byte).
    fn memory() -> MachineMemory {
        let mut bytes = vec![0; 1024];
        bytes[0] = 3;
        for at in [0x06, 0x08, 0x0a, 0x0c] {
            bytes[at + 1] = 64;
        }
        bytes[0x0e] = 2;
        bytes[64 + 2 * 4] = 0x12; // the default of property 5
        let object = |number: usize| 64 + 62 + 9 * (number - 1);
        for (number, [parent, sibling, child]) in
            [(1, [0, 0, 2]), (2, [1, 3, 0]), (3, [1, 4, 0]), (4, [1, 0, 0])]
        {
            bytes[object(number) + 4..object(number) + 7].copy_from_slice(&[parent, sibling, child]);
            bytes[object(number) + 7] = 1;
        }
        bytes[object(2) + 7..object(2) + 9].copy_from_slice(&[1, 0x40]);
        bytes[0x140..0x147].copy_from_slice(&[0, 0x34, 0xab, 0xcd, 7, 9, 0]);
        MachineMemory::new(Arc::new(StoryFile::new(&bytes).unwrap()))
    }

    fn children(memory: &MachineMemory, of: u16) -> Vec<u16> {
        let mut child = memory.kin(of, ObjectRelation::Child).unwrap();
        let mut children = Vec::new();
        while child != 0 {
            children.push(child);
            child = memory.kin(child, ObjectRelation::Sibling).unwrap();
        }
        children
    }

    #[test]
    fn objects_move_about_the_tree() {
        let mut memory = memory();
        memory.remove(3).unwrap();
        assert_eq!(children(&memory, 1), [2, 4]);
        memory.insert(4, 2).unwrap();
        assert_eq!((children(&memory, 1), children(&memory, 2)), (vec![2], vec![4]));
        memory.insert(3, 1).unwrap();
        assert_eq!(children(&memory, 1), [3, 2]);
        assert_eq!(memory.kin(4, ObjectRelation::Parent), Ok(2));
    }

    #[test]
    fn nothing_answers_as_nothing_would() {
        let mut memory = memory();
        assert_eq!(memory.kin(0, ObjectRelation::Child), Ok(0));
        assert_eq!(memory.has_attribute(0, 3), Ok(false));
        assert_eq!(memory.property_value(0, 3), Ok(0));
        assert_eq!(memory.insert(0, 1), Ok(()));
        assert_eq!(memory.kin(256, ObjectRelation::Child), Err(FaultKind::NoObject(256)));
    }

    #[test]
    fn properties_are_found_set_and_counted_through() {
        let mut memory = memory();
        assert_eq!(memory.property_value(2, 20), Ok(0xabcd));
        assert_eq!(memory.property_value(2, 7), Ok(9));
        assert_eq!(memory.property_value(2, 5), Ok(0x1200));
        assert_eq!(memory.property_address(2, 5), Ok(0));
        let at = memory.property_address(2, 20).unwrap();
        assert_eq!(memory.property_length(at), Ok(2));
        assert_eq!([0, 20, 7].map(|number| memory.next_property(2, number).unwrap()), [20, 7, 0]);
        memory.set_property(2, 7, 0x1ff).unwrap();
        assert_eq!(memory.property_value(2, 7), Ok(0xff));
        assert_eq!(memory.set_property(2, 5, 1), Err(FaultKind::NoProperty { object: 2, property: 5 }));
    }

    #[test]
    fn attributes_are_set_and_cleared() {
        let mut memory = memory();
        memory.set_attribute(2, 31, true).unwrap();
        assert_eq!((memory.has_attribute(2, 31), memory.has_attribute(2, 30)), (Ok(true), Ok(false)));
        memory.set_attribute(2, 31, false).unwrap();
        assert_eq!(memory.has_attribute(2, 31), Ok(false));
        assert_eq!(memory.has_attribute(2, 32), Err(FaultKind::NoAttribute(32)));
    }

    #[test]
    fn a_circle_in_the_tree_is_a_fault_and_no_endless_loop() {
        let mut memory = memory();
        memory.set_kin(3, ObjectRelation::Sibling, 2).unwrap();
        assert_eq!(memory.remove(4), Err(FaultKind::DamagedTree(4)));
    }
}
