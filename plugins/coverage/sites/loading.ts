/** Loads the sites of a VCF: the whole file is read and checked before any of it is published. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { counted } from '../../../core/commands.js';
import { openSource } from '../../../core/files.js';
import { Fault } from '../../../core/plugin.js';
import type { Build, SiteRepository, SiteSet } from '../contract.js';
import { openSites } from './vcf.js';

/** The name of a set that is not named. */
const clinvar = 'ClinVar';

export interface SiteLoading {
  repository: Pick<SiteRepository, 'load'>;
  /** Path of the VCF, or `-` for standard input. */
  file: string;
  /** `ClinVar` if omitted. */
  name?: string | undefined;
  /** As the header says if omitted. */
  build?: Build | undefined;
  /** The file's date if omitted. */
  release?: string | undefined;
  /** Least review stars. */
  leastStars: number;
  /** Replaces a set even by one that is smaller by more than `maxShrink`, a fraction. */
  force?: boolean | undefined;
  maxShrink: number;
  now: Date;
  signal: AbortSignal;
  /** The fraction of the file that was read, and the sites so far. */
  onProgress(fraction: number, sites: number): void;
}

/**
 * Throws an `invalid` fault for a name or release that is not possible, and an `unprocessable` fault that names the file (and
 * the line) if it is not a VCF, is of another build, is damaged, has no site, or has far fewer than the loaded set, which then
 * stays.
 */
export async function loadSites(loading: SiteLoading): Promise<SiteSet> {
  const { repository, file, name = clinvar, leastStars, force = false, maxShrink, now, signal } = loading;
  checkText('--name', name);
  if (loading.release !== undefined) checkText('--release', loading.release);
  const hash = createHash('sha256');
  const source = await openSource(file, (bytes) => void hash.update(bytes));
  const { build, date, isClassified, skipped, sites } = await openSites(source, { build: loading.build, leastStars });
  const shown = basename(source.name);
  const reject = (reason: string) => new Fault('unprocessable', `${shown}: ${reason}`);
  try {
    const release = loading.release ?? date;
    if (release === undefined) throw reject('the header has no date of the file: state the release with --release');
    if (!isClassified && loading.name === undefined) {
      throw reject(
        'the header does not describe CLNSIG, so that this is not ClinVar; to take all records, state --name',
      );
    }
    if (!isClassified && leastStars > 0)
      throw reject('--stars needs the CLNSIG of ClinVar, which the header does not describe');
    let read = 0;
    async function* reported() {
      for await (const batch of sites()) {
        read += batch.length;
        yield batch;
        loading.onProgress(source.progress(), read);
      }
    }
    return await repository.load(
      {
        ...{ name, build, signal, sites: reported() },
        accept(count, replaces) {
          if (count === 0) throw reject(`it has no sites${listedSkips(skipped)}`);
          if (replaces !== undefined && !force && count < replaces.sites * (1 - maxShrink)) {
            throw reject(
              `it has ${counted(count, 'site')}, but the loaded release ${replaces.release} has ${replaces.sites}. The file may be cut ` +
                'short; the old sites stay. Use --force if the file is right',
            );
          }
          const checksum = `sha256:${hash.digest('hex')}`;
          return { release, source: shown, checksum, skipped: Object.fromEntries(skipped) };
        },
      },
      now,
    );
  } finally {
    source.close();
  }
}

function listedSkips(skipped: ReadonlyMap<string, number>): string {
  const reasons = [...skipped].map(([reason, count]) => `${count} skipped: ${reason}`);
  return reasons.length === 0 ? '' : ` (${reasons.join(', ')})`;
}

/** Throws an `invalid` fault for a name or release that is not possible. */
export function checkText(option: string, text: string): void {
  if (/^[^\p{C}]{1,60}$/u.test(text) && text.trim() === text) return;
  throw new Fault('invalid', `${option} must be 1 to 60 characters, without control characters and blanks at its ends`);
}
