/** `rebuild tracks`, and what `list samples` says of callable tracks. */
import { type Command, type CommandContext, counted } from '../../../core/commands.js';
import { coverageSamples, coverageTracks } from '../contract.js';
import type { CoverageSettings } from '../settings.js';

/** For each build and threshold with tracks: how many samples they have, and how much space they take. */
export async function trackLines({ repository }: CommandContext<CoverageSettings>): Promise<string[]> {
  const tracks = await repository(coverageTracks);
  const found = new Map<string, { tracks: number; samples: number; bytes: number }>();
  for (const { id, build, threshold } of await tracks.published()) {
    const [track] = await tracks.find([id]);
    if (track === undefined) continue;
    const about = `${build} at ${threshold}x`;
    const known = found.get(about) ?? { tracks: 0, samples: 0, bytes: 0 };
    known.tracks++;
    known.samples += track.members.length;
    known.bytes += track.bytes;
    found.set(about, known);
  }
  return [...found].map(
    ([about, { tracks, samples, bytes }]) =>
      `Callable tracks of ${about}: ${counted(samples, 'sample')} in ${counted(tracks, 'track')}, ${(bytes / 1e6).toFixed(1)} MB`,
  );
}

export const rebuildTracks: Command<CoverageSettings> = {
  name: 'rebuild tracks',
  summary: 'Make the callable tracks of registered samples, from which many positions are counted at once',
  description:
    'A server makes them by itself, at the latest an hour after samples were registered, changed or removed. At least 8 samples ' +
    'of one build and assay are needed. While there is no track, samples are counted one by one: the answers are the same, and ' +
    'slower. With samples.tracks: false all tracks are removed.',
  examples: ['rebuild tracks', 'rebuild tracks --all'],
  options: [{ flags: '--all', description: 'make all anew, for tracks that are damaged' }],
  async run(context, input) {
    const { repository, settings, terminal, signal, now } = context;
    const { all = false } = input.options as { all?: boolean };
    const [samples, tracks, { makeTracks }, { trackThresholds }] = await Promise.all([
      repository(coverageSamples),
      repository(coverageTracks),
      import('../tracks/make.js'),
      import('../services.js'),
    ]);
    if (all) await tracks.drop((await tracks.published()).map(({ id }) => id));
    const progress = terminal.progress('Merging');
    try {
      const made = await makeTracks(
        { samples, tracks, thresholds: trackThresholds(settings), now },
        { signal, progress: (done) => progress.update(done, 'covered regions') },
      );
      terminal.print(`Made ${counted(made, 'track')}`);
      terminal.data({ made });
    } finally {
      progress.stop();
    }
    for (const line of await trackLines(context)) terminal.note(line);
    return 0;
  },
};
