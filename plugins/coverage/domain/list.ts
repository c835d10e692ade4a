/** A list that may create each member when it is read, so that very many never exist at once. Arrays are such lists. */
export interface List<Member> extends Iterable<Member> {
  readonly length: number;
  /** The member at an index from 0; undefined beyond the end. */
  at(place: number): Member | undefined;
}

/** A list that holds no members: `make` creates the one at an index each time it is read. */
export function listOf<Member>(length: number, make: (place: number) => Member): List<Member> {
  return {
    length,
    at: (place) => (place >= 0 && place < length ? make(place) : undefined),
    *[Symbol.iterator]() {
      for (let place = 0; place < length; place++) yield make(place);
    },
  };
}

/** The list with each member changed when it is read. */
export function mapped<From, To>(list: List<From>, change: (member: From, place: number) => To): List<To> {
  return listOf(list.length, (place) => change(list.at(place) as From, place));
}

/** Pairs of index and member. */
export function* numbered<Member>(list: List<Member>): Generator<[number, Member]> {
  let place = 0;
  for (const member of list) yield [place++, member];
}
