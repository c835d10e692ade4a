/** GA4GH phenopackets (version 2, JSON) as facts about samples: a file with one or a list of them, or a folder of such files. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { Mistakes } from '../../../core/commands.js';
import { Fault } from '../../../core/plugin.js';
import type { StatedFacts } from '../domain/facts.js';
import { distinctTerms, mostTerms, type OntologyTerm, wrongWithTerm } from '../domain/ontology-term.js';
import type { Sex } from '../domain/sample.js';
import { lineOf, linesOf, pathText } from './json-place.js';
import { readText } from './rows.js';

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

function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item, { error: 'must be a list' }).optional();
}

const sexWords = ['FEMALE', 'MALE', 'OTHER_SEX', 'UNKNOWN_SEX'] as const;

/** What is read of a phenopacket; other members are ignored. */
const packetSchema = z.object(
  {
    subject: z.object(
      {
        id: text('the name of a sample').min(1, 'must be the name of a sample'),
        sex: z.enum(sexWords, { error: `must be one of ${sexWords.join(', ')}` }).optional(),
      },
      { error: 'must be an individual' },
    ),
    phenotypicFeatures: listOf(
      z.object({ type: term, excluded: truth, negated: truth }, { error: 'must be a phenotypic feature' }),
    ),
    diseases: listOf(z.object({ term, excluded: truth }, { error: 'must be a disease' })),
    interpretations: listOf(
      z.object(
        {
          progressStatus: text('a status').optional(),
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

/** Interpretations with one of these states name a disease that the person has. */
const concluded = ['SOLVED', 'COMPLETED'];

/** Of the sex there are no more words than ours; one that is not stated says nothing. */
const sexOf: Readonly<Record<(typeof sexWords)[number], { sex?: Sex }>> = {
  FEMALE: { sex: 'female' },
  MALE: { sex: 'male' },
  OTHER_SEX: { sex: 'unknown' },
  UNKNOWN_SEX: {},
};

function factsOf({ subject: { sex }, phenotypicFeatures, diseases, interpretations }: Packet): StatedFacts {
  const features = phenotypicFeatures?.flatMap(({ type, excluded, negated }) => (excluded || negated ? [] : [type]));
  const diagnoses = interpretations?.flatMap(({ progressStatus = '', diagnosis }) =>
    concluded.includes(progressStatus) && diagnosis?.disease ? [diagnosis.disease] : [],
  );
  const present = diseases?.flatMap(({ term: disease, excluded }) => (excluded ? [] : [disease]));
  return {
    ...(sex && sexOf[sex]),
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
export async function packetFilesIn(folder: string): Promise<PacketFile[]> {
  const names = (await readdir(folder)).filter((name) => /\.json(\.gz)?$/i.test(name)).sort();
  if (names.length > 0) return names.map((name) => ({ name, text: () => readText(join(folder, name)) }));
  throw new Fault('unprocessable', `${folder}: the folder has no phenopacket (*.json)`);
}

/**
 * What phenopackets say of samples that are among `there`: the subject's id is the sample's name. Excluded phenotypes and
 * diseases are left out; a member that a packet omits says nothing. Throws an `unprocessable` fault that names every mistake
 * with its file, line and member; messages call the file or folder `path`.
 */
export async function readPhenopackets(
  path: string,
  files: readonly PacketFile[],
  there: ReadonlySet<string>,
): Promise<Map<string, StatedFacts>> {
  const mistakes = new Mistakes(path);
  const all = new Map<string, StatedFacts>();
  const places = new Map<string, () => string>();
  for (const { name, text: read } of files) {
    const content = await read();
    let lines: Map<string, number> | undefined;
    const place = (at: readonly PropertyKey[]) => {
      lines ??= linesOf(content);
      const member = pathText(at).replace(/^\./, '');
      return [...(name ? [name] : []), `line ${lineOf(lines, at)}`, ...(member ? [member] : [])].join(', ');
    };
    for (const { packet, base } of packetsIn(content, name ? join(path, name) : path)) {
      const checked = packetSchema.safeParse(packet);
      if (!checked.success) {
        for (const { path: at, message } of checked.error.issues) mistakes.add(place([...base, ...at]), message);
        continue;
      }
      const { id } = checked.data.subject;
      const named = () => place([...base, 'subject', 'id']);
      const earlier = places.get(id);
      if (earlier) mistakes.add(named(), `"${id.slice(0, 40)}" is already in ${earlier()}`);
      else if (!there.has(id)) mistakes.add(named(), `"${id.slice(0, 40)}" is not in the dataset`);
      places.set(id, named);
      const facts = factsOf(checked.data);
      if ((facts.phenotypes?.length ?? 0) > mostTerms) {
        mistakes.add(place([...base, 'phenotypicFeatures']), `more than ${mostTerms} phenotypes`);
      }
      if ((facts.diseases?.length ?? 0) > mostTerms) mistakes.add(place(base), `more than ${mostTerms} diseases`);
      all.set(id, facts);
    }
  }
  mistakes.refuse();
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
