//! Uniqueness of the elements of a list.

use serde_json::Value;

use super::{Reader, SEE};
use crate::model::{Check, Rule, RuleKeywords, Rules, Ty, Unique};
use crate::pointer::Pointer;

/// The keyword of a list whose repeated elements are reported without their key.
const AT_ELEMENT: &str = "x-repeats-at-element";

impl Reader<'_> {
    /// Reads the rule that the elements of a list differ.
    pub(super) fn unique(
        &mut self,
        ty: &Ty,
        rule_keywords: &RuleKeywords,
        rules: &mut Rules,
        pointer: &Pointer,
    ) {
        let keys = |name: &str| -> Vec<String> {
            let keys = rule_keywords.keywords.get(name).and_then(Value::as_array);
            let texts = keys.into_iter().flatten().filter_map(Value::as_str);
            texts.map(str::to_owned).collect()
        };
        for name in ["x-unique-keys", "x-kubernetes-list-map-keys"] {
            if let Some(value) = rule_keywords.keywords.get(name)
                && keys(name).is_empty()
            {
                self.wrong::<()>(name, value, "a list of names", pointer);
            }
        }
        let mut flag = |name: &str| {
            let value = rule_keywords.keywords.get(name);
            value.is_some_and(|value| self.flag(name, value, pointer))
        };
        let allowed = flag("x-repeats-allowed");
        let at_element = flag(AT_ELEMENT);
        let unique_keys = keys("x-unique-keys");
        let map_keys = keys("x-kubernetes-list-map-keys");
        let list_type = rule_keywords.keywords.get("x-kubernetes-list-type");
        let unique_items = rule_keywords.keywords.get("uniqueItems") == Some(&Value::Bool(true));
        let found = match list_type.and_then(Value::as_str) {
            _ if allowed => None,
            _ if !unique_keys.is_empty() => Some((
                "x-unique-keys",
                Unique::Keys {
                    keys: unique_keys,
                    leaves_repeats: true,
                    at_element,
                },
            )),
            Some("map") if !map_keys.is_empty() => Some((
                "x-kubernetes-list-map-keys",
                Unique::Keys {
                    keys: map_keys,
                    leaves_repeats: false,
                    at_element,
                },
            )),
            Some("set") => Some(("x-kubernetes-list-type", Unique::Whole)),
            _ if unique_items => Some(("uniqueItems", Unique::Whole)),
            _ => None,
        };
        let unique = found.as_ref().map(|(_, unique)| unique);
        self.only_of_one_key(at_element, unique, pointer);
        let Some((keyword, unique)) = found else {
            return;
        };
        let Ty::List(item) = ty else {
            let value = rule_keywords.keywords.get(keyword);
            if let Some(value) = value.filter(|_| keyword != "x-kubernetes-list-type") {
                self.unfit(keyword, value, pointer);
            }
            return;
        };
        if self.can_differ(item, &unique, pointer) {
            rules.list.push(Rule {
                keyword,
                check: Check::Unique(unique),
            });
        }
    }

    /// Reports [`AT_ELEMENT`] where repeats are reported at the element anyway, or not at all.
    fn only_of_one_key(&mut self, at_element: bool, unique: Option<&Unique>, pointer: &Pointer) {
        let is_of_one = matches!(unique, Some(Unique::Keys { keys, .. }) if keys.len() == 1);
        if at_element && (!is_of_one || self.version.is_custom) {
            let message = format!("`{AT_ELEMENT}` has no effect here");
            let help = "remove it: it is for a list that isn't of a custom resource and whose \
                        elements have one key";
            self.report(pointer, message, help);
        }
    }

    /// Returns true if elements of a type can be compared so; the keys that identify them are
    /// fields of theirs.
    fn can_differ(&mut self, item: &Ty, unique: &Unique, pointer: &Pointer) -> bool {
        match unique {
            Unique::Whole => *item == Ty::String || self.version.own_enum(item).is_some(),
            Unique::Keys { keys, .. } => {
                let Some((_, object)) = self.version.own_struct(item) else {
                    return false;
                };
                let missing: Vec<_> = keys
                    .iter()
                    .filter(|key| object.field(key).is_none())
                    .collect();
                for key in &missing {
                    let key = key.escape_debug();
                    let message = format!("`{key}` isn't a property of the elements");
                    self.report(pointer, message, SEE);
                }
                missing.is_empty()
            }
        }
    }
}
