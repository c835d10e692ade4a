/** Histories of coverage-sites@1. */
import {
  type Build,
  builds,
  type Chromosome,
  coverageSites,
  longestSite,
  type Place,
  type Site,
  type SiteRepository,
  type SitesWanted,
} from '../../../../../plugins/coverage/contract.js';
import type { Random } from '../../../../conformance/core.js';
import { at } from '../../../../conformance/coverage/build.js';
import { anyText, type History, nasty, onPurpose } from '../history.js';

interface LoadStep {
  verb: 'load';
  name: string;
  build: Build;
  batches: Site[][];
  second: number;
  ends: 'well' | 'rows throw' | 'aborted' | 'accept throws' | 'accept aborts';
}

type Step =
  | LoadStep
  | { verb: 'remove'; name: string; build: Build }
  | { verb: 'find'; build: Build; wanted: SitesWanted }
  | { verb: 'sweep'; isLate: boolean };

const onFew: readonly Chromosome[] = ['2', '10', 'MT'];
const starts = [0, 1, 10, longestSite - 1, longestSite, longestSite + 1, 3 * longestSite];

function anyPlace(random: Random): Place {
  const start = random.pick(starts);
  return { chromosome: random.pick(onFew), start, end: start + random.pick([1, 1, 2, 10, longestSite]) };
}

function anySite(random: Random): Site {
  const odd = random.chance(0.003) && random.pick([{ end: 0 }, { end: 10 * longestSite }, { start: -1 }]);
  return {
    ...anyPlace(random),
    ...odd,
    ...{ reference: anyText(random), alternate: anyText(random) },
    genes: [...new Set(random.list(0, 3, () => anyText(random)))],
    ...(random.chance(0.5) && { id: anyText(random) }),
    ...(random.chance(0.3) && { hgvs: anyText(random) }),
    ...(random.chance(0.3) && { significance: anyText(random) }),
    ...(random.chance(0.3) && { stars: random.int(0, 4) }),
  };
}

/** The order of found sites knows no more than these fields: no two sites of a load have all of them. */
function batchesOf(random: Random): Site[][] {
  const known = new Set<string>();
  const isNew = ({ chromosome, start, end, reference, alternate, id = '' }: Site) =>
    known.size < known.add(JSON.stringify([chromosome, start, end, reference, alternate, id])).size;
  return random.list(0, 3, () => random.list(0, 6, () => anySite(random)).filter(isNew));
}

function step(random: Random): Step {
  const [name, build] = [anyText(random), random.pick(builds)];
  const verb = random.pick(['load', 'load', 'load', 'find', 'find', 'find', 'remove', 'sweep'] as const);
  switch (verb) {
    case 'load': {
      const failures = ['rows throw', 'aborted', 'accept throws', 'accept aborts'] as const;
      const ends = random.chance(0.85) ? 'well' : random.pick(failures);
      return { verb, name, build, batches: batchesOf(random), second: random.int(0, 2), ends };
    }
    case 'find': {
      const places = random.list(0, 3, () => anyPlace(random));
      return { verb, build, wanted: { places, genes: random.list(0, 2, () => anyText(random)) } };
    }
    case 'remove':
      return { verb, name, build };
    case 'sweep':
      return { verb, isLate: random.chance(0.7) };
  }
}

async function load(repository: SiteRepository, { name, build, batches, second, ends }: LoadStep): Promise<unknown> {
  const stop = new AbortController();
  const seen: unknown[] = [];
  async function* sites() {
    for (const batch of batches) yield batch;
    if (ends === 'rows throw') throw new Error('the file ends');
    if (ends === 'aborted') stop.abort(new Error('aborted'));
  }
  const accept = (count: number, replaces: unknown) => {
    seen.push(count, structuredClone(replaces));
    if (ends === 'accept throws') throw new Error('too few');
    if (ends === 'accept aborts') stop.abort(new Error('aborted late'));
    return { release: name, source: `${second}`, checksum: '', skipped: { [name]: count } };
  };
  return [await repository.load({ name, build, sites: sites(), accept, signal: stop.signal }, at(second)), seen];
}

export const siteHistories: History<SiteRepository, Step> = {
  contract: coverageSites,
  steps: (random) => random.list(8, 24, () => step(random)),
  transactions: true,
  thrown: onPurpose,
  async perform(repository, given) {
    switch (given.verb) {
      case 'load':
        return load(repository, given);
      case 'find':
        return repository.find(given.build, given.wanted);
      case 'remove':
        return repository.remove(given.name, given.build);
      case 'sweep':
        // The reference has nothing to free.
        await repository.sweep(given.isLate ? new Date(Date.now() + 3_600_000) : new Date(0));
        return undefined;
    }
  },
  async all(repository) {
    const places = onFew.map((chromosome) => ({ chromosome, start: 0, end: 10 * longestSite }));
    const found = builds.flatMap((build) => [
      repository.find(build, { places, genes: [] }),
      repository.find(build, { places: [], genes: nasty }),
    ]);
    return [await repository.sets(), await Promise.all(found)];
  },
};
