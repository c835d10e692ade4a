/** How `doctor`, /heartbeat and the dashboard describe the resources in use. */
import type { ResourceKind } from './contract.js';
import type { Resources, UsedRelease } from './resources.js';

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
export function versions({ releases }: Pick<Resources, 'releases'>): Record<string, string> {
  return Object.fromEntries(
    releases.map(({ kind, version, loaded, excerpt }) => {
      const known = version ?? (loaded ? `loaded ${loaded.toISOString().slice(0, 10)}` : 'unknown');
      return [kind, excerpt ? `${known} (excerpt)` : known];
    }),
  );
}

export interface Finding {
  /** `fault`: not fit for real patients. `warning`: some patients cannot match. */
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
