/** What plugins that read GA4GH phenopackets (versions 1 and 2, as JSON) have in common. */

type PacketMembers = { readonly [member: string]: unknown };

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
  /** The members of what contains the packets beside these, for `unusedMembers`. */
  rest: PacketMembers;
  /** Of a Family, which is at `family`. */
  pedigree?: unknown;
  family?: readonly string[];
}

function isMembers(value: unknown): value is PacketMembers {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isFamily(value: PacketMembers): boolean {
  return isMembers(value.proband);
}

function isCohort(value: PacketMembers): boolean {
  return Array.isArray(value.members);
}

/** Of version 1, in which it contains what it is about. */
function isInterpretation({ subject, phenopacket, family }: PacketMembers): boolean {
  return subject === undefined && (isMembers(phenopacket) || isMembers(family));
}

/** Whether a value is a Family, a Cohort or an Interpretation of version 1, which contain phenopackets. */
export function hasPackets(value: unknown): boolean {
  return isMembers(value) && (isFamily(value) || isCohort(value) || isInterpretation(value));
}

/**
 * The phenopackets of a Family, a Cohort or an Interpretation of version 1; any other value is one itself. The diagnoses of
 * an Interpretation become interpretations, as of version 2, of the patient.
 */
export function packetContent(value: unknown): PacketContent {
  if (isMembers(value) && isInterpretation(value)) return interpreted(value);
  if (isMembers(value) && isFamily(value)) {
    const { proband, relatives, pedigree, ...rest } = value;
    const others = (Array.isArray(relatives) ? relatives : []).map((packet: unknown, i) => ({
      packet,
      place: ['relatives', i],
      isRelative: true,
    }));
    return {
      packets: [{ packet: proband, place: ['proband'], isRelative: false }, ...others],
      rest,
      pedigree,
      family: [],
    };
  }
  if (isMembers(value) && isCohort(value)) {
    const { members, ...rest } = value;
    const packets = (members as unknown[]).map((packet, i) => ({ packet, place: ['members', i], isRelative: false }));
    return { packets, rest };
  }
  return { packets: [{ packet: value, place: [], isRelative: false }], rest: {} };
}

/** The numbers of version 1, which differ from those of version 2. */
const resolutionStatus = ['UNKNOWN', 'SOLVED', 'UNSOLVED', 'IN_PROGRESS'];
const status = ['UNKNOWN', 'REJECTED', 'CANDIDATE', 'CAUSATIVE'];

function interpreted(value: PacketMembers): PacketContent {
  const member = isMembers(value.family) ? 'family' : 'phenopacket';
  const { [member]: about, diagnosis, resolutionStatus: camel, resolution_status: snake, ...rest } = value;
  const progressStatus = enumName(resolutionStatus, camel ?? snake);
  const interpretations = (Array.isArray(diagnosis) ? diagnosis : []).map((each) => ({
    ...(progressStatus !== undefined && { progressStatus }),
    diagnosis: isMembers(each) ? diagnosisOf(each) : each,
  }));
  const content = packetContent(about);
  const packets = content.packets.map((placed): PlacedPacket => {
    const place = [member, ...placed.place];
    const { packet, isRelative } = placed;
    if (isRelative || !isMembers(packet) || interpretations.length === 0) return { ...placed, place };
    const own = Array.isArray(packet.interpretations) ? packet.interpretations : [];
    return { isRelative, place, packet: { ...packet, interpretations: [...own, ...interpretations] } };
  });
  return { ...content, packets, rest: { ...content.rest, ...rest }, family: [member] };
}

/** A diagnosis of version 1 in the form of version 2. */
function diagnosisOf({
  disease,
  genomicInterpretations,
  genomic_interpretations,
  ...rest
}: PacketMembers): PacketMembers {
  const { term, ...more } = isMembers(disease) ? disease : { term: disease };
  const calls = genomicInterpretations ?? genomic_interpretations;
  return {
    ...rest,
    ...more,
    ...(term !== undefined && { disease: term }),
    ...(Array.isArray(calls) && {
      genomicInterpretations: calls.map((call) => (isMembers(call) ? callOf(call) : call)),
    }),
  };
}

function callOf({ status: stated, gene, variant, ...rest }: PacketMembers): PacketMembers {
  const { id: valueId, ...named } = isMembers(gene) ? gene : {};
  const { vcfAllele, vcf_allele, zygosity: allelicState, ...more } = isMembers(variant) ? variant : {};
  const { chr: chrom, ...allele } = (vcfAllele ?? vcf_allele ?? {}) as PacketMembers;
  const variationDescriptor = { ...more, vcfRecord: { ...allele, chrom }, allelicState };
  return {
    ...rest,
    interpretationStatus: enumName(status, stated),
    ...(isMembers(gene) && { gene: { valueId, ...named } }),
    ...(isMembers(variant) && { variantInterpretation: { variationDescriptor } }),
  };
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
