/** The BED files of a request: uploaded with it, pasted, or named by their paths. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { type Bed, type OpenFile, readBed, readOpen, type Source, sourceOf } from '../../../../core/files.js';
import { contigNamed } from '../../../../core/genome.js';
import { Fault, isFault } from '../../../../core/plugin.js';
import { type List, lazyList, mappedList } from '../../measure/region.js';
import { bedFileSentence } from '../../measure/sources.js';
import type { MeasuringServices } from '../../services.js';
import { groupsOfTargets, ofLine, ofPlace, placeText, type ReportTarget } from '../targets.js';
import { fieldFault } from './fields.js';
import type { BedInput } from './request.js';

const pathFault = (message: string) => fieldFault('intervals_bed_path', message);

type BedServices = Pick<MeasuringServices, 'settings' | 'sources'>;

/** The lines of the uploaded file, or of the file at the path. Neither or both is an `unprocessable` fault. */
export async function bedLines(
  services: BedServices,
  uploaded: Buffer | undefined,
  path: string | null | undefined,
): Promise<Bed> {
  const { intervals, upload } = services.settings.limits;
  return readBed(bedSource(await bedBytes(services, uploaded, path)), { intervals, bytes: upload });
}

function bedSource(bytes: Buffer, name = bedFileSentence): Source {
  return sourceOf(name, bytes.length, () => Readable.from([bytes]));
}

/** The file itself, which may be compressed. */
async function bedBytes(
  { settings, sources }: BedServices,
  uploaded: Buffer | undefined,
  path: string | null | undefined,
): Promise<Buffer> {
  if (uploaded !== undefined) {
    if (path !== undefined && path !== null)
      throw pathFault('intervals_bed_path and a file in the form exclude each other');
    return uploaded;
  }
  if (path === undefined || path === null) {
    throw pathFault('A BED file is needed: its path, or a file in a form');
  }
  return wholeFile(await sources.bedFile(path), settings.limits.upload);
}

/** A BED file of a report. */
export interface BedFile {
  /** That of a file on the server, or as the form calls the lines. */
  name?: string;
  /** What tells it from the others of the report. */
  label: string;
  /** `sha256:…` of its bytes; of pasted lines as a file has them, each ended by a line feed. */
  checksum: string;
  lines: number;
}

/** What a report measures of BED files. */
export interface BedTargets {
  /** In the order of the files and their lines. */
  targets: List<ReportTarget>;
  files: readonly BedFile[];
  /** If several lines have one name: all names, each with the bases of its lines. */
  names?: LineNames;
}

/** Under which names are measured beside the lines. */
export const namesLayer = 'lineNames';

export interface LineNames {
  /** In the order of their first lines. */
  targets: List<ReportTarget>;
  /** How many lines have the name at this index. */
  linesOf(at: number): number;
}

/** Reads the files of a report, with the names of their lines if wanted. Its limits on lines and bytes are for all together. */
export async function requestedBeds(
  services: BedServices,
  inputs: readonly BedInput[],
  withNames: boolean,
): Promise<BedTargets> {
  const { intervals, upload } = services.settings.limits;
  const labels = labelsOf(inputs);
  const beds: Bed[] = [];
  const files: BedFile[] = [];
  let [lines, bytes] = [0, 0];
  for (const [i, input] of inputs.entries()) {
    const label = labels[i] as string;
    const stored = await bedBytes(services, uploadOf(input), 'path' in input ? input.path : undefined);
    const source = bedSource(stored, inputs.length > 1 ? label : undefined);
    const counted = {
      ...source,
      async *chunks() {
        for await (const chunk of source.chunks()) {
          bytes += chunk.length;
          yield chunk;
        }
      },
    };
    const left = { intervals: intervals - lines, bytes: upload - bytes };
    const bed = await readBed(counted, left).catch((cause: unknown) => {
      if (!isFault(cause) || cause.code !== 'too-large' || inputs.length === 1) throw cause;
      const limits = `${intervals} intervals and ${upload} bytes`;
      throw new Fault('too-large', `The BED files of a request may have ${limits} at most together`, { cause });
    });
    lines += bed.length;
    beds.push(bed);
    files.push({ ...nameOf(input), label, checksum: checksumOf(input, stored), lines: bed.length });
  }
  const targets = targetsOf(beds, labels);
  const names = withNames ? namesOf(targets) : undefined;
  return { targets, files, ...(names && { names }) };
}

function uploadOf(bed: BedInput): Buffer | undefined {
  if ('path' in bed) return undefined;
  return 'text' in bed ? Buffer.from(bed.text) : bed.file;
}

function nameOf(bed: BedInput): { name?: string } {
  if ('path' in bed) return { name: basename(bed.path) };
  return bed.name === undefined ? {} : { name: bed.name };
}

/** The name of each file, or else its number; both if files have one name. */
function labelsOf(inputs: readonly BedInput[]): string[] {
  const names = inputs.map((input) => nameOf(input).name ?? `BED ${input.number}`);
  return names.map((name, i) =>
    names.indexOf(name) === names.lastIndexOf(name) ? name : `${name} [${inputs[i]?.number}]`,
  );
}

function checksumOf(bed: BedInput, bytes: Buffer): string {
  const hashed = 'text' in bed ? `${bed.text.replaceAll('\r\n', '\n')}\n` : bytes;
  return `sha256:${createHash('sha256').update(hashed).digest('hex')}`;
}

/**
 * The lines of all files. A name in several files is a name of each, with its label. `chr7` and `7` are one chromosome, whose bases
 * count once: measured as the first line of it writes it.
 */
function targetsOf(beds: readonly Bed[], labels: readonly string[]): List<ReportTarget> {
  const spellings = new Map<string, string>();
  for (const name of beds.flatMap(({ chromosomes }) => chromosomes)) {
    const contig = contigNamed(name) ?? name;
    if (!spellings.has(contig)) spellings.set(contig, name);
  }
  const several = beds.length === 1 ? undefined : namesInSeveral(beds);
  const lists = beds.map((bed, file) => {
    const spelt = new Map(bed.chromosomes.map((name) => [name, spellings.get(contigNamed(name) ?? name) ?? name]));
    return mappedList(
      lazyList(bed.length, (i) => bed.at(i)),
      (line): ReportTarget => {
        if (line === undefined) throw new RangeError('The BED file has no such line');
        const { regions, ...target } = ofLine(line);
        const own = regions.map((region) => ({
          ...region,
          chromosome: spelt.get(region.chromosome) ?? region.chromosome,
        }));
        if (several === undefined) return { ...target, regions: own };
        const named = several.has(target.group) ? `${target.group} (${labels[file]})` : target.group;
        return { ...target, regions: own, group: named, id: named, file: labels[file] };
      },
    );
  });
  const [only] = lists;
  return lists.length === 1 && only !== undefined ? only : joined(lists);
}

/** Names of lines, or else places, that several of the files have. */
function namesInSeveral(beds: readonly Bed[]): Set<string> {
  const firsts = new Map<string, number>();
  const several = new Set<string>();
  for (const [file, bed] of beds.entries()) {
    for (const line of bed) {
      const name = line.name ?? placeText(line);
      const first = firsts.get(name);
      if (first === undefined) firsts.set(name, file);
      else if (first !== file) several.add(name);
    }
  }
  return several;
}

function joined(lists: readonly List<ReportTarget>[]): List<ReportTarget> {
  const starts: number[] = [];
  let length = 0;
  for (const list of lists) {
    starts.push(length);
    length += list.length;
  }
  return lazyList(length, (at) => {
    const file = starts.findLastIndex((start) => start <= at);
    return lists[file]?.at(at - (starts[file] ?? 0)) as ReportTarget;
  });
}

/** Undefined if each name is that of one line. */
function namesOf(lines: List<ReportTarget>): LineNames | undefined {
  const { firsts, ends, places } = groupsOfTargets(lines, () => true);
  if (firsts.length === lines.length) return undefined;
  const membersOf = (at: number) => places.subarray(ends[at - 1] ?? 0, ends[at]);
  return {
    targets: lazyList(firsts.length, (at) => {
      const { group, place, file } = lines.at(firsts[at] as number) as ReportTarget;
      const regions = Array.from(membersOf(at), (line) => lines.at(line)?.regions ?? []).flat();
      return { ...ofPlace(group, place), regions, ...(file !== undefined && { file }) };
    }),
    linesOf: (at) => membersOf(at).length,
  };
}

/** Throws `too-large` if the file has more bytes than `most`. */
export async function wholeFile(file: OpenFile, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of readOpen(file, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    length += part.length;
    // Checked while reading, since the file may grow.
    if (length > most) throw new Fault('too-large', `A BED file may have ${most} bytes at most`);
    parts.push(part);
  }
  return Buffer.concat(parts, length);
}
