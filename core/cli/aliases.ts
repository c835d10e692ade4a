/** Older spellings of options: rewritten to today's before the command line is parsed. */
import { Option } from 'commander';
import type { CommandOption } from '../commands.js';

/** A command as it is typed, with its options. */
export interface Spelled {
  words: readonly string[];
  options: readonly CommandOption[];
}

interface Spelling {
  /** What stands for it today. */
  flag: string;
  takesValue: boolean;
}

/**
 * The command line with every alias (`-ds-id x`, `-ds-id=x`) as its option; all else is left as it is: the values of
 * options, and whatever follows `--`.
 */
export function withoutAliases(argv: readonly string[], commands: readonly Spelled[]): string[] {
  const command = commands.find(({ words }) => isCommand(argv, words));
  if (!command?.options.some(({ aliases }) => aliases?.length)) return [...argv];
  const spellings = spellingsOf(command.options);
  const rewritten: string[] = [];
  for (let i = 0; i < argv.length; i++) {
    const part = argv[i] ?? '';
    if (part === '--') return [...rewritten, ...argv.slice(i)];
    const [name = '', ...value] = part.split('=');
    const spelling = spellings.get(name);
    rewritten.push(spelling ? [spelling.flag, ...value].join('=') : part);
    const next = argv[i + 1];
    if (spelling?.takesValue && value.length === 0 && next !== undefined) {
      rewritten.push(next);
      i++;
    }
  }
  return rewritten;
}

/** Whether the words of the command come first among what is no option. */
function isCommand(argv: readonly string[], words: readonly string[]): boolean {
  let found = 0;
  for (let i = 0; i < argv.length && found < words.length; i++) {
    const part = argv[i] ?? '';
    if (part === '--config') i++;
    else if (!part.startsWith('-') && part !== words[found++]) return false;
  }
  return found === words.length;
}

function spellingsOf(options: readonly CommandOption[]): Map<string, Spelling> {
  const spellings = new Map<string, Spelling>([['--config', { flag: '--config', takesValue: true }]]);
  for (const { flags, aliases = [] } of options) {
    const { long, short, required, optional } = new Option(flags);
    const flag = long ?? short ?? '';
    for (const name of [long, short, ...aliases]) {
      if (name) spellings.set(name, { flag, takesValue: required || optional });
    }
  }
  return spellings;
}
