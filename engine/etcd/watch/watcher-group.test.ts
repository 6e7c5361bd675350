import fc from "fast-check";
import { expect, it } from "vitest";
import { contains, type Span } from "../mvcc/span.ts";
import { WatcherGroup } from "./watcher-group.ts";

const letters = fc.string({ unit: fc.constantFrom("a", "b", "\0", "\xff"), minLength: 1, maxLength: 3 });
const span: fc.Arbitrary<Span> = fc.record({
  key: letters,
  rangeEnd: fc.oneof(fc.constant(""), fc.constant("\0"), letters),
});

it("finds just those that hold a key, whatever was added and taken out", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(span, fc.boolean())), fc.array(letters), (added, keys) => {
      const group = new WatcherGroup<Span>();
      const inside = new Set<Span>();
      for (const [one, stays] of added) {
        group.add(one);
        inside.add(one);
        const found = new Set<Span>();
        group.each("a", (each) => found.add(each));
        expect(found.has(one)).toBe(contains(one, "a"));
        if (stays) continue;
        group.delete(one);
        inside.delete(one);
      }
      for (const key of keys) {
        const found: Span[] = [];
        group.each(key, (each) => found.push(each));
        expect(found).toHaveLength(new Set(found).size);
        expect(new Set(found)).toEqual(new Set([...inside].filter((each) => contains(each, key))));
      }
    }),
  );
});
