/** From a panel as a source gives it to a draft: finds its genes, joins entries of one gene, and adds the version. */
import { Fault, wording } from '../../../core/plugin.js';
import type { PanelRepository, PanelVersion } from '../contract.js';
import type { GeneByName, GeneTable } from '../genes/gene-table.js';
import {
  type Confidence,
  confidences,
  contentText,
  type OtherEntry,
  type PanelContent,
  type PanelGene,
  type PanelRequirement,
  type PanelSource,
  panelContent,
  parseContent,
  type UnmappedEntry,
} from '../versions/content.js';
import { draftVersion, editedVersion, nameOfVersion, type StepActor } from '../versions/lifecycle.js';
import { isVersionName, panelIdFault, versionNameForm } from '../versions/names.js';

export interface DraftEntry extends GeneByName, Partial<Omit<PanelGene, 'hgnc' | 'symbol' | 'confidence'>> {
  confidence: Confidence;
  /** Where it stands: `line 7`, `gene 12`. */
  at: string;
}

/** A line of a BED file that names a gene. */
export interface NamedLine {
  given: GeneByName;
  /** `line 7` */
  at: string;
  /** As the file writes it. */
  chromosome: string;
  /** Zero-based half-open. */
  start: number;
  end: number;
}

export interface PanelDraft {
  /** The panel's id here, unless another is requested. */
  id?: string;
  version?: string;
  name?: string;
  description?: string;
  disorders?: string[];
  requirement?: PanelRequirement;
  entries: DraftEntry[];
  others?: OtherEntry[];
  /** The lines of the entries, if they have places. */
  lines?: readonly NamedLine[];
  /** For people: what the reader decided. */
  notes?: string[];
  /** What the source states about itself; the caller adds the file. */
  source: Pick<PanelSource, 'kind' | 'id' | 'version' | 'signedOff'>;
}

// Makes the content of a version of a panel that a source gave: finds its genes, and lists all that needs a look.

export interface ImportedContent {
  content: PanelContent;
  /** For people: what was renamed, merged or listed twice. What has no gene is in the content. */
  notes: string[];
}

export function contentOfDraft(
  {
    entries,
    others = [],
    notes: told = [],
    name,
    description,
    disorders,
    requirement,
    source,
  }: PanelDraft & { name: string },
  read: Omit<PanelSource, 'kind' | 'id' | 'version' | 'signedOff'>,
  { table, release }: { table: GeneTable; release: string },
): ImportedContent {
  const genes = new Map<number, PanelGene>();
  const unmapped: UnmappedEntry[] = [];
  const notes = [...told];
  for (const entry of entries) {
    const found = table.resolve(entry);
    if (!('gene' in found)) {
      const { why, candidates } = found;
      const { confidence, at } = entry;
      unmapped.push({ given: wordsOfEntry(entry), at, why, confidence, ...(candidates.length > 0 && { candidates }) });
      continue;
    }
    if (found.note !== undefined) notes.push(`${entry.at}: ${found.note}`);
    const { hgnc: _, symbol: __, at: ___, ...facts } = entry;
    const gene: PanelGene = { ...facts, hgnc: found.gene.hgnc, symbol: found.gene.symbol };
    const known = genes.get(gene.hgnc);
    if (known === undefined) {
      genes.set(gene.hgnc, gene);
      continue;
    }
    // Superpanels list a gene once for each of their panels.
    const kept = unionOf(known, gene);
    genes.set(gene.hgnc, kept);
    const from = kept.from === undefined ? '' : `, from ${kept.from.join('; ')}`;
    notes.push(
      `${entry.at}: ${gene.symbol} is listed before; the entry with the higher confidence (${kept.confidence}) is kept${from}`,
    );
  }
  return {
    notes,
    content: {
      name,
      ...(description === undefined ? {} : { description }),
      ...(disorders === undefined ? {} : { disorders }),
      ...(requirement === undefined ? {} : { requirement }),
      genes: [...genes.values()].sort((one, two) => one.hgnc - two.hgnc),
      ...(others.length === 0 ? {} : { others: othersOnce(others) }),
      ...(unmapped.length === 0 ? {} : { unmapped }),
      source: { ...source, ...read },
      names: release,
    },
  };
}

function wordsOfEntry({ symbol, hgnc }: DraftEntry): string {
  return (
    [symbol, hgnc === undefined ? undefined : `HGNC:${hgnc}`].filter(Boolean).join(' ') || 'an entry without a name'
  );
}

// One entry of two for the same gene or region, as superpanels and files by hand have them.

/**
 * The entry with the higher confidence (of equal ones, the first), with the transcripts that either wants and the panels that
 * either names, those with the higher confidence first.
 */
function unionOf(known: PanelGene, added: PanelGene): PanelGene {
  const [first, second] = betterFirst(known, added);
  return { ...first, ...mergedEntry('transcripts', first, second), ...mergedEntry('from', first, second) };
}

/** Each region and repeat once, by kind, name and place. */
function othersOnce(others: readonly OtherEntry[]): OtherEntry[] {
  const found = new Map<string, OtherEntry>();
  for (const other of others) {
    const key = JSON.stringify([other.kind, other.name, other.place]);
    const known = found.get(key);
    if (known === undefined) {
      found.set(key, other);
      continue;
    }
    const [first, second] = betterFirst(known, other);
    found.set(key, { ...first, ...mergedEntry('from', first, second) });
  }
  return [...found.values()];
}

function betterFirst<Entry extends { confidence: Confidence }>(known: Entry, added: Entry): [Entry, Entry] {
  const isBetter = confidences.indexOf(added.confidence) < confidences.indexOf(known.confidence);
  return isBetter ? [added, known] : [known, added];
}

function mergedEntry<Name extends string>(
  name: Name,
  first: { [key in Name]?: string[] | undefined },
  second: { [key in Name]?: string[] | undefined },
): { [key in Name]?: string[] } {
  const all = [...new Set([...(first[name] ?? []), ...(second[name] ?? [])])];
  return all.length === 0 ? {} : ({ [name]: all } as { [key in Name]: string[] });
}

// Adds what was read from a source as drafts.

export interface ArrivingDraft {
  panel: string;
  version: string;
  content: PanelContent;
}

export type DraftResult =
  /** A new draft. */
  | 'added'
  /** The version is there with these genes and entries already. */
  | 'unchanged'
  /** Why not. */
  | { refused: string };

/** Why it cannot be stored, whatever is there already; undefined if it can. */
function refusalOf({ panel, version, content }: ArrivingDraft): string | undefined {
  const wrong = panelIdFault(panel);
  if (wrong !== undefined) return wrong;
  if (!isVersionName(version)) return `"${version}" is not a version: expected ${versionNameForm}`;
  const { error } = panelContent.safeParse(content, { error: wording });
  return error && `${error.issues[0]?.path.join('.')}: ${error.issues[0]?.message}`;
}

/**
 * Adds a version that is not there. What was read when, and by which release of gene names, does not make the content of one
 * that is there another.
 */
export async function addDraft(
  repository: PanelRepository,
  arriving: ArrivingDraft,
  { actor, add }: { actor: StepActor; add(version: PanelVersion): Promise<void> },
): Promise<DraftResult> {
  const { panel, version, content } = arriving;
  const refused = refusalOf(arriving);
  if (refused !== undefined) return { refused };
  const known = await repository.find(panel, version);
  if (known === undefined) {
    await add(draftVersion(panel, version, content, actor));
    return 'added';
  }
  if (comparedText(parseContent(known.content)) === comparedText(content)) return 'unchanged';
  return { refused: `${nameOfVersion(arriving)} is there with other content: give the new content another version` };
}

/**
 * Adds the day on which PanelApp signed a stored version off to its draft, which people may have edited since. Returns what people
 * should read of it; undefined if there is nothing to add. A version that is in review or was signed does not change.
 */
export async function keepSignedOff(
  version: PanelVersion,
  signedOff: string,
  { actor, replace }: { actor: StepActor; replace(version: PanelVersion): Promise<boolean> },
): Promise<string | undefined> {
  const content = parseContent(version.content);
  const { source } = content;
  if (source.kind !== 'panelapp' || source.version !== version.version || source.signedOff === signedOff)
    return undefined;
  const said = `signed off in PanelApp on ${signedOff}`;
  if (version.state !== 'draft') return `${said}; not added, since the version is ${version.state} here`;
  const next = editedVersion(version, { ...content, source: { ...source, signedOff } }, { ...actor, comment: said });
  if (!(await replace(next)))
    throw new Fault('conflict', `${nameOfVersion(version)} was changed meanwhile: import it again`);
  return `${said}; added to the draft`;
}

/** The content as text, without where, when and by which names it was read. */
function comparedText({ names: _, source: { kind, id, version }, others, ...content }: PanelContent): string {
  // Imports before 0.3 did not keep positions in GRCh37.
  const placed = others?.map(({ place = '', ...other }) => {
    const compared = place.replace(/^\S+ \(GRCh37\)(?:; |$)/, '');
    return { ...other, ...(compared !== '' && { place: compared }) };
  });
  const text = contentText({ ...content, ...(placed && { others: placed }), source: { kind, name: '', read: '' } });
  return JSON.stringify([id, version]) + text;
}
