/** What plugins that read GA4GH phenopackets (versions 1 and 2, as JSON) have in common. */

type Members = { readonly [member: string]: unknown };

/** The numbers of protobuf's enums, which its JSON allows in place of their names. */
export const packetEnums = {
  sex: ['UNKNOWN_SEX', 'FEMALE', 'MALE', 'OTHER_SEX'],
  progressStatus: ['UNKNOWN_PROGRESS', 'IN_PROGRESS', 'COMPLETED', 'SOLVED', 'UNSOLVED'],
  interpretationStatus: ['UNKNOWN_STATUS', 'REJECTED', 'CANDIDATE', 'CONTRIBUTORY', 'CAUSATIVE'],
  affectedStatus: ['MISSING', 'UNAFFECTED', 'AFFECTED'],
} as const;

/** The name of an enum's value that is given by its number; anything else as it is. */
export function enumName(names: readonly string[], value: unknown): unknown {
  return typeof value === 'number' ? (names[value] ?? value) : value;
}

/** A phenopacket, and where it is in what contains it. */
export interface PlacedPacket {
  packet: unknown;
  place: (string | number)[];
  /** Whether it is of a relative of the patient. */
  isRelative: boolean;
}

export interface PacketContent {
  packets: PlacedPacket[];
  /** The members of a Family or a Cohort beside its packets, for `unusedMembers`. */
  rest: Members;
  /** Of a Family. */
  pedigree?: unknown;
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isPacketFamily(value: unknown): boolean {
  return isMembers(value) && isMembers(value.proband);
}

export function isPacketCohort(value: unknown): boolean {
  return isMembers(value) && Array.isArray(value.members);
}

/** The phenopackets of a Family or a Cohort; any other value is one itself. */
export function packetContent(value: unknown): PacketContent {
  if (isMembers(value) && isPacketFamily(value)) {
    const { proband, relatives, pedigree, ...rest } = value;
    const others = (Array.isArray(relatives) ? relatives : []).map((packet: unknown, i) => ({
      packet,
      place: ['relatives', i],
      isRelative: true,
    }));
    return { packets: [{ packet: proband, place: ['proband'], isRelative: false }, ...others], rest, pedigree };
  }
  if (isMembers(value) && isPacketCohort(value)) {
    const { members, ...rest } = value;
    const packets = (members as unknown[]).map((packet, i) => ({ packet, place: ['members', i], isRelative: false }));
    return { packets, rest };
  }
  return { packets: [{ packet: value, place: [], isRelative: false }], rest: {} };
}

/** Members that a reader uses: `true` with all that they contain. Those of a list are those of its items. */
export interface UsedMembers {
  readonly [member: string]: true | UsedMembers;
}

const mostUnused = 50;

/** Paths of the members that a reader does not use and that say something: `subject.dateOfBirth`. At most 50. */
export function unusedMembers(value: unknown, used: UsedMembers, into = new Set<string>(), path = ''): Set<string> {
  if (Array.isArray(value)) for (const item of value) unusedMembers(item, used, into, path);
  else if (isMembers(value)) {
    for (const [member, content] of Object.entries(value)) {
      if (into.size >= mostUnused) return into;
      const known = Object.hasOwn(used, member) ? used[member] : undefined;
      const at = path === '' ? member.slice(0, 60) : `${path}.${member.slice(0, 60)}`;
      if (known === undefined && !isEmpty(content)) into.add(at);
      else if (known !== undefined && known !== true) unusedMembers(content, known, into, at);
    }
  }
  return into;
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isEmpty);
  if (isMembers(value)) return Object.values(value).every(isEmpty);
  return value === undefined || value === null || value === '';
}
