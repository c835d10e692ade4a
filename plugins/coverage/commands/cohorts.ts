/** `rebuild cohorts`, and what `list samples` says of cohorts. */
import { type Command, type CommandContext, counted } from '../../../core/commands.js';
import { type Build, builds, coverageCohorts } from '../contract.js';
import type { CoverageSettings } from '../settings.js';

/** For each build with values: how many samples have them, and how much space they take. */
export async function cohortLines({ repository }: CommandContext<CoverageSettings>): Promise<string[]> {
  const cohorts = await repository(coverageCohorts);
  const lines: string[] = [];
  for (const build of builds) {
    const state = await cohorts.state(build);
    if (state === undefined || state.members.length === 0) continue;
    const bytes = state.members.reduce((sum, member) => sum + member.bytes, 0);
    const depths = state.layout.thresholds.map((threshold) => `${threshold}x`).join(', ');
    const each = (bytes / state.members.length / 1e6).toFixed(2);
    lines.push(
      `Cohort of ${build}: ${counted(state.members.length, 'sample')}, ${(bytes / 1e6).toFixed(1)} MB ` +
        `(${each} MB each), mean depth and completeness at ${depths}`,
    );
  }
  return lines;
}

export const rebuildCohorts: Command<CoverageSettings> = {
  name: 'rebuild cohorts',
  summary: 'Compute the stored values of all registered samples again, from their coverage files',
  description:
    'For stored values that are damaged. Reports show no cohort while it runs. Samples whose file is gone or changed are left ' +
    'out until they are checked again.',
  examples: ['rebuild cohorts', 'rebuild cohorts --build GRCh38'],
  options: [{ flags: '--build <build>', description: 'only samples of this build', choices: builds }],
  async run(context, input) {
    const { repository, terminal, signal } = context;
    const { build } = input.options as { build?: Build };
    const [{ checksOf }, { fillCohorts }] = await Promise.all([import('../services.js'), import('../cohorts/keep.js')]);
    const cohorts = await repository(coverageCohorts);
    for (const each of build === undefined ? builds : [build]) await cohorts.clear(each);
    const { filling, close } = await checksOf(context);
    try {
      const added = await fillCohorts(filling, { signal });
      terminal.print(`Computed the values of ${counted(added, 'sample')}`);
      terminal.data({ added });
    } finally {
      await close();
    }
    return 0;
  },
};
