/** Lists whose members may be made where they are looked at, so that very many are never held at once. Arrays are such lists. */
export interface List<Member> extends Iterable<Member> {
  readonly length: number;
  /** The member at a place from 0; undefined beyond the end. */
  at(place: number): Member | undefined;
}

/** A list that holds none of its members: `make` makes the one at a place, anew each time. */
export function listOf<Member>(length: number, make: (place: number) => Member): List<Member> {
  return {
    length,
    at: (place) => (place >= 0 && place < length ? make(place) : undefined),
    *[Symbol.iterator]() {
      for (let place = 0; place < length; place++) yield make(place);
    },
  };
}

/** The members of a list as something else. */
export function mapped<From, To>(list: List<From>, change: (member: From, place: number) => To): List<To> {
  return listOf(list.length, (place) => change(list.at(place) as From, place));
}

/** Each member after its place. */
export function* numbered<Member>(list: List<Member>): Generator<[number, Member]> {
  let place = 0;
  for (const member of list) yield [place++, member];
}
