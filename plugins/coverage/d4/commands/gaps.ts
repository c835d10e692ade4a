/** `gaps`: prints regions with low coverage. */
import { D4Error } from '../error.js';
import { stretches } from '../profile/profile.js';
import type { D4Command } from './command.js';
import { fileOf, number, openTrack, text, trackArgument } from './input.js';
import { Lines } from './output.js';
import { bedRegions, wholeGenome } from './regions.js';

/** Prints the regions below a depth as BED. */
export const gapsCommand: D4Command = {
  name: 'gaps',
  summary: 'print the regions of a D4 file whose depth is below a threshold, as BED',
  arguments: [trackArgument],
  options: [
    {
      flags: '-b, --below <depth>',
      description: 'print regions whose every base has less than this depth (default: 10)',
    },
    { flags: '-r, --region <bed>', description: 'BED file of regions to search (default: the whole genome)' },
    { flags: '-m, --min-length <bases>', description: 'ignore shorter gaps' },
    { flags: '--alias', description: 'accept chr1 for 1, M for MT and so on' },
  ],
  async run(input, io) {
    const below = number(input, 'below') ?? 10;
    const minLength = number(input, 'minLength') ?? 1;
    if (minLength < 1) throw new D4Error('invalid', 'The least length of a gap must be 1 or more', '--min-length');
    const alias = input.options.alias === true;
    const bed = text(input, 'region');
    const file = await openTrack(fileOf(input), { http: io.http, s3: io.s3 });
    const lines = new Lines(io.out);
    try {
      if (file.tracks.length > 1) {
        const names = file.tracks.map(({ name }) => name).join(', ');
        throw new D4Error(
          'invalid',
          `The file has several tracks: name one as FILE:TRACK (${names})`,
          file.source.name,
        );
      }
      const track = file.track();
      const intervals = bed === undefined ? wholeGenome(track) : [...(await bedRegions(io, bed, track, alias))];
      const options = { alias, minLength, signal: input.signal };
      for (const [i, interval] of intervals.entries()) {
        for await (const { chromosome, begin, end } of stretches(track, interval, { below }, options)) {
          lines.addRegion(chromosome, begin, end);
          await lines.end();
        }
        io.progress?.((i + 1) / intervals.length, 'searching gaps');
      }
      return 0;
    } finally {
      await lines.flush();
      file.close();
    }
  },
};
