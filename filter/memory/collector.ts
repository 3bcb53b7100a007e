// The collector of the filter's objects: the runtime that asconfig.json names, instead of one of AssemblyScript's.
//
// It marks what globals reach, and frees the rest. `__collect` is called between callbacks, when no object is on the stack.
// So, as for AssemblyScript's "minimal", the compiler must not write a stack of references: `"stackSize": -1` prevents it.
// Objects are in one list, so making one is a block and three stores.
//
// An object is a header of 16 bytes, whose last half the compiler reads, and its fields:
//   next object and flags | next object whose members are to be visited | class | size of the fields
// First, because the compiler puts the code of the runtime's files before all others.
import "./packed-data";
// @ts-ignore: a file of the compiler
import "rt/tlsf";
import { countObject, startCounting } from "./garbage";
import { allocate, release, sizeOf } from "./heap";

const HEADER: usize = 16;
const CLASS: usize = 8;
const SIZE: usize = 12;

/** Reached in this collection. */
const MARKED: usize = 1;
/** An object of the program's data that is in the list. */
const IS_DATA: usize = 2;
const FLAGS: usize = 3;

/** `ASC_RUNTIME` of the compiler's library, which clears new arrays then (asconfig.json). */
// @ts-ignore: decorator
@lazy const _LIKE_MINIMAL: i32 = 1;

/** The first object of the list. */
let objects: usize = 0;
/** The first object whose members are to be visited. */
let unvisited: usize = 0;

// @ts-ignore: decorator
@global
function __new(size: usize, id: u32): usize {
  const object = allocate(HEADER + size);
  store<usize>(object, objects);
  store<u32>(object, id, CLASS);
  store<u32>(object, <u32>size, SIZE);
  objects = object;
  countObject(HEADER + size);
  return object + HEADER;
}

/** Returns an object with another size of its fields, which has moved unless its block has room. */
// @ts-ignore: decorator
@global
function __renew(fields: usize, size: usize): usize {
  const object = fields - HEADER;
  if (fields >= __heap_base && HEADER + size + sizeof<usize>() <= sizeOf(object)) {
    store<u32>(object, <u32>size, SIZE);
    return fields;
  }
  const moved = __new(size, load<u32>(object, CLASS));
  memory.copy(moved, fields, min<usize>(size, load<u32>(object, SIZE)));
  return moved;
}

// @ts-ignore: decorator
@global
function __link(_parent: usize, _child: usize, _expectMultiple: bool): void {}

/** Marks an object; the compiler's visitors call it for each reference. */
// @ts-ignore: decorator
@global
function __visit(fields: usize, _cookie: u32): void {
  if (fields == 0) return;
  const object = fields - HEADER;
  let info = load<usize>(object);
  if (info & MARKED) return;
  // The program's data is in the list while it is reached, so that its mark is removed too.
  if (fields < __heap_base && !(info & IS_DATA)) {
    info = objects | IS_DATA;
    objects = object;
  }
  store<usize>(object, info | MARKED);
  store<usize>(object, unvisited, sizeof<usize>());
  unvisited = object;
}

// @ts-ignore: decorator
@global
function __collect(): void {
  __visit_globals(0);
  while (unvisited != 0) {
    const object = unvisited;
    unvisited = load<usize>(object, sizeof<usize>());
    __visit_members(object + HEADER, 0);
  }
  let kept: usize = 0;
  let left: usize = 0;
  for (let object = objects; object != 0;) {
    const info = load<usize>(object);
    if (info & MARKED) {
      store<usize>(object, kept | (info & IS_DATA));
      kept = object;
      left += HEADER + load<u32>(object, SIZE);
    } else if (info & IS_DATA) {
      store<usize>(object, 0);
    } else {
      release(object);
    }
    object = info & ~FLAGS;
  }
  objects = kept;
  startCounting(left);
}
