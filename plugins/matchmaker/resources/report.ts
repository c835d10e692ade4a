/** What people are told of the resources in use: `doctor`, /heartbeat, the page. */
import type { ResourceKind } from './contract.js';
import type { Resources, UsedRelease } from './resources.js';

export const kindNames: Readonly<Record<ResourceKind, string>> = {
  ontology: 'the Human Phenotype Ontology',
  annotations: 'disease annotations',
  genes: 'genes',
  'lift-37-38': 'chains from GRCh37 to GRCh38',
  'lift-38-37': 'chains from GRCh38 to GRCh37',
};

const units: Readonly<Record<ResourceKind, string>> = {
  ontology: 'terms',
  annotations: 'diseases',
  genes: 'genes',
  'lift-37-38': 'blocks',
  'lift-38-37': 'blocks',
};

/**
 * What HPO's licence asks for wherever its terms are shown: the source, and the version of the files.
 * https://hpo.jax.org/license
 */
export function acknowledgement({ releases }: Pick<Resources, 'releases'>): string {
  const version = (kind: ResourceKind): string | undefined =>
    releases.find((release) => release.kind === kind)?.version;
  const annotated = version('annotations');
  const of = `version ${version('ontology') ?? 'unknown'}${annotated === undefined ? '' : `, annotations of ${annotated}`}`;
  return `This service uses the Human Phenotype Ontology (${of}). Find out more at https://hpo.jax.org.`;
}

/** Versions by kind, for /heartbeat: `{ ontology: '2024-08-13', annotations: '2023-01-27', … }`; the excerpt says so. */
export function versions({ releases }: Pick<Resources, 'releases'>): Record<string, string> {
  return Object.fromEntries(
    releases.map(({ kind, version, loaded, excerpt }) => {
      const known = version ?? (loaded ? `loaded ${loaded.toISOString().slice(0, 10)}` : 'unknown');
      return [kind, excerpt ? `${known} (excerpt)` : known];
    }),
  );
}

export interface Finding {
  /** `fault`: not fit for patients. `warning`: something cannot be matched. */
  level: 'ok' | 'warning' | 'fault';
  message: string;
}

/** The lines of `doctor` about the resources. */
export function findings({ releases, lift, excerpt, bytes }: Resources): Finding[] {
  const found: Finding[] = releases.map((release) => ({
    level: release.excerpt ? 'fault' : 'ok',
    message: describe(release),
  }));
  if (excerpt) {
    const message =
      'Only the excerpt that comes with Trefoil is there for what is marked so: it is good for the demo and not for patients. ' +
      'Load complete files with "update resources --file …" or "--download".';
    found.push({ level: 'fault', message });
  }
  for (const build of ['GRCh37', 'GRCh38'] as const) {
    if (lift.from.includes(build)) continue;
    const other = build === 'GRCh37' ? 'GRCh38' : 'GRCh37';
    const message = `No chains from ${build} to ${other} are loaded: variants of ${build} do not meet those of ${other}`;
    found.push({ level: 'warning', message });
  }
  found.push({ level: 'ok', message: `The resources take ${(bytes / 1e6).toFixed(1)} MB of memory` });
  return found;
}

/** One line of a release. */
export function describe({ kind, version, source, entries, loaded, excerpt }: UsedRelease): string {
  const what = `${kindNames[kind].replace(/^./, (first) => first.toUpperCase())}: ${entries} ${units[kind]}`;
  const when = loaded === undefined ? '' : `, loaded ${loaded.toISOString()}`;
  return `${what}${version === undefined ? '' : `, version ${version}`}, from ${source}${when}${excerpt ? ' (EXCERPT)' : ''}`;
}
