/**
 * GA4GH phenopackets (versions 1 and 2, JSON) as facts about samples: a file with one, a Family, a Cohort, an Interpretation of
 * version 1 or a list of these, or a folder of such files.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Mistakes } from '../../../../core/commands.js';
import {
  enumName,
  Fault,
  packetContent,
  packetEnums,
  type UsedMembers,
  unusedMembers,
} from '../../../../core/plugin.js';
import { type FactWords, readFacts, type StatedFacts } from '../../domain/facts.js';
import { distinctTerms, mostTerms, type OntologyTerm, type Sex, wrongWithTerm } from '../../domain/sample.js';
import { lineOfValue, linesOfJson, pathText, readText } from './text.js';

const text = (what: string) => z.string({ error: `must be ${what}` });

const term = z
  .object({ id: text('the id of a term'), label: text('text').optional() }, { error: 'must be an ontology term' })
  .transform(({ id, label }): OntologyTerm => {
    const line = label?.trim();
    return { id, ...(line && { label: line }) };
  })
  .superRefine((stated, context) => {
    const wrong = wrongWithTerm(stated);
    if (wrong) context.addIssue({ code: 'custom', message: wrong });
  });

const truth = z.boolean({ error: 'must be true or false' }).optional();

function listSchema<Item extends z.ZodType>(item: Item) {
  return z.array(item, { error: 'must be a list' }).optional();
}

const sexWords = packetEnums.sex;

/** A value of an enum by its name or its number. */
function enumSchema(names: readonly string[]) {
  const numbers = names.map((_, number) => number);
  return z.literal([...names, ...numbers], { error: `must be one of ${[...names].sort().join(', ')}` }).optional();
}

const sexWord = enumSchema(sexWords);

/** What is read of a phenopacket; other members are named in a warning. */
const packetSchema = z.object(
  {
    subject: z.object(
      {
        id: text('the name of a sample').trim().min(1, 'must be the name of a sample'),
        sex: sexWord,
      },
      { error: 'must be an individual' },
    ),
    phenotypicFeatures: listSchema(
      z.object({ type: term, excluded: truth, negated: truth }, { error: 'must be a phenotypic feature' }),
    ),
    diseases: listSchema(z.object({ term, excluded: truth }, { error: 'must be a disease' })),
    interpretations: listSchema(
      z.object(
        {
          progressStatus: z.union([z.string(), z.int()], { error: 'must be a status' }).optional(),
          diagnosis: z.object({ disease: term.optional() }, { error: 'must be a diagnosis' }).optional(),
        },
        { error: 'must be an interpretation' },
      ),
    ),
    phenotypic_features: z.undefined({ error: 'is not read: members of a phenopacket are in camel case' }).optional(),
  },
  { error: 'must be a phenopacket' },
);

type Packet = z.output<typeof packetSchema>;

const familySchema = z.object(
  {
    persons: listSchema(
      z.object(
        {
          familyId: text('the id of the family').optional(),
          individualId: text('the id of an individual').trim().optional(),
          sex: sexWord,
          affectedStatus: enumSchema(packetEnums.affectedStatus),
        },
        { error: 'must be a person' },
      ),
    ),
  },
  { error: 'must be a pedigree' },
);

type PedigreePerson = NonNullable<z.output<typeof familySchema>['persons']>[number];

const usedMembers: UsedMembers = {
  id: true,
  metaData: true,
  subject: { id: true, sex: true },
  phenotypicFeatures: { type: true, excluded: true, negated: true },
  diseases: { term: true, excluded: true },
  interpretations: { id: true, progressStatus: true, diagnosis: { disease: true } },
};
const usedOfFamily: UsedMembers = {
  id: true,
  description: true,
  metaData: true,
  pedigree: { persons: { familyId: true, individualId: true, sex: true, affectedStatus: true } },
};

/** Interpretations with one of these states name a disease that the person has. */
const concluded = ['SOLVED', 'COMPLETED'];

/** Of the sex there are no more words than ours; one that is not stated says nothing. */
const sexOf: Readonly<Record<(typeof sexWords)[number], { sex?: Sex }>> = {
  FEMALE: { sex: 'female' },
  MALE: { sex: 'male' },
  OTHER_SEX: { sex: 'unknown' },
  UNKNOWN_SEX: {},
};

function statedSex(sex: string | number | undefined): { sex?: Sex } {
  const name = sexWords.find((word) => word === enumName(sexWords, sex));
  return name ? sexOf[name] : {};
}

/** The family, sex and affection that a pedigree states of a person, in the words of facts. */
function factsOfPerson({ familyId, sex, affectedStatus }: PedigreePerson): FactWords {
  const affected = { AFFECTED: 'yes', UNAFFECTED: 'no' }[String(enumName(packetEnums.affectedStatus, affectedStatus))];
  return {
    ...(familyId && { case_id: familyId }),
    ...statedSex(sex),
    ...(affected && { affected }),
  };
}

function factsOfPacket({ subject: { sex }, phenotypicFeatures, diseases, interpretations }: Packet): StatedFacts {
  const features = phenotypicFeatures?.flatMap(({ type, excluded, negated }) => (excluded || negated ? [] : [type]));
  const diagnoses = interpretations?.flatMap(({ progressStatus = '', diagnosis }) =>
    concluded.includes(String(enumName(packetEnums.progressStatus, progressStatus))) && diagnosis?.disease
      ? [diagnosis.disease]
      : [],
  );
  const present = diseases?.flatMap(({ term: disease, excluded }) => (excluded ? [] : [disease]));
  return {
    ...statedSex(sex),
    ...(features && { phenotypes: distinctTerms(features) }),
    ...((present || diagnoses) && { diseases: distinctTerms([...(present ?? []), ...(diagnoses ?? [])]) }),
  };
}

/** A file with phenopackets. */
export interface PacketFile {
  /** In a folder, its name; messages about a file of its own have it already. */
  name?: string;
  text(): Promise<string>;
}

/** The files of a folder, by name. */
export async function packetFilesIn(folder: string, warn: (sentence: string) => void): Promise<PacketFile[]> {
  const all = (await readdir(folder)).sort();
  const names = all.filter((name) => /\.json(\.gz)?$/i.test(name));
  const left = all.filter((name) => /\.ya?ml(\.gz)?$/i.test(name));
  if (left.length > 0) warn(`${folder}: files in YAML are not read (${left.length}); phenopackets are read as JSON`);
  if (names.length > 0) return names.map((name) => ({ name, text: () => readText(join(folder, name)) }));
  throw new Fault('unprocessable', `${folder}: the folder has no phenopacket (*.json)`);
}

/**
 * What phenopackets say of samples that are among `there`: the subject's id is the sample's name. Excluded phenotypes and
 * diseases are left out; a member that a packet omits says nothing. The pedigree of a Family says who is affected. What is not used
 * is passed to `warn`, as sentences. Throws an `unprocessable` fault that names every mistake
 * with its file, line and member; messages call the file or folder `path`.
 */
export async function readPhenopackets(
  path: string,
  files: readonly PacketFile[],
  there: ReadonlySet<string>,
  warn: (sentence: string) => void,
): Promise<Map<string, StatedFacts>> {
  const mistakes = new Mistakes(path);
  const unused = new Set<string>();
  let relatives = 0;
  const all = new Map<string, StatedFacts>();
  const places = new Map<string, () => string>();
  for (const { name, text: read } of files) {
    const content = await read();
    let lines: Map<string, number> | undefined;
    const place = (at: readonly PropertyKey[]) => {
      lines ??= linesOfJson(content);
      const member = pathText(at).replace(/^\./, '');
      return [...(name ? [name] : []), `line ${lineOfValue(lines, at)}`, ...(member ? [member] : [])].join(', ');
    };
    const contents = packetsIn(content, name ? join(path, name) : path).map(({ packet, base }) => {
      const { packets, rest, pedigree, family = [] } = packetContent(packet);
      unusedMembers({ ...rest, pedigree }, usedOfFamily, unused);
      return {
        packets: packets.map((each) => ({ ...each, base: [...base, ...each.place] })),
        pedigree,
        base: [...base, ...family],
      };
    });
    for (const { pedigree, base } of contents) {
      const checked = familySchema.optional().safeParse(pedigree);
      if (!checked.success) {
        for (const { path: at, message } of checked.error.issues)
          mistakes.add(place([...base, 'pedigree', ...at]), message);
        continue;
      }
      for (const [i, person] of (checked.data?.persons ?? []).entries()) {
        const { individualId = '' } = person;
        if (!there.has(individualId)) continue;
        const read = readFacts(factsOfPerson(person));
        if ('facts' in read) all.set(individualId, { ...all.get(individualId), ...read.facts });
        else for (const { reason } of read.wrong) mistakes.add(place([...base, 'pedigree', 'persons', i]), reason);
      }
    }
    for (const { packet, base, isRelative } of contents.flatMap(({ packets }) => packets)) {
      unusedMembers(packet, usedMembers, unused);
      const checked = packetSchema.safeParse(packet);
      if (!checked.success) {
        for (const { path: at, message } of checked.error.issues) mistakes.add(place([...base, ...at]), message);
        continue;
      }
      const { id } = checked.data.subject;
      const named = () => place([...base, 'subject', 'id']);
      const earlier = places.get(id);
      if (earlier) mistakes.add(named(), `"${id.slice(0, 40)}" is already in ${earlier()}`);
      else if (!there.has(id) && isRelative) {
        relatives++;
        continue;
      } else if (!there.has(id)) mistakes.add(named(), `"${id.slice(0, 40)}" is not in the dataset`);
      places.set(id, named);
      const facts = factsOfPacket(checked.data);
      if ((facts.phenotypes?.length ?? 0) > mostTerms) {
        mistakes.add(place([...base, 'phenotypicFeatures']), `more than ${mostTerms} phenotypes`);
      }
      if ((facts.diseases?.length ?? 0) > mostTerms) mistakes.add(place(base), `more than ${mostTerms} diseases`);
      all.set(id, { ...all.get(id), ...facts });
    }
  }
  mistakes.refuse();
  if (relatives > 0) warn(`${path}: relatives who are not in the dataset are left out (${relatives})`);
  if (unused.size > 0) warn(`${path}: members of phenopackets that are not used: ${[...unused].join(', ')}`);
  return all;
}

/** The packets of a file, each with the path to it. */
function packetsIn(content: string, file: string): { packet: unknown; base: number[] }[] {
  let json: unknown;
  try {
    json = JSON.parse(content);
  } catch (cause) {
    const at = /position (\d+)/.exec(cause instanceof SyntaxError ? cause.message : '')?.[1];
    const before = at === undefined ? content.trimEnd() : content.slice(0, Number(at));
    throw new Fault('unprocessable', `${file}, line ${before.split('\n').length}: the file is not valid JSON`, {
      cause,
    });
  }
  if (!Array.isArray(json)) return [{ packet: json, base: [] }];
  if (json.length === 0) throw new Fault('unprocessable', `${file}: the file has no phenopacket`);
  return json.map((packet: unknown, i) => ({ packet, base: [i] }));
}
