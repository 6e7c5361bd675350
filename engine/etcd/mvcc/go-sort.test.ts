import { describe, expect, it } from "vitest";
import { goSort, SHIFTS_GO_1_19, SHIFTS_GO_1_21 } from "./go-sort.ts";

/** Figures and places as one letter each. */
const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-_*@#$";

/** What Go 1.19.8 and 1.26.8 made of lists with ties: figures, the places that they had before, whether downwards. */
const SORTED: readonly {
  readonly figures: string;
  readonly down: boolean;
  readonly old: string;
  readonly now: string;
}[] = [
  {
    figures: "0123456789abcde0123456789abcde0123456789abcde0",
    down: true,
    old: "IteHsdcGrFqbEap9Do8Cnm7Bl6Azk5y4jix3w2hgv1fu0J",
    now: "IteHsdcGrFqbEap9Do8Cnm7Bl6Azk5y4jix3w2hgv1fu0J",
  },
  { figures: "211111110000000", down: false, old: "8edcba937654210", now: "8edcba937654210" },
  { figures: "2111111111000000000", down: false, old: "aihgfedcb4987653210", now: "aihgfedcb4987653210" },
  {
    figures: "000011122223334445555666777",
    down: true,
    old: "oqplnmkjihegfcbd7a986540321",
    now: "oqplnmkjihegfcbd7a986540321",
  },
  {
    figures: "03000111122222333344445555566667777388889999aaaa",
    down: false,
    old: "02348567ad9bcfe1ghzijklonpqmrstuvwxyABCDEFGHIJKL",
    now: "02348567ad9bcfe1ghzijklonpqmrstuvwxyABCDEFGHIJKL",
  },
  { figures: "00000001111111", down: true, old: "7dcba983654021", now: "7dcba983654021" },
  {
    figures: "1656615263235444001422342401204111455340260026121064360430622044",
    down: true,
    old: "F1W34ROJ8c62zAef+dTjyP-nupCbBU9mQYkXslIaEoL7MvK50irxwNStDVqHhZgG",
    now: "F1W34ROJ8c62zAef+dTjyP-nupCbBU9mQYkXslIaEoL7MvK50irxwNStDVqHhZgG",
  },
  {
    figures: "000000001111111222222233333334444444555555566666667777777",
    down: true,
    old: "OUTSRQPHNMLKJIDAFEGCBtzyxwvurmsqponflkjihge8dcba907654321",
    now: "OUTSRQPHNMLKJIDAFEGCBtzyxwvurmsqponflkjihge8dcba907654321",
  },
  { figures: "00000000001111111111", down: true, old: "fdigecbajh7651403928", now: "fcjihgedab5197608432" },
  {
    figures: "000000000000011111111111112222222222222333333333333",
    down: true,
    old: "DNIMLKJOHGFEBCqAzyxwvutsrodpnmlkjihgfe7cba980654321",
    now: "DONMLKJIHGFEuBqAzyxwvCtsrodpnmlkjihgfe7cba980654321",
  },
  {
    figures: "4245c1bb8139a8aa222732cb8c9376045b67386562662c5562c7a92",
    down: false,
    old: "u59iI1FNSlhgakrA0v2D3LwKHyEGMtCPszjod8BqRbeQfc7x6nJmOp4",
    now: "u59iFSlN1hgIkraA0v2LwK3DHGCyMtEsPjz8dBoqRbeQfc7x6nJmOp4",
  },
  {
    figures: "0000000000001000000101111111111111111",
    down: false,
    old: "i920456781abkdefgh3zlcmnopqrstuvwxyjA",
    now: "i9234k6780ab5defgh1jclmnopqrstuvwxyzA",
  },
];

const sorted = (figures: string, down: boolean, shifts: typeof SHIFTS_GO_1_19): string => {
  const rows = Array.from(figures, (figure, place) => ({ figure: DIGITS.indexOf(figure), place }));
  goSort(rows, (a, b) => (down ? b.figure < a.figure : a.figure < b.figure), shifts);
  return rows.map(({ place }) => DIGITS[place]).join("");
};

describe("what compares as equal", () => {
  for (const { figures, down, old, now } of SORTED)
    it(`${figures} ${down ? "downwards" : "upwards"} is left as Go leaves it`, () => {
      expect([sorted(figures, down, SHIFTS_GO_1_19), sorted(figures, down, SHIFTS_GO_1_21)]).toEqual([old, now]);
    });

  it("keeps its order among twelve", () => {
    expect(sorted("121212121212", false, SHIFTS_GO_1_19)).toBe("02468a13579b");
  });
});

it("any list comes out sorted, with every row once", () => {
  for (let length = 0; length < 400; length += 7) {
    const rows = Array.from({ length }, (_, i) => (i * 7_919) % (1 + (length % 23)));
    const result = [...rows];
    goSort(result, (a, b) => a < b, SHIFTS_GO_1_21);
    expect(result).toEqual(rows.toSorted((a, b) => a - b));
  }
});
