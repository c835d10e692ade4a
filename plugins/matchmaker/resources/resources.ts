/**
 * The resources in memory: everything that matching looks up, assembled from stored releases, kept up to date, and described to
 * operators.
 */
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { largestFile, readTextFile } from '../../../core/files.js';
import { Fault, type StorageLog } from '../../../core/plugin.js';
import type { PhenotypeService, PhenotypeTerm } from '../../services/matchmaker.js';
import {
  type ResourceKind,
  type ResourceRelease,
  type ResourceRepository,
  resourceKinds,
  type StoredResource,
} from './contract.js';
import { DiseaseMappings } from './diseases.js';
import { type GeneTable, PackedGenes, packGenes, readGenes } from './genes.js';
import { ChainDirection, ChainLift, type LiftOver } from './lift-over.js';
import { countedAs, countedFrom, type Ontology, PackedOntology } from './ontology.js';
import { type PackedColumns, unpack } from './packed.js';
import { packTerms, readTermTable } from './terms.js';

/** A release in use: a stored one, or a part of the excerpt that comes with Trefoil. */
export interface UsedRelease extends Omit<ResourceRelease, 'loaded'> {
  /** Undefined for the excerpt. */
  loaded?: Date;
  excerpt: boolean;
}

/** Everything that matching looks up, of one revision. Immutable: a change of the stored resources makes a new object. */
export interface Resources {
  /** Revision in the storage; 0 if nothing was ever loaded. */
  readonly revision: number;
  readonly ontology: Ontology;
  readonly genes: GeneTable;
  /** Without chains it lifts the mitochondrion only (`lift.from` is empty). */
  readonly lift: LiftOver;
  /** Without mappings each id is a disease of its own. */
  readonly diseases: DiseaseMappings;
  /** The releases in use, in the order of `resourceKinds`, without missing kinds. */
  readonly releases: readonly UsedRelease[];
  /** Whether ontology or genes are the excerpt: fit for the demo, not for patients. */
  readonly excerpt: boolean;
  /** Memory of the typed arrays, in bytes. */
  readonly bytes: number;
}

// Keeps the resources of a process up to date with the stored ones.

export type ResourceService = ReturnType<typeof resourceService>;

interface ResourceServiceOptions {
  log: StorageLog;
  /** Seconds between checks of the stored revision. */
  check: number;
}

export function resourceService(repository: ResourceRepository, { log, check }: ResourceServiceOptions) {
  let current: Resources | undefined;
  let checking: Promise<boolean> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failing = false;
  const listeners = new Set<(resources: Resources) => void>();

  async function compare(): Promise<boolean> {
    if (current && (await repository.revision()) === current.revision) return false;
    const { revision, resources } = await repository.load();
    if (current?.revision === revision) return false;
    const next = await assemble(revision, resources);
    current = next;
    const used = next.releases.map(({ kind, version }) => `${kind} ${version ?? 'of unknown version'}`);
    log.info({ revision, used, excerpt: next.excerpt }, 'resources for matching loaded');
    for (const listener of listeners) listener(next);
    return true;
  }

  function refresh(): Promise<boolean> {
    checking ??= compare().finally(() => {
      checking = undefined;
    });
    return checking;
  }

  async function tick(): Promise<void> {
    try {
      await refresh();
      failing = false;
    } catch (error) {
      // Logged once, not at every check.
      if (!failing) log.warn({ reason: (error as Error).message }, 'resources for matching could not be refreshed');
      failing = true;
    }
  }

  return {
    /** The resources in use: the same object until they are replaced. Throws before `begin` has resolved. */
    current(): Resources {
      if (!current) throw new Error('The resources are used before they are loaded');
      return current;
    },
    /** The same, also in a process that does not serve: a command. */
    async loaded(): Promise<Resources> {
      if (!current) await refresh();
      return this.current();
    },
    /** Loads the stored resources and checks for changes from then on. Throws if they cannot be loaded. */
    async begin(): Promise<void> {
      await refresh();
      timer ??= setInterval(() => void tick(), check * 1000);
      timer.unref();
    },
    /**
     * Loads the stored resources if their revision is not the one in use, and returns whether it did. If it throws, the
     * resources in use stay. Concurrent calls share one check.
     */
    refresh,
    /** Calls the listener with the new resources after each replacement. Returns a function that removes the listener. */
    onChange(listener: (resources: Resources) => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** Stops checking, and waits for a check that is under way. */
    async close(): Promise<void> {
      clearInterval(timer);
      timer = undefined;
      await checking?.catch(() => {}); // its own callers get the error
    },
  };
}

/** The excerpt for the demo is not an ontology: of most terms it does not know the descendants. */
export function phenotypeService(resources: () => Promise<Resources>): PhenotypeService {
  const loaded = async () => (await resources()).releases.find(({ kind, excerpt }) => kind === 'ontology' && !excerpt);
  return {
    async release() {
      const release = await loaded();
      return release && { ...(release.version !== undefined && { version: release.version }) };
    },
    async terms(ids) {
      const found = new Map<string, PhenotypeTerm>();
      if (!(await loaded())) return found;
      const { ontology } = await resources();
      for (const given of ids) {
        const term = ontology.resolve(given)?.term;
        if (term === undefined) continue;
        const [id, name] = [ontology.id(term), ontology.name(term)];
        const lineage = [...ontology.ancestors(term)].map((ancestor) => ontology.id(ancestor));
        found.set(given, { id, name, lineage: lineage.length > 0 ? lineage : [id] });
      }
      return found;
    },
  };
}

// Makes `Resources` of stored releases. The excerpt replaces a missing ontology and missing genes.

const unzip = promisify(gunzip);

/** Throws an `unprocessable` fault if a content cannot be read. */
export async function assemble(revision: number, stored: readonly StoredResource[]): Promise<Resources> {
  const parts = new Map<ResourceKind, PackedColumns>();
  for (const { kind, content } of stored) parts.set(kind, unpack(kind, await inflatedContent(kind, content)));
  const [terms, annotations, genes] = [parts.get('ontology'), parts.get('annotations'), parts.get('genes')];
  // Information is computed from both files: neither is of use without the other.
  const whole = terms && annotations;
  const excerpt: Excerpt | undefined = whole && genes ? undefined : await readExcerpt();
  const ontology = whole ? new PackedOntology(terms, countedFrom(annotations)) : excerpt?.ontology;
  const table = genes ? new PackedGenes(genes) : excerpt?.genes;
  if (!ontology || !table) throw new Error('the excerpt must replace what is missing');
  const [to38, to37] = [parts.get('lift-37-38'), parts.get('lift-38-37')];
  const lift = new ChainLift({
    ...(to38 && { GRCh37: new ChainDirection(to38) }),
    ...(to37 && { GRCh38: new ChainDirection(to37) }),
  });
  const diseases = new DiseaseMappings(parts.get('diseases'));
  const used = [
    ...stored.filter(({ kind }) => whole || (kind !== 'ontology' && kind !== 'annotations')).map(releaseOf),
    ...(excerpt?.releases ?? []).filter(({ kind }) => (kind === 'genes' ? !genes : !whole)),
  ].sort((left, right) => resourceKinds.indexOf(left.kind) - resourceKinds.indexOf(right.kind));
  return Object.freeze({
    revision,
    ontology,
    genes: table,
    lift,
    diseases,
    releases: used,
    excerpt: excerpt !== undefined,
    bytes: ontology.bytes + table.bytes + lift.bytes + diseases.bytes,
  });
}

function releaseOf({ kind, version, source, entries, loaded }: ResourceRelease): UsedRelease {
  return { kind, ...(version !== undefined && { version }), source, entries, loaded, excerpt: false };
}

async function inflatedContent(kind: ResourceKind, content: Uint8Array): Promise<Uint8Array> {
  try {
    return await unzip(content, { maxOutputLength: largestFile });
  } catch (cause) {
    const message = `The stored ${kind} are damaged: load them again with "update resources"`;
    throw new Fault('unprocessable', message, { public: 'The resources for matching must be loaded again', cause });
  }
}

interface Excerpt {
  ontology: PackedOntology;
  genes: PackedGenes;
  releases: UsedRelease[];
}

const asset = (name: string): string => fileURLToPath(new URL(`../assets/${name}`, import.meta.url));

async function readExcerpt(): Promise<Excerpt> {
  const [termFile, geneFile] = await Promise.all([
    readTextFile(asset('hpo-excerpt.tsv')),
    readTextFile(asset('genes-excerpt.tsv')),
  ]);
  const table = readTermTable(termFile);
  const terms = unpack('ontology', packTerms(termFile.name, table.terms).packed);
  const ontology = new PackedOntology(terms, countedAs(table.counts));
  const list = readGenes(geneFile);
  const genes = new PackedGenes(unpack('genes', packGenes(list.genes)));
  const of = ({ version }: { version?: string }): { version?: string } => (version === undefined ? {} : { version });
  return {
    ontology,
    genes,
    releases: [
      { kind: 'ontology', ...of(table), source: termFile.name, entries: ontology.size, excerpt: true },
      { kind: 'genes', ...of(list), source: geneFile.name, entries: genes.size, excerpt: true },
    ],
  };
}

// How `doctor`, /heartbeat and the dashboard describe the resources in use.

export const kindNames: Readonly<Record<ResourceKind, string>> = {
  ontology: 'the Human Phenotype Ontology',
  annotations: 'disease annotations',
  genes: 'genes',
  'lift-37-38': 'lift-over GRCh37 → GRCh38',
  'lift-38-37': 'lift-over GRCh38 → GRCh37',
  diseases: 'mappings of diseases',
};

const units: Readonly<Record<ResourceKind, string>> = {
  ontology: 'terms',
  annotations: 'diseases',
  genes: 'genes',
  'lift-37-38': 'blocks',
  'lift-38-37': 'blocks',
  diseases: 'ids',
};

/**
 * HPO's licence requires the source and the version of the files wherever its terms are shown.
 * https://hpo.jax.org/license
 */
export function acknowledgement({ releases }: Pick<Resources, 'releases'>): string {
  const version = (kind: ResourceKind): string | undefined =>
    releases.find((release) => release.kind === kind)?.version;
  const annotated = version('annotations');
  const of = `version ${version('ontology') ?? 'unknown'}${annotated === undefined ? '' : `, annotations of ${annotated}`}`;
  return `This service uses the Human Phenotype Ontology (${of}). Find out more at https://hpo.jax.org.`;
}

/** Versions by kind, for /heartbeat: `{ ontology: '2024-08-13', … }`; `2024-08-13 (excerpt)` for the excerpt. */
export function resourceVersions({ releases }: Pick<Resources, 'releases'>): Record<string, string> {
  return Object.fromEntries(
    releases.map(({ kind, version, loaded, excerpt }) => {
      const known = version ?? (loaded ? `loaded ${loaded.toISOString().slice(0, 10)}` : 'unknown');
      return [kind, excerpt ? `${known} (excerpt)` : known];
    }),
  );
}

export interface ResourceFinding {
  /** `fault`: not fit for real patients. `warning`: some patients cannot match. */
  level: 'ok' | 'warning' | 'fault';
  message: string;
}

/** The lines of `doctor` about the resources. */
export function findings({ releases, lift, excerpt, bytes }: Resources): ResourceFinding[] {
  const found: ResourceFinding[] = releases.map((release) => ({
    level: release.excerpt ? 'fault' : 'ok',
    message: describe(release),
  }));
  if (excerpt) {
    const message =
      'What is marked EXCERPT is only the excerpt that comes with Trefoil: it is fit for the demo, not for patients. ' +
      'Load complete files with "update resources --file …" or "--download".';
    found.push({ level: 'fault', message });
  }
  for (const build of ['GRCh37', 'GRCh38'] as const) {
    if (lift.from.includes(build)) continue;
    const other = build === 'GRCh37' ? 'GRCh38' : 'GRCh37';
    const message = `No lift-over from ${build} to ${other} is loaded: variants on ${build} may not match those on ${other}`;
    found.push({ level: 'warning', message });
  }
  found.push({ level: 'ok', message: `The resources use ${(bytes / 1e6).toFixed(1)} MB of memory` });
  return found;
}

/** A release in one line. */
export function describe({ kind, version, source, entries, loaded, excerpt }: UsedRelease): string {
  const what = `${kindNames[kind].replace(/^./, (first) => first.toUpperCase())}: ${entries} ${units[kind]}`;
  const when = loaded === undefined ? '' : `, loaded ${loaded.toISOString()}`;
  return `${what}${version === undefined ? '' : `, version ${version}`}, from ${source}${when}${excerpt ? ' (EXCERPT)' : ''}`;
}
