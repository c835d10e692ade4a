/** Rewrites older spellings of options to the current ones before the command line is parsed. */
import { Option } from 'commander';
import type { CommandOption } from '../commands.js';

/** A command as it is typed, with its options. */
export interface Spelled {
  words: readonly string[];
  options: readonly CommandOption[];
}

interface Spelling {
  /** The current flag. */
  flag: string;
  takesValue: boolean;
}

/**
 * Returns the command line with every alias (`-ds-id x`, `-ds-id=x`) replaced by its option. Values of options, and
 * everything after `--`, stay unchanged.
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

/** Whether the command line without its options begins with the words of the command. */
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
