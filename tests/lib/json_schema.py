#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""json_schema.py FOLDER FILE...: each file holds one JSON document of lunsweep, which is held to the schema in
FOLDER that its member "format" names. Then it is made wrong, in each place of a different kind, and every wrong
document must be refused: a schema that takes anything proves nothing. Members of a schema that no document has are told,
too: a schema that is ahead of the program, or behind it, is wrong. Prints "NAME: N wrong documents" for each schema."""
import copy
import json
import os
import sys

import jsonschema


def refuse(name):
    raise ValueError(f"{name} is no JSON")


def unique(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError(f"a member twice: {[k for k, _ in pairs]}")
    return members


def load(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f, parse_constant=refuse, object_pairs_hook=unique)


def places(value, path=()):
    """All places of a document: the path, and what is there."""
    yield path, value
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield from places(member, path + (key,))


def kind(path):
    """Places that differ in an index only are of one kind."""
    return tuple("*" if isinstance(key, int) else key for key in path)


def put(doc, path, change):
    """A copy of the document with one place changed."""
    wrong = copy.deepcopy(doc)
    parent = wrong
    for key in path[:-1]:
        parent = parent[key]
    change(parent, path[-1])
    return wrong


def remove(parent, key):
    del parent[key]


def spoil(parent, key):
    parent[key] = {"no_such_member": [None]}


def wrongs(doc, optional):
    seen = set()
    for path, value in places(doc):
        if not path or kind(path) in seen:
            continue
        seen.add(kind(path))
        yield path, "another type", put(doc, path, spoil)
        if isinstance(path[-1], str) and path[-1] not in optional and "facts" not in path:
            yield path, "left out", put(doc, path, remove)
        if isinstance(value, dict):
            yield path, "a member too many", put(doc, path, lambda p, k: p[k].update(no_such_member={}))


def shortened(value):
    """The document with the beginning, middle and end of long lists: wrong ones are made of it."""
    if isinstance(value, dict):
        return {key: shortened(member) for key, member in value.items()}
    if isinstance(value, list) and len(value) > 4:
        value = [value[0], value[1], value[len(value) // 2], value[-1]]
    return [shortened(member) for member in value] if isinstance(value, list) else value


def schema_members(schema):
    """All names of members that a schema has."""
    names = set()
    for _, value in places(schema):
        if isinstance(value, dict) and isinstance(value.get("properties"), dict):
            names |= set(value["properties"])
    return names


def optional_members(schema):
    """Names that an object of the schema may be without."""
    names = set()
    for _, value in places(schema):
        if isinstance(value, dict) and isinstance(value.get("properties"), dict) and "required" in value:
            names |= set(value["properties"]) - set(value["required"])
    return names


def check(validator, doc, path):
    errors = sorted(validator.iter_errors(doc), key=lambda e: len(e.absolute_path))
    for error in errors[:3]:
        print(f"{path}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
    return not errors


def main(folder, files):
    schemas = {}
    tried = {}
    members = {}
    ok = True
    for name in sorted(os.listdir(folder)):
        schema = load(os.path.join(folder, name))
        jsonschema.Draft202012Validator.check_schema(schema)
        schemas[schema["properties"]["format"]["const"]] = schema
        if f"lunsweep-{name}" != schema["properties"]["format"]["const"] + ".schema.json":
            print(f"{name}: is named otherwise than its format")
            ok = False
    for path in files:
        doc = load(path)
        schema = schemas[doc["format"]]
        validator = jsonschema.Draft202012Validator(schema)
        if not check(validator, doc, path):
            ok = False
            continue
        members.setdefault(doc["format"], set()).update(
            key for place, _ in places(doc) for key in place[-1:] if isinstance(key, str))
        known = tried.setdefault(doc["format"], set())
        for place, what, wrong in wrongs(shortened(doc), optional_members(schema)):
            if (kind(place), what) in known:
                continue
            known.add((kind(place), what))
            if validator.is_valid(wrong):
                print(f"{path}: {what} at {'/'.join(map(str, place))} is not refused")
                ok = False
    for name, schema in schemas.items():
        unseen = schema_members(schema) - members.get(name, set())
        if unseen:
            print(f"{name}: in no document: {', '.join(sorted(unseen))}")
            ok = False
        print(f"{name}: {len(tried.get(name, ()))} wrong documents")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
