/** What each part of a migration needs. */
import type { CommandContext } from '../../../core/commands.js';
import { type MatchmakerRepository, matchmaker } from '../contract.js';

export interface Migration {
  context: CommandContext<unknown>;
  /** Reads and checks everything, changes nothing. */
  dryRun: boolean;
  repository(): Promise<MatchmakerRepository>;
  onProgress?: ((fraction: number, note: string) => void) | undefined;
}

export function migrationOf(
  context: CommandContext<unknown>,
  dryRun: boolean,
): Pick<Migration, 'context' | 'dryRun' | 'repository'> {
  return { context, dryRun, repository: () => context.repository(matchmaker) };
}
